import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Fields, fieldsOf } from '../../../src/sources/codex/fields.ts';
import { codex } from '../../../src/sources/codex/reader.ts';
import { Flag } from '../../../src/trace/flags.ts';
import { Kind } from '../../../src/trace/kinds.ts';
import {
  everything,
  filesBelow,
  readAll,
  readFiles,
  recordsOf,
  SHARED,
  tokensByModel,
  totalTokens,
} from './reading.ts';

const folder = SHARED ? join(SHARED, 'corpus/sessions/codex') : '';
const paths = SHARED ? filesBelow(folder, path => path.endsWith('.jsonl')) : [];
const real = paths.filter(path => basename(path).startsWith('rollout-'));
const rollouts = real.map(path => ({ name: path.slice(folder.length + 1), path }));

/** The last running total of a file. */
function finalTotal(path: string): number {
  const totals = recordsOf(path)
    .map(record => fieldsOf(fieldsOf(fieldsOf(fieldsOf(record)?.payload)?.info)?.total_token_usage))
    .filter((total): total is Fields => total !== undefined);
  return Number(totals.at(-1)?.input_tokens) + Number(totals.at(-1)?.output_tokens);
}

describe.skipIf(!SHARED)('people’s sessions of many versions (needs the shared corpus)', () => {
  test.each(paths.map(path => ({ name: path.slice(folder.length + 1), path })))(
    '$name is recognised and read without a throw',
    ({ path }) => {
      const records = recordsOf(path);
      expect(codex.sniff({ path, records: records.slice(0, 20) })).toBe(true);
      expect(readFiles([path]).ops.sessions.all.length).toBeGreaterThan(0);
    },
  );

  test.each(rollouts)('$name: the calls add up to the thread’s own running total, with a model each', ({ path }) => {
    const read = readFiles([path]);
    const models = tokensByModel(read);
    expect(models.get('all')?.total).toBe(finalTotal(path));
    expect(models.has('unknown')).toBe(false);
    expect(read.ledgers[0]?.unknown.size).toBe(0);
  });

  test.each(rollouts)(
    '$name: every tool call has a name and an answer, but for the one at which the file was cut',
    ({ path }) => {
      const { ops } = readFiles([path]);
      const tools = Array.from({ length: ops.length }, (_, row) => row).filter(row => ops.kind.get(row) === Kind.tool);
      for (const row of tools) {
        expect(ops.field.tool.get(row)).not.toBe('unknown');
        expect(ops.kind.get(ops.parentOf(row))).toBe(Kind.call);
        expect(ops.argsKey.has(row)).toBe(true);
      }
      expect(tools.slice(0, -1).filter(row => ops.field.status.get(row) === 'unanswered')).toEqual([]);
    },
  );

  test.each(rollouts)('$name: no row lasts into the next turn of the person', ({ path }) => {
    const { ops } = readFiles([path]);
    let prompt = Number.POSITIVE_INFINITY;
    for (let row = ops.length - 1; row >= 0; row--) {
      if (ops.kind.get(row) === Kind.prompt) prompt = ops.start.get(row);
      else if (ops.kind.get(row) === Kind.call) expect(ops.end.get(row)).toBeLessThanOrEqual(prompt);
    }
  });

  test.each(rollouts.filter(({ path }) => recordsOf(path).length < 200))(
    '$name: cut at every fifth line it reads the same',
    ({ path }) => {
      const records = recordsOf(path);
      const whole = everything(readAll({ [path]: records }));
      for (let cut = 1; cut < records.length; cut += 5) {
        expect(everything(readAll({ [path]: records }, [cut]))).toEqual(whole);
      }
    },
  );

  test('all files together give what each gives alone', () => {
    const alone = real.reduce((sum, path) => sum + totalTokens(readFiles([path])), 0);
    expect(totalTokens(readFiles(real))).toBe(alone);
  });
});

describe.skipIf(!SHARED)('the fork family with a hand-made oracle (needs the shared corpus)', () => {
  const family = join(folder, 'steipete+CodexBar/Issue2037/live-fork-4d90-52bf');
  const home = join(family, 'codex-home/archived_sessions');
  const [parent, child] = [join(home, 'parent.jsonl'), join(home, 'child.jsonl')];

  test.each([
    ['the parent read first', [parent, child]],
    ['the child read first', [child, parent]],
  ])('180 copied rows count once, %s', (_, files) => {
    const oracle = JSON.parse(readFileSync(join(family, 'manifest.json'), 'utf8')).scannerOracle;
    const read = readFiles(files);
    const all = tokensByModel(read).get('all');
    // The oracle's unit is input + cached + output, with the cached part counted twice.
    expect((all?.total ?? 0) + (all?.cache_read ?? 0)).toBe(oracle.dedupedScannerUnits);
    const childSession = read.ops.sessions.find('codex', 'child-session');
    const own = tokensByModel(read, row => read.ops.session.get(row) === childSession).get('all');
    expect((own?.total ?? 0) + (own?.cache_read ?? 0)).toBe(oracle.dedupedScannerUnits - oracle.prefixScannerUnits);
    // 16 own rows in the child; two of the parent's 180 rows told nothing new.
    expect(own?.calls).toBe(16);
    expect(all?.calls).toBe(16 + 178);
    expect(read.ops.sessions.all.every(session => session.agent === 'codex')).toBe(true);
  });

  test('the small family: one copied row of two', () => {
    const smoke = join(folder, 'steipete+CodexBar/Issue2037/harness-smoke/codex-home');
    const files = filesBelow(smoke, path => path.endsWith('.jsonl'));
    const read = readFiles(files);
    expect(totalTokens(read)).toBe(17);
    expect(
      totalTokens(read, row => read.ops.session.get(row) === read.ops.sessions.find('codex', 'child-session')),
    ).toBe(6);
    let copies = 0;
    for (let row = 0; row < read.ops.length; row++) if (read.ops.has(row, Flag.copy)) copies++;
    expect(copies).toBe(1);
  });
});
