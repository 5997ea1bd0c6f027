import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { opencode } from '../../../src/sources/opencode/reader.ts';
import { Kind } from '../../../src/trace/kinds.ts';
import { CORPUS, drawn, filesBelow, headOf, rowsOf, tokensByModel } from '../reading.ts';
import { runsOf } from '../truth.ts';
import { contentsOf, leftBehind, readPaths } from './databases.ts';

const runs = runsOf('opencode', path => path.endsWith('opencode.db'));

/** What was asked for by the lanes that do a person's work: the rest are titles, which are recorded nowhere. */
function work(truth: object): object {
  const sum = { calls: 0, input: 0, cache_read: 0, cache_write: 0, output: 0, reasoning: 0, total: 0 };
  const lanes = (truth as { usageByLane: Record<string, Record<string, number>> }).usageByLane;
  for (const [lane, told] of Object.entries(lanes)) {
    if (lane === 'aux') continue;
    const {
      requests = 0,
      input = 0,
      cache_read = 0,
      cache_write = 0,
      output = 0,
      reasoning_in_output = 0,
      total = 0,
    } = told;
    sum.calls += requests;
    sum.input += input;
    sum.cache_read += cache_read;
    sum.cache_write += cache_write;
    sum.output += output - reasoning_in_output;
    sum.reasoning += reasoning_in_output;
    sum.total += total;
  }
  return sum;
}

describe.skipIf(CORPUS === undefined)(
  'what the real client wrote against a provider that kept its own count (needs the shared corpus)',
  () => {
    test('there are runs to check', () => {
      expect(runs.filter(run => run.paths.length === 1).length).toBeGreaterThan(2);
    });

    test.each(runs)('$name: tokens are what the files tell', ({ paths, total, truth }) => {
      const told = tokensByModel(readPaths(paths)).get('all');
      expect(told?.total).toBe(total);
      expect(told).toEqual(work(truth));
    });

    test.each(runs)(
      '$name: prompts typed, tools asked for, commands that failed, nothing unknown',
      ({ paths, truth }) => {
        const read = readPaths(paths);
        const { ops } = read;
        expect(rowsOf(read, Kind.prompt).map(row => ops.texts.get('prompt', row))).toEqual(
          truth.prompts.map(({ prompt }) => prompt),
        );
        expect(rowsOf(read, Kind.tool).length).toBe(truth.toolCalls.length);
        const exits = truth.toolCalls.filter(
          call => /^exit [^0]/.test(call.op.expect ?? '') || /exit 3/.test(JSON.stringify(call.op)),
        ).length;
        expect(rowsOf(read, Kind.tool, row => ops.field.error.get(row).startsWith('exit-')).length).toBe(exits);
        expect(rowsOf(read, Kind.tool, row => ops.field.status.get(row) === 'unanswered')).toEqual([]);
        expect(read.ledgers.flatMap(ledger => [...ledger.notes, ...ledger.unknown.keys()])).toEqual([]);
        expect(read.ledgers[0]?.badLines).toBe(0);
        expect(read.ledgers[0]?.lines).toBeGreaterThan(10);
      },
    );

    test.each(runs)('$name: a tool call stands under its answer and begins when that ended', ({ paths }) => {
      const read = readPaths(paths);
      for (const row of rowsOf(read, Kind.tool)) {
        const call = read.ops.parentOf(row);
        expect(read.ops.kind.get(call)).toBe(Kind.call);
        expect(read.ops.start.get(row)).toBeGreaterThanOrEqual(read.ops.end.get(call));
        expect(read.ops.end.get(row)).toBeGreaterThanOrEqual(read.ops.start.get(row));
      }
    });

    test.each(runs)('$name: evidence leads to the row that was read', ({ paths }) => {
      const read = readPaths(paths);
      const [path = ''] = paths;
      const { ops } = read;
      for (const row of [...rowsOf(read, Kind.call), ...rowsOf(read, Kind.tool)]) {
        const record = opencode.recordAt?.(path, ops.offset.get(row), ops.bytes.get(row)) as Record<string, unknown>;
        expect(record.tool ?? record.modelID).toBe(ops.field.tool.get(row) || ops.field.model.get(row));
      }
    });

    test('reading leaves nothing beside a database and nothing in the temporary folder', () => {
      const folders = runs.flatMap(run => run.paths).map(dirname);
      const before = folders.map(contentsOf);
      readPaths(runs.flatMap(run => run.paths));
      expect(folders.map(contentsOf)).toEqual(before);
      expect(leftBehind()).toEqual([]);
    });

    test('subagents hang on the calls that name them', () => {
      const run = runs.find(({ name }) => name.endsWith('d-subagent'));
      const { ops, links } = readPaths(run?.paths ?? []);
      const subagents = ops.sessions.all
        .map((session, at) => ({ session, at }))
        .filter(({ session }) => session.parent);
      expect(
        subagents.map(({ session, at }) => [session.subagent, ops.field.tool.get(links.spawn[at] as number)]),
      ).toEqual([
        ['general', 'task'],
        ['general', 'task'],
      ]);
    });
  },
);

describe.skipIf(CORPUS === undefined)('samples of the JSON storage (needs the shared corpus)', () => {
  test.each<[string, string[]]>([
    [
      'misc/mirsella+tokenuze/opencode',
      ['prompt ""', 'call grok-code 1200+300+100+200+50', 'call scout-preview 400+0+0+80+0'],
    ],
    ['opencode/jazzyalex+agent-sessions/storage_legacy', ['prompt ""', 'call gpt-4o-mini ?', '  tool bash']],
    [
      'opencode/jazzyalex+agent-sessions/storage_v2',
      [
        'prompt ""',
        'call gpt-4o-mini 120+0+0+16+0 interrupted interrupted',
        '  tool bash error exit-1',
        'prompt ""',
        'call gpt-4o-mini ?',
        'prompt ""',
        'call gpt-4o-mini ?',
      ],
    ],
  ])('%s: a file a message, with its parts', (folder, expected) => {
    const paths = filesBelow(`${CORPUS}/sessions/${folder}`, path => /[\\/]message[\\/].*\.json$/.test(path));
    const read = readPaths(paths);
    expect(drawn(read)).toEqual(expected);
    for (const row of rowsOf(read, Kind.call))
      expect(read.ops.kind.get(read.links.turn[row] as number)).toBe(Kind.prompt);
    expect(
      read.ledgers.flatMap(ledger => [...ledger.notes, ...ledger.unknown.keys(), ...ledger.badLineNumbers]),
    ).toEqual([]);
  });

  test('content tells whose a file is: all of this agent’s, and none of another', () => {
    const owns = (path: string) => /[\\/]message[\\/].*\.json$/.test(path) || /opencode[^\\/]*\.db$/.test(path);
    const wrong = ['sessions', 'real-agents']
      .flatMap(part => filesBelow(`${CORPUS}/${part}`))
      .filter(path => (opencode.sniff(headOf(path)) || opencode.sniffWhole?.(path)) !== owns(path));
    expect(wrong).toEqual([]);
  });
});
