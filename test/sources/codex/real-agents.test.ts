import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Flag } from '../../../src/trace/flags.ts';
import { Kind } from '../../../src/trace/kinds.ts';
import { everything, filesBelow, type Read, readAll, readFiles, recordsOf, SHARED, tokensByModel } from './reading.ts';

interface Truth {
  prompts: unknown[];
  toolCalls: { op: { expect?: string } }[];
  usageByModel: Record<string, Record<string, number>>;
}

const runs = SHARED ? runsOf(join(SHARED, 'corpus/real-agents')) : [];

function runsOf(folder: string): { name: string; total: number; tellsAll: boolean; truth: Truth; paths: string[] }[] {
  const expected: Record<string, { agent: string; total: number; files_tell_all: boolean }> = JSON.parse(
    readFileSync(join(folder, 'expected.json'), 'utf8'),
  );
  return Object.entries(expected)
    .filter(([, run]) => run.agent === 'codex')
    .map(([name, run]) => ({
      name,
      total: run.total,
      tellsAll: run.files_tell_all,
      truth: JSON.parse(readFileSync(join(folder, name, 'truth.json'), 'utf8')) as Truth,
      paths: filesBelow(join(folder, name, 'home'), path => path.endsWith('.jsonl')),
    }));
}

function count({ ops }: Read, kind: Kind, wanted: (row: number) => boolean = () => true): number {
  let rows = 0;
  for (let row = 0; row < ops.length; row++) {
    if (ops.kind.get(row) === kind && !ops.has(row, Flag.copy) && wanted(row)) rows++;
  }
  return rows;
}

describe.skipIf(!SHARED)(
  'what the real client wrote against a provider that kept its own count (needs the shared corpus)',
  () => {
    test.each(runs)(
      '$name: tokens are what the provider answered, by model and kind',
      ({ paths, total, tellsAll, truth }) => {
        const models = tokensByModel(readFiles(paths));
        expect(models.get('all')?.total).toBe(total);
        if (!tellsAll) return;
        models.delete('all');
        expect([...models.keys()].sort()).toEqual(Object.keys(truth.usageByModel).sort());
        for (const [model, told] of Object.entries(truth.usageByModel)) {
          const sum = models.get(model);
          expect({ ...sum, output: (sum?.output ?? 0) + (sum?.reasoning ?? 0) }).toEqual({
            calls: told.requests,
            input: told.input,
            cache_read: told.cache_read,
            cache_write: told.cache_write,
            output: told.output,
            reasoning: told.reasoning_in_output,
            total: told.total,
          });
        }
      },
    );

    test.each(runs)('$name: prompts typed, tools asked for and commands that failed', ({ paths, truth }) => {
      const read = readFiles(paths);
      const failed = truth.toolCalls.filter(call => /^exit [^0]/.test(call.op.expect ?? '')).length;
      const exits = count(read, Kind.tool, row => read.ops.field.error.get(row).startsWith('exit-'));
      expect(count(read, Kind.prompt)).toBe(truth.prompts.length);
      expect(count(read, Kind.tool)).toBe(truth.toolCalls.length);
      expect(exits).toBeGreaterThanOrEqual(failed);
      expect(count(read, Kind.tool, row => read.ops.field.status.get(row) === 'unanswered')).toBe(0);
    });

    test.each(runs)('$name: every tool call belongs to an answer that ended before it began', ({ paths }) => {
      const { ops } = readFiles(paths);
      for (let row = 0; row < ops.length; row++) {
        if (ops.kind.get(row) !== Kind.tool) continue;
        const call = ops.parentOf(row);
        expect(ops.kind.get(call)).toBe(Kind.call);
        // Parallel tools start while the answer still streams.
        expect(ops.start.get(row)).toBeGreaterThan(ops.end.get(call) - 100_000);
        expect(ops.end.get(row)).toBeGreaterThanOrEqual(ops.start.get(row));
      }
    });

    test.each(runs)('$name: a file read in two parts, cut at any line, gives the same as at once', ({ paths }) => {
      for (const path of paths) {
        const records = recordsOf(path);
        const whole = everything(readAll({ [path]: records }));
        for (let cut = 1; cut < records.length; cut++) {
          expect(everything(readAll({ [path]: records }, [cut]))).toEqual(whole);
        }
      }
    });

    test('subagents hang on the call that spawned them', () => {
      const run = runs.find(each => each.name === 'codex-0.171.0/d-subagent');
      const { ops } = readFiles(run?.paths ?? []);
      const spawned = new Set<string>();
      for (let row = 0; row < ops.length; row++) if (ops.spawnedId.get(row) !== '') spawned.add(ops.spawnedId.get(row));
      const children = ops.sessions.all.filter(session => session.parent !== undefined);
      expect(children).toHaveLength(2);
      for (const child of children) {
        expect(spawned).toContain(child.id);
        expect(ops.sessions.find('codex', child.parent ?? '')).toBeDefined();
        expect(child.subagent).toBe('');
      }
    });

    test('the request that wrote a summary is a compaction, and only that one', () => {
      const run = runs.find(each => each.name === 'codex-0.171.0/h-compact');
      const read = readFiles(run?.paths ?? []);
      expect(count(read, Kind.call, row => read.ops.has(row, Flag.compaction))).toBe(1);
      expect(tokensByModel(read, row => read.ops.has(row, Flag.compaction)).get('all')?.total).toBe(11563);
      expect(count(read, Kind.event, row => read.ops.field.event.get(row) === 'compaction')).toBe(1);
    });
  },
);
