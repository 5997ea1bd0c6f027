import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../../src/sources/claude-code/reader.ts';
import { type File, type Read, read, story, sumsByModel } from './reading.ts';
import { answers, costState, queues, type Row, returns, says, system, uses } from './rows.ts';

const ID = 's1';
const MAIN = `/h/projects/-w/${ID}.jsonl`;
const call = (seconds: number, id: string, input: number, more: Row = {}) =>
  answers(seconds, id, 'x', { in: input, read: 100, write: 10, out: 20 }, more);
const totals = (calls: number, extra = 0) => ({
  in: calls + extra,
  read: calls * 100 + extra,
  write: calls * 10 + extra,
  out: calls * 20 + extra,
});

function inferred(got: Read): string[] {
  return story(got, { times: true })
    .map(line => line.trim())
    .filter(line => line.includes('+inferred'));
}

function total(got: Read): number {
  return Object.values(sumsByModel(got)).reduce((sum, model) => sum + model.total, 0);
}

/** One run of two calls, a compaction by hand, one call more. */
const compacted: File = [
  says(0, 'Go'),
  call(1, 'm1', 1),
  call(2, 'm2', 1),
  costState({ 'claude-a': totals(2) }, ID),
  queues(10, 'enqueue', '/compact'),
  queues(10, 'dequeue'),
  system(14, 'compact_boundary', { compactMetadata: { trigger: 'manual', durationMs: 3000 } }),
  says(14, 'This session is being continued from a previous conversation', { isCompactSummary: true }),
  costState({ 'claude-a': totals(2, 5) }, ID),
  says(20, 'And now?'),
  call(21, 'm3', 1),
  costState({ 'claude-a': totals(3, 5) }, ID),
];

describe('tokens that only a running total proves', () => {
  it('become one call at the compaction, with what the total has more than the calls', () => {
    const got = read({ [MAIN]: compacted });
    expect(inferred(got)).toEqual(['call claude-a 5/5/5/0/5/0 11-14 +inferred +compaction']);
    expect(total(got)).toBe(3 + 300 + 30 + 60 + 20);
  });

  it('are none where the total says what the calls say', () => {
    const got = read({ [MAIN]: [says(0, 'Go'), call(1, 'm1', 1), costState({ 'claude-a': totals(1) }, ID)] });
    expect(story(got)).toEqual(['prompt "Go"', '  call claude-a 1/100/10/0/20/0']);
  });

  it('keep thinking and one-hour writes apart', () => {
    const got = read({
      [MAIN]: [
        call(1, 'm1', 1),
        costState({ 'claude-a': { in: 1, read: 100, write: 60, w1h: 40, out: 90, think: 30 } }, ID),
      ],
    });
    expect(inferred(got)).toEqual(['call claude-a 0/0/10/40/40/30 1-1 +inferred +compaction']);
  });

  it('belong to their model, also where the total names its context size', () => {
    const got = read({
      [MAIN]: [call(1, 'm1', 1), costState({ 'claude-a[1m]': totals(1, 2), 'claude-b': totals(0, 3) }, ID)],
    });
    expect(inferred(got)).toEqual([
      'call claude-a 2/2/2/0/2/0 1-1 +inferred +compaction',
      'call claude-b 3/3/3/0/3/0 1-1 +inferred +compaction',
    ]);
  });

  it('are the same however often all is settled', () => {
    const got = read({ [MAIN]: compacted });
    const once = story(got);
    claudeCode.settle?.(got.out, got.ledgers);
    claudeCode.settle?.(got.out, got.ledgers);
    expect(story(got)).toEqual(once);
  });

  it('vanish when what was missing is found', () => {
    const early = [call(1, 'm1', 1), costState({ 'claude-a': totals(2) }, ID)];
    const got = read({ [MAIN]: early });
    expect(inferred(got)).toHaveLength(1);
    const sink = claudeCode.open(
      { index: 1, path: `/h/projects/-w/${ID}/subagents/agent-a1.jsonl`, sibling: () => undefined },
      got.out,
      got.ledgers[0] as never,
    );
    sink.record({ ...call(1, 'm2', 1), agentId: 'a1', isSidechain: true, sessionId: ID }, 0, 1);
    claudeCode.settle?.(got.out, got.ledgers);
    expect(inferred(got)).toEqual([]);
    expect(total(got)).toBe(2 * 131);
  });
});

describe('a running total is never counted twice, and never makes a negative call', () => {
  const agent = (seconds: number, id: string) => ({
    ...call(seconds, id, 1),
    agentId: 'a1',
    isSidechain: true,
    sessionId: ID,
  });

  it('it includes the subagents', () => {
    const files = {
      [MAIN]: [
        says(0, 'Go'),
        answers(1, 'm1', [uses('t1', 'Agent', { prompt: 'x' })], { in: 1, read: 100, write: 10, out: 20 }),
        returns(9, 't1', { agentId: 'a1' }),
        costState({ 'claude-a': totals(3) }, ID),
      ],
      [`/h/projects/-w/${ID}/subagents/agent-a1.jsonl`]: [agent(3, 'm10'), agent(4, 'm11')],
    };
    expect(inferred(read(files))).toEqual([]);
  });

  it('and not what came after it: a session that goes on, its subagents too', () => {
    const files = {
      [MAIN]: [
        says(0, 'Go'),
        call(1, 'm1', 1),
        costState({ 'claude-a': totals(1, 4) }, ID),
        says(50, 'More'),
        call(51, 'm2', 1),
      ],
      [`/h/projects/-w/${ID}/subagents/agent-a1.jsonl`]: [agent(55, 'm10')],
    };
    expect(inferred(read(files))).toEqual(['call claude-a 4/4/4/0/4/0 1-1 +inferred +compaction']);
  });

  it('a killed run is missing in it: then it proves nothing', () => {
    const got = read({
      [MAIN]: [
        says(0, 'Go'),
        call(1, 'm1', 1),
        call(2, 'm2', 1),
        says(9, 'Again'),
        costState({ 'claude-a': { ...totals(1), in: 500 } }, ID),
      ],
    });
    expect(inferred(got)).toEqual([]);
    expect(total(got)).toBe(2 * 131);
    expect(got.ledgers[0]?.notes).toHaveLength(1);
  });

  it('names that no call has prove nothing: the same tokens under another name would count twice', () => {
    const got = read({
      [MAIN]: [call(1, 'm1', 1, { model: 'eu.claude-a-v1' }), costState({ 'claude-a': totals(1) }, ID)],
    });
    expect(inferred(got)).toEqual([]);
    expect(got.ledgers[0]?.notes).toHaveLength(1);
  });

  it('a fork’s total includes its parent’s: only the parent’s proves anything', () => {
    const other = 's2';
    const history = [says(0, 'Go', { uuid: 'u1' }), call(1, 'm1', 1, { uuid: 'a1' })];
    const files = {
      [MAIN]: [queues(60, 'dequeue'), ...history, call(61, 'm2', 1), costState({ 'claude-a': totals(2, 7) }, ID)],
      [MAIN.replace(ID, other)]: [
        ...history.map(row => ({ ...row, sessionId: other })),
        costState({ 'claude-a': totals(1, 7) }, other),
      ],
    };
    const got = read(files);
    expect(inferred(got)).toEqual(['call claude-a 7/7/7/0/7/0 1-1 +inferred +compaction']);
    expect(total(got)).toBe(2 * 131 + 28);
  });

  it('two sessions that share history, and nothing tells which was first, prove nothing', () => {
    const other = 's2';
    const history = [says(0, 'Go', { uuid: 'u1' }), call(1, 'm1', 1, { uuid: 'a1' })];
    const files = {
      [MAIN]: [...history, costState({ 'claude-a': totals(1, 7) }, ID)],
      [MAIN.replace(ID, other)]: [
        ...history.map(row => ({ ...row, sessionId: other })),
        costState({ 'claude-a': totals(1, 7) }, other),
      ],
    };
    expect(inferred(read(files))).toEqual([]);
  });

  it.each<unknown>([
    null,
    7,
    'x',
    [],
    {},
    { m: null },
    { m: 7 },
    { m: { inputTokens: -5, outputTokens: 'x' } },
    { constructor: {} },
  ])('a total of %j is no danger', modelUsage => {
    const got = read({ [MAIN]: [call(1, 'm1', 1), { type: 'cost-state', sessionId: ID, modelUsage }] });
    expect(total(got)).toBe(131);
  });
});
