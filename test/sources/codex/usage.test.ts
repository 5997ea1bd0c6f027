import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { setTokens, usageOf } from '../../../src/sources/codex/usage.ts';
import { Kind, NO_ROW } from '../../../src/trace/kinds.ts';
import { Operations } from '../../../src/trace/operations.ts';
import { drawn, readAll, tokensByModel, totalTokens } from './reading.ts';
import { rollout, usage } from './rollout.ts';

const one = (made: { rows: readonly unknown[] }) => readAll({ 'a.jsonl': made.rows });

describe('what an answer cost', () => {
  test('cached input is a part of input and reasoning a part of output: the sum stays the recorded total', () => {
    const read = one(rollout('t').turn('gpt-5').prompt('go').counts([123302, 96128, 1944, 1129]));
    expect(tokensByModel(read).get('gpt-5')).toEqual({
      calls: 1,
      input: 27174,
      cache_read: 96128,
      cache_write: 0,
      output: 815,
      reasoning: 1129,
      total: 125246,
    });
  });

  test('cache writes are a further part of input', () => {
    const read = one(rollout('t').turn('gpt-5').prompt('go').counts([100, 60, 10, 0, 30]));
    expect(tokensByModel(read).get('gpt-5')).toMatchObject({ input: 10, cache_read: 60, cache_write: 30, total: 110 });
  });

  test('whatever the parts claim, kinds are disjoint and add up to input plus output', () => {
    const amount = fc.nat(1_000_000);
    fc.assert(
      fc.property(amount, amount, amount, amount, amount, (input, cached, output, reasoning, written) => {
        const ops = new Operations();
        const row = ops.add(Kind.call, ops.sessions.of('codex', 't', 0), NO_ROW, 0, 0, 0, 0);
        setTokens(ops, row, usageOf(usage([input, cached, output, reasoning, written]))!);
        const sum = Object.values(ops.tokens).reduce((all, column) => all + column.get(row), 0);
        expect(sum).toBe(input + output);
      }),
    );
  });
});

describe('a counter is read once for each answer', () => {
  test('rows that repeat the total are no answers; the ledger tells how many there were', () => {
    const read = one(
      rollout('t')
        .turn('gpt-5')
        .again([0, 0, 0])
        .prompt('a')
        .counts([10, 0, 1])
        .again([10, 0, 1])
        .turn('gpt-5')
        .again([10, 0, 1])
        .prompt('b')
        .counts([20, 0, 2]),
    );
    expect(totalTokens(read)).toBe(33);
    expect(read.ledgers[0]?.repeatedCounters).toBe(2);
  });

  test.each([
    ['the client restarted its total at a resume', [10, 0, 1], [12, 4, 1], 28 - 4],
    ['the new total happens to equal an earlier one', [10, 0, 1], [10, 0, 1], 22],
  ] as const)('a total that falls starts afresh: %s', (_, before, after, sum) => {
    const made = rollout('t').turn('gpt-5').prompt('a').counts(before).counts([5, 0, 5]);
    made.total = [0, 0, 0, 0, 0];
    expect(totalTokens(one(made.turn('gpt-5').prompt('b').counts(after)))).toBe(10 + sum);
  });

  test('rate-limit rows without info and rows of an unknown shape cost nothing and are not errors', () => {
    const read = one(
      rollout('t')
        .turn('gpt-5')
        .event({ type: 'token_count', info: null })
        .event({ type: 'token_count', info: { prompt: 1420, completion: 910 } }),
    );
    expect(totalTokens(read)).toBe(0);
    expect([...(read.ledgers[0]?.unknown ?? [])]).toEqual([['token_count of an unknown shape', 1]]);
  });

  test('a total without the last answer’s usage is counted by what it grew', () => {
    const grown = (input: number) => ({ type: 'token_count', info: { total_token_usage: usage([input, 0, 1]) } });
    expect(
      totalTokens(one(rollout('t').turn('gpt-5').event(grown(10)).after(9000).event(grown(25)).event(grown(25)))),
    ).toBe(26);
  });

  test('the estimate of the context after a compaction is not usage', () => {
    const made = rollout('t')
      .turn('gpt-5')
      .prompt('a')
      .says('done')
      .counts([100, 0, 10])
      .after(60_000)
      .turn('gpt-5')
      .after(5000)
      .counts([90, 0, 9]);
    made.row('compacted', {
      message: 'summary',
      replacement_history: [{ type: 'message', role: 'user', content: [] }],
    });
    const estimate = {
      input_tokens: 0,
      cached_input_tokens: 0,
      output_tokens: 0,
      reasoning_output_tokens: 0,
      total_tokens: 6078,
    };
    made.event({ type: 'token_count', info: { total_token_usage: usage(made.total), last_token_usage: estimate } });
    made.event({ type: 'context_compacted' });
    const read = one(made);
    expect(totalTokens(read)).toBe(209);
    expect(drawn(read)).toEqual([
      'prompt "a"',
      'call gpt-5 100+0+0+10+0 <0',
      'call gpt-5 90+0+0+9+0 compaction <0',
      'event compaction <0',
    ]);
  });

  test('a version that never counted its compaction request does not turn the last answer into one', () => {
    const made = rollout('t')
      .turn('gpt-5')
      .prompt('a')
      .says('done')
      .counts([100, 0, 10])
      .row('compacted', { message: 'summary' });
    expect(drawn(one(made))).toEqual(['prompt "a"', 'call gpt-5 100+0+0+10+0 <0', 'event compaction <0']);
  });
});

describe('usage records, one an answer', () => {
  const answered = () =>
    rollout('t')
      .turn('gpt-5')
      .prompt('a')
      .calls('exec_command', { cmd: 'ls' })
      .records([10, 4, 2, 1], 'r1')
      .gives('ok')
      .again([10, 4, 2, 1]);

  test('are counted instead of the counters that follow them', () => {
    const read = one(answered().says('done').records([20, 8, 2, 1], 'r2').again([20, 8, 2, 1]));
    expect(tokensByModel(read).get('all')).toMatchObject({ calls: 2, total: 34 });
  });

  test('keep the answer of a killed run that no counter ever tells', () => {
    const killed = answered().calls('exec_command', { cmd: 'sleep 99' }).records([30, 8, 2, 1], 'r2');
    // The resumed client goes on from the last counter it wrote.
    killed.total = [10, 4, 2, 1, 0];
    const read = one(
      killed
        .after(60_000)
        .turn('gpt-5')
        .again([10, 4, 2, 1])
        .prompt('b')
        .says('ok')
        .records([40, 8, 2, 1], 'r3')
        .again([40, 8, 2, 1]),
    );
    expect(tokensByModel(read).get('all')).toMatchObject({ calls: 3, total: 12 + 32 + 42 });
    expect(drawn(read).filter(line => line.startsWith('tool'))).toEqual([
      'tool exec_command <1',
      'tool exec_command unanswered <3',
    ]);
  });

  test('of a thread that an older client goes on with: its turns are read by the counter again', () => {
    const made = answered().after(60_000).turn('gpt-5').prompt('b').says('ok').counts([50, 0, 5]);
    expect(totalTokens(one(made))).toBe(12 + 55);
  });

  test('written twice in one thread are one answer', () => {
    const made = answered();
    made.rows.push(made.rows.find(row => row.type === 'token_usage_record')!);
    expect(totalTokens(one(made))).toBe(12);
  });
});

describe('the model of an answer', () => {
  test.each([
    [
      'is the turn’s, not the provider’s',
      rollout('t', undefined, { model_provider: 'openai' }).turn('gpt-5.5').prompt('a').counts([1, 0, 1]),
      ['gpt-5.5'],
    ],
    [
      'changes with the turns',
      rollout('t').turn('A').prompt('a').counts([1, 0, 1]).turn('B').prompt('b').counts([1, 0, 1]),
      ['A', 'B'],
    ],
    [
      'is taken from the turn_context that comes after it in the same turn',
      rollout('t')
        .turn('A')
        .prompt('a')
        .counts([1, 0, 1])
        .turn(undefined, 'two')
        .counts([2, 0, 1])
        .row('turn_context', { turn_id: 'two', model: 'B' }),
      ['A', 'B'],
    ],
    [
      'is looked for ahead where nothing came before',
      rollout('t').counts([1, 0, 1]).row('turn_context', { model: 'A' }),
      ['A'],
    ],
    [
      'is taken from the settings where no turn ever tells',
      rollout('t')
        .event({ type: 'thread_settings_applied', thread_settings: { model: 'S' } })
        .counts([1, 0, 1]),
      ['S'],
    ],
    [
      'is unknown where nothing tells, never a default',
      rollout('t', undefined, { model_provider: 'openai' }).counts([1, 0, 1]),
      ['unknown'],
    ],
    [
      'may have any name',
      rollout('t').turn('__proto__').prompt('a').counts([1, 0, 1]).turn('constructor').prompt('b').counts([1, 0, 1]),
      ['__proto__', 'constructor'],
    ],
  ])('%s', (_, made, models) => {
    const { ops } = one(made);
    const found = Array.from({ length: ops.length }, (_, row) => row).filter(row => ops.kind.get(row) === Kind.call);
    expect(found.map(row => ops.field.model.get(row))).toEqual(models);
  });
});
