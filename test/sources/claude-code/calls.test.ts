import { describe, expect, it } from 'vitest';
import { Flag } from '../../../src/trace/flags.ts';
import { Kind } from '../../../src/trace/kinds.ts';
import { countOf, read, readMain, story, sumsByModel } from './reading.ts';
import { answers, at, fails, type Row, returns, says, system, uses } from './rows.ts';

describe('one answer is one call, however many rows repeat it', () => {
  it('the row with the largest output stands, not the first', () => {
    const rows = [3, 3, 427].map((out, i) =>
      answers(i, 'm1', `part ${i}`, { in: 10, read: 2000, w5: 30, out }, { stop: i === 2 ? 'end_turn' : null }),
    );
    const got = readMain(says(0, 'Go'), ...rows);
    expect(story(got)).toEqual(['prompt "Go"', '  call claude-a 10/2000/30/0/427/0']);
    expect(got.ledgers[0]?.repeatedRows).toBe(2);
  });

  it('without a requestId too (gateways, other providers)', () => {
    const rows = [3, 3, 427].map(out =>
      answers(1, 'm1', 'x', { in: 10, out }, { model: 'glm-5', requestId: undefined }),
    );
    expect(story(readMain(...rows))).toEqual(['call glm-5 10/0/0/0/427/0']);
  });

  it('also when requests differ: the message decides', () => {
    const got = readMain(
      answers(1, 'm1', 'x', { in: 1, out: 9 }, { requestId: 'a' }),
      answers(2, 'm1', 'x', { in: 1, out: 9 }, { requestId: 'b' }),
    );
    expect(countOf(got, Kind.call)).toBe(1);
  });

  it('a row without message id is a call by its uuid', () => {
    const got = readMain(answers(1, undefined, 'a', { in: 1, out: 2 }), answers(2, undefined, 'b', { in: 1, out: 2 }));
    expect(countOf(got, Kind.call)).toBe(2);
  });

  it('rows written again with the same uuid make no second prompt, call or tool call', () => {
    const u1 = says(0, 'One');
    const a1 = answers(1, 'm1', [uses('t1', 'Bash', { command: 'ls' })], { in: 1, out: 90 });
    const r1 = returns(2, 't1');
    const u2 = says(5, 'Two');
    const a2 = answers(6, 'm2', 'Done.', { in: 2, out: 60 });
    const got = readMain(u1, a1, u1, a1, r1, u1, a1, r1, u2, a2);
    expect(story(got)).toEqual([
      'prompt "One"',
      '  call claude-a 1/0/0/0/90/0',
      '    tool Bash ok',
      'prompt "Two"',
      '  call claude-a 2/0/0/0/60/0',
    ]);
    expect(got.ledgers[0]?.repeatedRows).toBe(2);
    expect(got.ledgers[0]?.notes).toHaveLength(1);
  });

  it('blocks of one answer that share a uuid are each counted, and so is what answers them', () => {
    const call = [1, 'm1', 'x', { in: 1, out: 90 }, { uuid: 'd' }] as const;
    const said = answers(...call);
    const asks = (id: string) =>
      answers(2, 'm1', [uses(id, 'Bash', { command: id })], { in: 1, out: 90 }, { uuid: 'd' });
    const told = (id: string) => returns(3, id, {}, { uuid: 'r', is_error: true });
    const got = readMain(
      says(0, 'One'),
      said,
      asks('t1'),
      asks('t2'),
      asks('t1'),
      told('t1'),
      told('t2'),
      told('t1'),
      said,
    );
    expect(story(got)).toEqual([
      'prompt "One"',
      '  call claude-a 1/0/0/0/90/0',
      '    tool Bash error:tool-error',
      '    tool Bash error:tool-error',
    ]);
  });

  it('an error that the client shows is one, however often its row is written', () => {
    const failed = answers(
      1,
      'e1',
      'API Error: 500',
      { in: 0, out: 0 },
      { uuid: 'd', model: '<synthetic>', isApiErrorMessage: true },
    );
    const got = readMain(says(0, 'One'), failed, failed, failed);
    expect(countOf(got, Kind.event)).toBe(1);
    expect(got.ledgers[0]?.repeatedRows).toBe(2);
  });

  it('two answers that share a uuid are two calls', () => {
    const [a, b] = ['m1', 'm2'].map(id => answers(1, id, 'x', { in: 1, out: 90 }, { uuid: 'd' }));
    expect(countOf(readMain(says(0, 'One'), a as Row, b as Row, a as Row, b as Row), Kind.call)).toBe(2);
  });

  it('a copy in a resumed file counts once and stays with the earlier time', () => {
    // Up to 1.0.x a resume writes the history again under a new session, every row at the moment of the resume.
    const first = [says(0, 'One', { uuid: 'u1' }), answers(1, 'm1', 'Yes.', { in: 7, out: 8 }, { uuid: 'a1' })];
    const again = first.map(row => ({ ...row, sessionId: 's2', timestamp: at(100) }));
    const got = read({ '/p/s2.jsonl': [...again, says(101, 'Two', { sessionId: 's2' })], '/p/s1.jsonl': first });
    expect(story(got, { times: true, sessions: true })).toEqual([
      'prompt "Two" 101-101 @s2',
      'prompt "One" 0-0 @s1',
      '  call claude-a 7/0/0/0/8/0 0-1 @s1',
    ]);
  });
});

describe('tokens keep their kinds apart', () => {
  it('cache writes of five minutes and of an hour', () => {
    expect(story(readMain(answers(1, 'm1', 'x', { in: 1, w5: 0, w1h: 60120, out: 5 })))).toEqual([
      'call claude-a 1/0/0/60120/5/0',
    ]);
  });

  it('cache writes without a split are of five minutes', () => {
    expect(story(readMain(answers(1, 'm1', 'x', { in: 1, write: 44, out: 5 })))).toEqual([
      'call claude-a 1/0/44/0/5/0',
    ]);
  });

  it('a split that does not add up never changes the total', () => {
    const got = readMain(
      answers(1, 'm1', 'x', { in: 1, write: 100, w5: 10, w1h: 30, out: 5 }),
      answers(2, 'm2', 'x', { in: 1, write: 20, w5: 0, w1h: 30, out: 5 }),
    );
    expect(story(got)).toEqual(['call claude-a 1/0/70/30/5/0', 'call claude-a 1/0/0/20/5/0']);
    expect(got.ledgers[0]?.notes.map(note => note.replace(/: .*/, ''))).toEqual([
      'usage that contradicts itself at byte 0',
      'usage that contradicts itself at byte 11',
    ]);
  });

  it('thinking is shown apart where it is told, and the sum of the output stays', () => {
    expect(story(readMain(answers(1, 'm1', 'x', { in: 1, out: 50, think: 30 })))).toEqual([
      'call claude-a 1/0/0/0/20/30',
    ]);
    expect(story(readMain(answers(1, 'm1', 'x', { in: 1, out: 50, think: 80 })))).toEqual([
      'call claude-a 1/0/0/0/0/50',
    ]);
  });

  it('inferences of other models inside an answer are calls of those models', () => {
    const iterations = [
      { type: 'message', input_tokens: 10, output_tokens: 20 },
      { type: 'fallback_message', model: 'claude-b', input_tokens: 300, output_tokens: 40 },
      { type: 'message', input_tokens: 5, output_tokens: 6 },
    ];
    const row = answers(1, 'm1', 'x', { in: 5, out: 6, iterations });
    const got = readMain(row, answers(2, 'm1', 'y', { in: 5, out: 6, iterations }));
    expect(story(got)).toEqual(['call claude-a 15/0/0/0/26/0', 'call claude-b 300/0/0/0/40/0']);
  });

  it('a single iteration repeats the top level', () => {
    const iterations = [{ type: 'message', input_tokens: 5, output_tokens: 6 }];
    expect(story(readMain(answers(1, 'm1', 'x', { in: 5, out: 6, iterations })))).toEqual([
      'call claude-a 5/0/0/0/6/0',
    ]);
  });

  it('no usage, or all zeros from a gateway, is unknown and not nothing', () => {
    expect(story(readMain(answers(1, 'm1', 'x', {})))).toEqual(['call claude-a 0/0/0/0/0/0 +unknownUsage']);
    const bare = { ...answers(1, 'm1', 'x'), message: { id: 'm1', role: 'assistant', content: [] } };
    expect(story(readMain(bare))).toEqual(['call  0/0/0/0/0/0 +unknownUsage']);
  });

  it.each([-5, 1.5, Number.MAX_VALUE, 'many', null, {}])('a count of %j never makes a column wrong', input_tokens => {
    const row = {
      ...answers(1, 'm1', 'x'),
      message: { id: 'm1', model: 'm', content: [], usage: { input_tokens, output_tokens: 7 } },
    };
    const sums = sumsByModel(readMain(row)).m;
    expect(sums?.output).toBe(7);
    expect(Number.isSafeInteger(sums?.input)).toBe(true);
  });
});

describe('an output that is only the beginning of the count is a lower bound', () => {
  const words = 'I have read the file and the operator in it is wrong. '.repeat(10);
  it.each<[string, boolean, unknown, number, string | null]>([
    ['a long text for one token and no stop reason', true, words, 1, null],
    ['a tool call for 25 tokens and no stop reason', true, [uses('t', 'Bash', { command: 'ls -la' })], 25, null],
    ['a finished text of 1.0.92, which never tells why it stopped', false, 'It multiplies two numbers.', 221, null],
    ['a short text', false, 'ok', 3, null],
    ['a tool call at its price', false, [uses('t', 'Bash', { command: 'ls -la' })], 60, null],
    ['a final count, however small', false, words, 1, 'end_turn'],
  ])('%s: %s', (_, expected, content, out, stop) => {
    const { out: ops } = readMain(answers(1, 'm1', content, { in: 1, out }, { stop }));
    expect(ops.has(0, Flag.lowerBound)).toBe(expected);
  });

  it('until a later row of the answer brings the rest', () => {
    const first = answers(1, 'm1', words, { in: 1, out: 1 }, { stop: null });
    expect(readMain(first).out.has(0, Flag.lowerBound)).toBe(true);
    expect(
      readMain(first, answers(2, 'm1', [uses('t', 'Read')], { in: 1, out: 300 }, { stop: null })).out.has(
        0,
        Flag.lowerBound,
      ),
    ).toBe(false);
  });
});

describe('a call lasts from what triggered it to its last row', () => {
  it('the prompt, then the results; rows of one answer may stand around a result', () => {
    const got = readMain(
      says(0, 'Go'),
      answers(2, 'm1', [uses('t1', 'Bash')], { in: 1, out: 200 }),
      returns(3, 't1'),
      answers(4, 'm1', [uses('t2', 'Bash')], { in: 1, out: 200 }),
      returns(6, 't2'),
      answers(8, 'm2', 'Done.', { in: 2, out: 20 }),
    );
    expect(story(got, { times: true })).toEqual([
      'prompt "Go" 0-0',
      '  call claude-a 1/0/0/0/200/0 0-4',
      '    tool Bash ok 2-3',
      '    tool Bash ok 4-6',
      '  call claude-a 2/0/0/0/20/0 6-8',
    ]);
  });

  it('the moment its request was sent, where the row says which request it was', () => {
    const got = readMain(
      says(0, 'Go'),
      { type: 'api-request', id: 'r1', timestamp: at(1), sessionId: 's1' },
      { type: 'api-request', id: 'r2', timestamp: at(3), sessionId: 's1' },
      answers(5, 'm1', 'Yes.', { in: 1, out: 9 }, { requestRef: 'r2' }),
    );
    expect(story(got, { times: true })).toEqual(['prompt "Go" 0-0', '  call claude-a 1/0/0/0/9/0 3-5']);
  });

  it('only itself where nothing triggered it: the gap before is nobody’s', () => {
    const got = readMain(answers(10, 'm1', 'a', { in: 1, out: 9 }), answers(5000, 'm2', 'b', { in: 1, out: 9 }));
    expect(story(got, { times: true })).toEqual([
      'call claude-a 1/0/0/0/9/0 10-10',
      'call claude-a 1/0/0/0/9/0 5000-5000',
    ]);
  });
});

describe('what is no answer of a model is no call', () => {
  it('rows the client made itself: an error is an event, a placeholder is nothing', () => {
    const synthetic = (text: string, more: object) =>
      answers(3, `x-${text}`, text, { in: 0, out: 0 }, { model: '<synthetic>', ...more });
    const got = readMain(
      says(0, 'Go'),
      synthetic('API Error: 400 bad', { isApiErrorMessage: true, apiErrorStatus: 400 }),
      synthetic('API Error: slow down', { isApiErrorMessage: true, error: 'rate_limit' }),
      synthetic('API Error: old versions only say so', {}),
      synthetic('No response requested.', {}),
    );
    expect(story(got)).toEqual([
      'prompt "Go"',
      '  event api-error error:http-400',
      '  event api-error error:rate_limit',
      '  event api-error error:api-error',
    ]);
  });

  it('retries, refusals, compactions and hooks are events with their class and length', () => {
    const got = readMain(
      says(0, 'Go'),
      system(1, 'api_error', { error: { status: 529 }, retryInMs: 1500.5 }),
      system(2, 'api_error', { error: { connection: { code: 'ECONNRESET' } } }),
      system(3, 'api_error', { error: { error: { error: { type: 'overloaded_error' } } } }),
      system(4, 'model_refusal_fallback'),
      system(10, 'compact_boundary', { compactMetadata: { trigger: 'auto', durationMs: 4000 } }),
      system(20, 'stop_hook_summary', {
        hookCount: 2,
        hookInfos: [{ durationMs: 500 }, { durationMs: 2000 }],
        hookErrors: [],
      }),
      system(21, 'stop_hook_summary', { hookCount: 0 }),
      system(22, 'turn_duration', { durationMs: 22000 }),
    );
    expect(story(got, { times: true })).toEqual([
      'prompt "Go" 0-0',
      '  event retry error:http-529 1-2.5005',
      '  event retry error:econnreset 2-2',
      '  event retry error:overloaded_error 3-3',
      '  event refusal error:refusal 4-4',
      '  event compaction 6-10',
      '  event hook 18-20',
    ]);
  });

  it('copies of requests hold whole messages that must not be counted again', () => {
    const message = {
      role: 'user',
      content: [
        { type: 'text', text: 'Go' },
        { type: 'tool_result', tool_use_id: 't1', content: 'x' },
      ],
    };
    const got = readMain(
      says(0, 'Go'),
      { type: 'api-request-blob', sessionId: 's1', hash: 'h', message },
      { type: 'api-request-shape', sessionId: 's1', shape: { system: 'x'.repeat(1000) } },
      { type: 'last-prompt', lastPrompt: 'Go', sessionId: 's1' },
    );
    expect(story(got)).toEqual(['prompt "Go"']);
    expect([...(got.ledgers[0]?.unknown ?? [])]).toEqual([]);
  });
});

describe('odd rows cost nothing but themselves', () => {
  it('content as a string, an empty list, a result without content', () => {
    const bare = {
      ...returns(3, 't1'),
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1' }] },
    };
    const got = readMain(
      { ...answers(1, 'm1', [], { in: 1, out: 2 }) },
      { ...answers(2, 'm2', [uses('t1', 'Read')], { in: 1, out: 60 }) },
      bare,
      {
        ...answers(4, 'm3', 'x', { in: 1, out: 2 }),
        message: { id: 'm3', model: 'claude-a', content: 'Read it.', usage: { output_tokens: 4 } },
      },
    );
    expect(story(got)).toEqual([
      'call claude-a 1/0/0/0/2/0',
      'call claude-a 1/0/0/0/60/0',
      '  tool Read ok',
      'call claude-a 0/0/0/0/4/0',
    ]);
    expect(got.out.texts.get('call', 3)).toBe('Read it.');
  });

  it('unknown record types are counted by name, without a row for each', () => {
    const got = readMain(
      ...Array.from({ length: 200 }, () => ({ type: 'frobnicate', sessionId: 's1' })),
      { sessionId: 's1' },
      { type: 7 },
    );
    expect([...(got.ledgers[0]?.unknown ?? [])]).toEqual([
      ['frobnicate', 200],
      ['no type', 2],
    ]);
    expect(got.out.length).toBe(0);
  });

  it('values that are no records are bad lines', () => {
    expect(readMain(1, 'x', null, [], true).ledgers[0]?.badLines).toBe(5);
  });

  it('names like __proto__ and constructor are names', () => {
    const block = JSON.parse(
      '{"type":"tool_use","id":"t1","name":"__proto__","input":{"__proto__":{"x":1},"constructor":2}}',
    );
    const got = readMain(
      answers(1, 'constructor', [block], { in: 1, out: 60 }, { model: '__proto__' }),
      answers(2, '__proto__', [uses('hasOwnProperty', 'hasOwnProperty')], { in: 1, out: 60 }, { model: 'constructor' }),
      fails(3, 'hasOwnProperty', 'no'),
      JSON.parse('{"type":"toString","__proto__":{"type":"user"}}'),
    );
    expect(story(got)).toEqual([
      'call __proto__ 1/0/0/0/60/0',
      '  tool __proto__ unanswered',
      'call constructor 1/0/0/0/60/0',
      '  tool hasOwnProperty error:tool-error',
    ]);
    expect([...(got.ledgers[0]?.unknown ?? [])]).toEqual([['toString', 1]]);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });
});
