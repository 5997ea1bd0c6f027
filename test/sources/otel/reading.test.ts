import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { otel } from '../../../src/sources/otel/reader.ts';
import { drawn, readAll, tokensByModel, touched } from '../reading.ts';
import { agent, attributes, batch, model, span, tool } from './otlp.ts';

const read = (...batches: object[]) => readAll(otel, { '/h/traces.jsonl': batches });
const rows = (...spans: object[]) => drawn(read(batch(spans)));
const asks = (text: string) => JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: text }] }]);

describe('a response counts once, whatever is wrapped around it', () => {
  test('an agent repeats the sum of its calls', () => {
    const made = read(
      batch([
        agent('root', { to: 9, has: { 'gen_ai.usage.input_tokens': 14426, 'gen_ai.usage.output_tokens': 771 } }),
        model('a', 7000, 400, { parent: 'root', at: 1 }),
        model('b', 7426, 371, { parent: 'root', at: 3 }),
      ]),
    );
    expect(tokensByModel(made).get('all')).toMatchObject({ calls: 2, input: 14426, output: 771 });
    expect(made.ledgers[0]).toMatchObject({ repeatedRows: 1, notes: [] });
  });

  test.each<[string, object[], string[]]>([
    [
      'a model span around a model span of the same usage',
      [model('out', 100, 10, { to: 3 }), model('in', 100, 10, { parent: 'out', at: 1 })],
      ['event trace +opensTurn', '  call m 100+0+0+10+0'],
    ],
    [
      'the outer one alone has usage',
      [model('out', 100, 10, { to: 3 }), model('in', 0, 0, { parent: 'out', at: 1 })],
      ['event trace +opensTurn', '  call m 100+0+0+10+0'],
    ],
    [
      'neither has usage',
      [model('out', 0, 0, { to: 3 }), model('in', 0, 0, { parent: 'out', at: 1 })],
      ['event trace +opensTurn', '  call m ?'],
    ],
    [
      'only the agent knows what was used',
      [
        agent('a', { to: 3, has: { 'gen_ai.usage.input_tokens': 5, 'gen_ai.usage.output_tokens': 1 } }),
        model('in', 0, 0, { parent: 'a', at: 1 }),
      ],
      ['event trace +opensTurn', '  call - 5+0+0+1+0 +usageOnly', '  call m ?'],
    ],
    [
      'an agent of which no answer was traced',
      [agent('a', { to: 3, has: { 'gen_ai.request.model': 'm' } }), tool('grep', { parent: 'a', at: 1 })],
      ['event trace +opensTurn', '  call m ? +inferred', '    tool grep'],
    ],
  ])('%s', (_, spans, expected) => {
    expect(rows(...spans)).toEqual(expected);
    expect(rows(...spans.toReversed())).toEqual(expected);
  });

  test('a wrapper that counts more than what is in it is told', () => {
    const { ledgers } = read(batch([model('out', 100, 10, { to: 3 }), model('in', 50, 10, { parent: 'out', at: 1 })]));
    expect(ledgers[0]?.notes).toEqual(['1 spans count more than the spans in them, which alone are counted']);
  });

  test('a span that is sent again when it ends is one', () => {
    const made = read(batch([model('a', 0, 0, { to: 0 })]), batch([model('a', 5, 1, { to: 4 })]));
    expect(drawn(made, { times: true })).toEqual(['event trace +opensTurn 0..0', '  call m 5+0+0+1+0 0..4']);
    expect(made.ledgers[0]?.repeatedRows).toBe(1);
  });

  test('the same traces in two files count once', () => {
    const records = [batch([agent('root', { to: 9 }), model('a', 7, 4, { parent: 'root' })])];
    const made = readAll(otel, { '/h/a.jsonl': records, '/h/b.jsonl': records });
    expect(tokensByModel(made).get('all')).toMatchObject({ calls: 1, total: 11 });
  });
});

describe('usage', () => {
  const spent = (...all: Record<string, number>[]) => {
    const made = read(
      batch(all.map((has, i) => span({ id: `s${i}`, at: i, has: { 'openinference.span.kind': 'LLM', ...has } }))),
    );
    return {
      rows: drawn(made)
        .slice(1)
        .map(row => row.trim()),
      notes: made.ledgers[0]?.notes,
    };
  };
  const usage = (input: number, output: number, more: Record<string, number> = {}) => ({
    'gen_ai.usage.input_tokens': input,
    'gen_ai.usage.output_tokens': output,
    ...Object.fromEntries(Object.entries(more).map(([name, count]) => [`gen_ai.usage.${name}`, count])),
  });
  const READ = 'cache_read.input_tokens';
  const beside = 'cached input stands beside the input, not in it, in';

  test.each<[string, Record<string, number>[], string[], string[]]>([
    [
      'reasoning is a part of the output, as the total shows',
      [usage(22118, 1970, { reasoning_tokens: 956, total_tokens: 24088 })],
      ['call - 22118+0+0+1014+956'],
      [],
    ],
    [
      'reasoning beside the output',
      [usage(10, 5, { reasoning_tokens: 7, total_tokens: 22 })],
      ['call - 10+0+0+5+7'],
      [],
    ],
    ['cached input is a part of the input', [usage(100, 5, { [READ]: 60 })], ['call - 40+60+0+5+0'], []],
    ['more cached input than input', [usage(10, 5, { [READ]: 60 })], ['call - 10+60+0+5+0'], [`${beside} 1 call`]],
    [
      'a total proves cached input beside',
      [usage(100, 5, { [READ]: 60, total_tokens: 165 })],
      ['call - 100+60+0+5+0'],
      [`${beside} 1 call`],
    ],
    [
      'one span proves it for all of the exporter',
      [usage(100, 5, { [READ]: 60 }), usage(10, 5, { [READ]: 60 })],
      ['call - 100+60+0+5+0', 'call - 10+60+0+5+0'],
      [`${beside} 2 calls`],
    ],
    [
      'spans that prove both: each stands for itself',
      [usage(100, 5, { [READ]: 60, total_tokens: 105 }), usage(10, 5, { [READ]: 60 }), usage(90, 5, { [READ]: 60 })],
      ['call - 40+60+0+5+0', 'call - 10+60+0+5+0', 'call - 30+60+0+5+0'],
      [`${beside} 1 call`],
    ],
    [
      'a total that fits nothing',
      [usage(10, 5, { total_tokens: 99 })],
      ['call - 10+0+0+5+0'],
      ['usage that contradicts itself at byte 0: a total of 99 where the kinds sum to 15'],
    ],
    [
      'older and other names',
      [
        { 'gen_ai.usage.prompt_tokens': 3, 'gen_ai.usage.completion_tokens': 1 },
        {
          'llm.token_count.prompt': 9,
          'llm.token_count.completion': 2,
          'llm.token_count.prompt_details.cache_read': 4,
        },
        { 'ai.usage.promptTokens': 5, 'ai.usage.completionTokens': 1 },
        {
          'gen_ai.usage.input_tokens': 8,
          'gen_ai.usage.output_tokens': 1,
          'gen_ai.usage.cache_creation.input_tokens': 6,
        },
      ],
      ['call - 3+0+0+1+0', 'call - 5+4+0+2+0', 'call - 5+0+0+1+0', 'call - 2+0+6+1+0'],
      [],
    ],
  ])('%s', (_, all, expected, notes) => {
    expect(spent(...all)).toEqual({ rows: expected, notes });
  });

  test('what contradicts itself is told with its place', () => {
    const has = usage(10, 5, { total_tokens: 99 });
    const made = read({}, batch([model('a', 0, 0, { has })]));
    expect(made.ledgers[0]?.notes).toEqual([
      'usage that contradicts itself at byte 100: a total of 99 where the kinds sum to 15',
    ]);
  });
});

describe('what stands where', () => {
  test('a tool hangs on the call that asked for it, which a span beside it is', () => {
    const made = read(
      batch([
        tool('grep', { parent: 'root', at: 2, to: 3, has: { 'gen_ai.tool.call.arguments': '{"q":1}' } }),
        tool('bash', { parent: 'root', at: 6, failed: 'No such file' }),
        model('b', 2, 1, { parent: 'root', at: 4, to: 5 }),
        model('a', 1, 1, { parent: 'root', at: 1, to: 2 }),
        agent('root', { to: 9, has: { 'gen_ai.input.messages': asks('Fix it') } }),
      ]),
    );
    expect(drawn(made, { times: true })).toEqual([
      'prompt "Fix it" 0..0',
      '  call m 1+0+0+1+0 1..2',
      '    tool grep 2..3',
      '  call m 2+0+0+1+0 4..5',
      '    tool bash error not-found 6..7',
    ]);
  });

  test('what a tool asked of a model, and an agent in an agent, are subagents', () => {
    const made = read(
      batch([
        agent('main', { to: 20 }),
        model('a', 1, 1, { parent: 'main', at: 1 }),
        tool('task', { parent: 'main', at: 2, to: 6 }),
        agent('helper', { parent: 'task', at: 3, to: 6 }),
        model('b', 2, 1, { parent: 'helper', at: 4 }),
        agent('writer', { parent: 'main', at: 8, to: 12 }),
        model('c', 3, 1, { parent: 'writer', at: 9 }),
        agent('main', { parent: 'main', at: 14, to: 18 }),
      ]),
    );
    expect(drawn(made)).toEqual([
      'event trace +opensTurn',
      '  call m 1+0+0+1+0',
      '    tool task',
      '      event task +opensTurn',
      '        call m 2+0+0+1+0',
      '    tool invoke_agent',
      '      event task +opensTurn',
      '        call m 3+0+0+1+0',
    ]);
    expect(made.ops.sessions.all.map(session => session.subagent)).toEqual([undefined, 'helper', 'writer']);
  });

  test('batches in any order give the same, children before their parents too', () => {
    const spans = [
      agent('main', { to: 20 }),
      model('a', 1, 1, { parent: 'main', at: 1 }),
      tool('task', { parent: 'a', at: 2, to: 6 }),
      model('b', 2, 1, { parent: 'task', at: 4 }),
      model('c', 3, 1, { parent: 'main', at: 7 }),
    ];
    const expected = drawn(read(...spans.map(each => batch([each]))));
    const property = fc.property(fc.shuffledSubarray(spans, { minLength: spans.length }), moved => {
      expect(drawn(read(...moved.map(each => batch([each]))))).toEqual(expected);
    });
    fc.assert(property, { numRuns: 30 });
  });

  test('spans of a parent that is not there stay together, and it is told', () => {
    const made = read(
      batch([model('a', 1, 1, { parent: 'gone', at: 1 }), model('b', 2, 1, { parent: 'gone', at: 2 })]),
    );
    expect(drawn(made)).toEqual(['event trace +opensTurn', '  call m 1+0+0+1+0', '  call m 2+0+0+1+0']);
    expect(made.ledgers[0]?.notes).toEqual(['2 spans are in a span that is not in the file']);
  });

  test('spans that are in themselves end somewhere', () => {
    const made = read(batch([model('a', 1, 1, { parent: 'b' }), model('b', 2, 1, { parent: 'a' })]));
    expect(tokensByModel(made).get('all')?.calls).toBe(1);
    expect(made.ledgers[0]?.notes).toContain('1 rings of spans that are in themselves were cut');
  });

  test('a deep chain does not exhaust the stack', () => {
    const deep = Array.from({ length: 20_000 }, (_, i) =>
      span({ id: `${i}`, ...(i > 0 ? { parent: `${i - 1}` } : {}) }),
    );
    expect(rows(...deep, model('leaf', 1, 1, { parent: '19999' }))).toHaveLength(2);
  });

  test('traces of other programs are no rows, and counted', () => {
    const made = read(batch([span({ id: 'GET /' }), span({ id: 'sql', parent: 'GET /' })]), { resourceLogs: [] });
    expect(drawn(made)).toEqual([]);
    expect([...(made.ledgers[0]?.unknown ?? [])]).toEqual([
      ['resourceLogs', 1],
      ['span of no agent', 2],
    ]);
  });

  test('failures: classes only', () => {
    const made = read(
      batch([
        model('a', 0, 0, { failed: 'secret of me@x.y', has: { 'error.type': 'RateLimitError' } }),
        model('b', 0, 0, { at: 2, failed: 'secret of me@x.y' }),
        tool('x', { at: 3, failed: 'timed out: secret' }),
      ]),
    );
    expect(
      drawn(made)
        .map(row => row.trim())
        .filter(row => !row.startsWith('event')),
    ).toEqual(['call m ? error ratelimiterror', 'call m ? error api-error', 'tool x error timeout']);
  });

  test('tools touch places by the names that many agents give them', () => {
    const args = (value: object) => ({ has: { 'gen_ai.tool.call.arguments': JSON.stringify(value) } });
    const made = read(
      batch([
        tool('read_file', args({ path: 'a.ts' })),
        tool('bash', { at: 1, ...args({ command: 'ls' }) }),
        tool('mine', { at: 2, ...args({ path: 'b.ts' }) }),
      ]),
    );
    expect(touched(made)).toEqual(['read a.ts', 'shell ls']);
  });

  test.each(['__proto__', 'constructor', 'hasOwnProperty'])('%s is a name like any other', name => {
    const made = read(
      batch([model('a', 1, 1, { has: { 'gen_ai.request.model': name } }), tool(name, { parent: 'a' })], {
        'service.name': name,
      }),
    );
    expect(drawn(made).slice(1)).toEqual([`  call ${name} 1+0+0+1+0`, `    tool ${name}`]);
    expect(made.ops.free.get('service')?.get(1)).toBe(name);
  });
});

describe('prompts and answers of every convention', () => {
  const messages = JSON.stringify([
    { role: 'system', content: 'Be kind' },
    { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
  ]);
  test.each<[string, Record<string, string>, object[]]>([
    ['gen_ai.input.messages', { 'gen_ai.input.messages': asks('Hello') }, []],
    ['gen_ai.prompt', { 'gen_ai.prompt': messages }, []],
    ['ai.prompt', { 'ai.prompt': '{"prompt":"Hello"}' }, []],
    ['ai.prompt.messages', { 'ai.prompt.messages': messages }, []],
    [
      'numbered, OpenLLMetry',
      {
        'gen_ai.prompt.0.role': 'system',
        'gen_ai.prompt.0.content': 'x',
        'gen_ai.prompt.1.role': 'user',
        'gen_ai.prompt.1.content': 'Hello',
      },
      [],
    ],
    [
      'numbered, OpenInference',
      { 'llm.input_messages.0.message.role': 'user', 'llm.input_messages.0.message.content': 'Hello' },
      [],
    ],
    ['input.value', { 'input.value': `{"messages":${messages}}` }, []],
    ['input.value, plain', { 'input.value': 'Hello' }, []],
    ['events', {}, [{ name: 'gen_ai.user.message', attributes: attributes({ content: 'Hello' }) }]],
    ['older events', {}, [{ name: 'gen_ai.content.prompt', attributes: attributes({ 'gen_ai.prompt': messages }) }]],
  ])('%s', (_, has, events) => {
    expect(rows(model('a', 1, 1, { has, events }))[0]).toBe('prompt "Hello"');
  });

  test('what a tool answered is no prompt', () => {
    const last = JSON.stringify([
      { role: 'user', content: 'Hello' },
      { role: 'tool', content: 'x' },
    ]);
    expect(rows(model('a', 1, 1, { has: { 'gen_ai.input.messages': last } }))[0]).toBe('event trace +opensTurn');
  });

  test.each<Record<string, string>>([
    { 'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: 'Hi' }] }]) },
    { 'gen_ai.completion': '{"text":"Hi"}' },
    { 'gen_ai.completion.0.role': 'assistant', 'gen_ai.completion.0.content': 'Hi' },
    { 'llm.output_messages.0.message.content': 'Hi' },
    { 'ai.response.text': 'Hi' },
    { 'output.value': '{"text":"Hi"}' },
  ])('answers: %j', has => {
    const { ops } = read(batch([model('a', 1, 1, { has })]));
    expect(ops.texts.get('call', 1)).toBe('Hi');
  });
});
