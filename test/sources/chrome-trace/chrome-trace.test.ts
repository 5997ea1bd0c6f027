import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chromeTrace } from '../../../src/sources/chrome-trace/reader.ts';
import { mutated } from '../mutations.ts';
import { CORPUS, drawn, filesBelow, headOf, readAll, tokensByModel } from '../reading.ts';

const event = (ph: string, name: string, seconds: number, more: object = {}) => ({
  ph,
  name,
  ts: seconds * 1e6,
  pid: 1,
  tid: 1,
  ...more,
});
const slice = (name: string, from: number, to: number, more: object = {}) =>
  event('X', name, from, { dur: (to - from) * 1e6, ...more });
const read = (...records: unknown[]) => readAll(chromeTrace, { '/h/trace.json': records });
const rows = (...events: object[]) => drawn(read({ traceEvents: events }), { times: true });
const OF_CLOCK = 'times count from a start that is not told: their dates mean nothing';

const AGENTS = [
  slice('main', 0, 10, { cat: 'agent' }),
  slice('chat', 1, 3, { cat: 'llm', args: { model: 'm', input_tokens: 100, output_tokens: 10 } }),
  slice('chat', 5, 6, {
    args: { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 5, 'gen_ai.usage.output_tokens': 1 },
  }),
  slice('grep', 3, 5, { cat: 'tool', args: { error: 'timed out' } }),
];

test('slices of agents are calls and tool calls, by category or by the conventions', () => {
  expect(rows(...AGENTS)).toEqual([
    'event trace +opensTurn 0..0',
    '  call m 100+0+0+10+0 1..3',
    '    tool grep error timeout 3..5',
    '  call - 5+0+0+1+0 5..6',
  ]);
  expect(rows(...AGENTS.toReversed())).toEqual(rows(...AGENTS));
});

describe('slices of any program are tool calls in each other', () => {
  test.each<[string, object[]]>([
    ['complete', [slice('inner', 1, 2), slice('outer', 0, 3), slice('after', 3, 4)]],
    [
      'begins and ends',
      [
        event('B', 'outer', 0),
        event('B', 'inner', 1),
        event('E', '', 2),
        event('E', '', 3),
        event('B', 'after', 3),
        event('E', '', 4),
      ],
    ],
    [
      'tasks over threads',
      [
        event('b', 'outer', 0, { id: 7, cat: 'x' }),
        event('b', 'inner', 1, { id: 7, cat: 'x', tid: 2 }),
        event('e', 'inner', 2, { id: 7, cat: 'x', tid: 3 }),
        event('e', 'outer', 3, { id: 7, cat: 'x' }),
        slice('after', 3, 4),
      ],
    ],
  ])('%s', (_, events) => {
    expect(rows(...events).filter(row => !row.startsWith('event'))).toEqual([
      '  tool outer 0..3',
      '    tool inner 1..2',
      '  tool after 3..4',
    ]);
  });

  test('threads do not nest in each other, overlapping slices neither', () => {
    const made = rows(slice('a', 0, 3), slice('b', 1, 2, { tid: 2 }), slice('c', 2, 4));
    expect(made.filter(row => /tool/.test(row))).toEqual(['  tool a 0..3', '  tool b 1..2', '  tool c 2..4']);
  });
});

test('the ledger tells what has no end, no begin, no duration and no known phase', () => {
  const made = read([
    event('B', 'a', 1),
    event('E', 'x', 1, { tid: 2 }),
    event('?', 'y', 2),
    event('C', 'counter', 2),
    { ph: 'M', name: 'process_name', pid: 1, args: { name: 'svc' } },
    7,
  ]);
  expect(made.ledgers[0]?.notes).toEqual([
    'slices without an end: 1, taken to last until the end of the trace',
    OF_CLOCK,
  ]);
  expect([...(made.ledgers[0]?.unknown ?? [])]).toEqual([
    ['no event', 1],
    ['end without a begin', 1],
    ['phase ?', 1],
  ]);
  expect(made.ops.free.get('service')?.get(1)).toBe('svc');
  expect(read([slice('a', 1, 1), slice('b', 1, 1)]).ledgers[0]?.notes).toContain(
    'no span has a duration: there is no time to show',
  );
});

test('tokens stay where no slice lasts', () => {
  const still = AGENTS.map(each => ({ ...each, ts: 5, dur: 0 }));
  expect(tokensByModel(read(still)).get('all')).toMatchObject({ calls: 2, total: 116 });
});

test('a document, a list and lines are the same, a copy counts nothing twice', () => {
  const expected = tokensByModel(read({ traceEvents: AGENTS }));
  expect(tokensByModel(read(AGENTS))).toEqual(expected);
  expect(tokensByModel(read(...AGENTS))).toEqual(expected);
  expect(tokensByModel(readAll(chromeTrace, { '/a.json': [AGENTS], '/b.json': [AGENTS] }))).toEqual(expected);
});

test('two traces of one process number and clock are two', () => {
  const other = AGENTS.map(each => ({ ...each, ts: each.ts + 1 }));
  const both = readAll(chromeTrace, { '/a.json': [AGENTS], '/b.json': [other] });
  expect(tokensByModel(both).get('all')?.calls).toBe(4);
});

test.each([{ traceEvents: AGENTS }, AGENTS, AGENTS[0]])('it is told by its content: %#', value => {
  expect(chromeTrace.sniff({ path: '/x', records: [value] })).toBe(true);
  expect(chromeTrace.sniff({ path: '/x.json', records: [], document: value })).toBe(true);
});

test.each([undefined, null, 1, 'x', [], {}, { type: 7 }, { traceEvents: 1 }, { traceEvents: [null] }])(
  'a record like %j costs nothing but itself',
  value => {
    expect(() => read(value, value)).not.toThrow();
    expect(chromeTrace.sniff({ path: '/x', records: [value] })).toBe(false);
  },
);

test.skipIf(CORPUS === undefined)('no file of another is taken (needs the shared corpus)', () => {
  const taken = ['sessions', 'real-agents'].flatMap(part =>
    filesBelow(`${CORPUS}/${part}`).filter(path => chromeTrace.sniff(headOf(path))),
  );
  expect(taken).toEqual([]);
});

test('damaged events never make it throw, and every number stays a whole one', () => {
  const property = fc.property(mutated([...AGENTS, { traceEvents: AGENTS }], [event('B', 'x', 3)]), records => {
    const { ops } = read(...records);
    return [...Object.values(ops.tokens), ops.start, ops.end].every(column =>
      Array.from({ length: ops.length }, (_, row) => column.get(row)).every(Number.isSafeInteger),
    );
  });
  fc.assert(property, { numRuns: 50 });
});
