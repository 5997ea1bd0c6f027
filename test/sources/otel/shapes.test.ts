import { describe, expect, test } from 'vitest';
import { otel, otelReader } from '../../../src/sources/otel/reader.ts';
import { idOf, microsOfNanos } from '../../../src/sources/otel/values.ts';
import { drawn, everything, readAll } from '../reading.ts';
import { agent, batch, hex, model, tool } from './otlp.ts';

const read = (...batches: object[]) => readAll(otel, { '/h/traces.jsonl': batches });

describe('sessions', () => {
  const sessionsOf = (made: ReturnType<typeof read>) => made.ops.sessions.all.map(session => session.id);
  const T = (name: string) => hex(name, 16);

  test.each<[string, object[], string[]]>([
    [
      'session.id joins traces',
      [1, 2].map(n => model(`s${n}`, 1, 1, { trace: `t${n}`, has: { 'session.id': 'S' } })),
      ['S'],
    ],
    [
      'a conversation named in one span only',
      [agent('a'), model('b', 1, 1, { parent: 'a', has: { 'gen_ai.conversation.id': 'C' } })],
      ['C'],
    ],
    [
      'spans that name several are the trace’s',
      [
        agent('a', { to: 9 }),
        ...[1, 2].map(n => model(`m${n}`, 1, 1, { parent: 'a', at: n, has: { 'gen_ai.conversation.id': `resp${n}` } })),
      ],
      [T('t')],
    ],
    [
      'two roots of one trace with a conversation each',
      [1, 2].map(n =>
        agent(`a${n}`, { at: n, has: { 'gen_ai.conversation.id': `C${n}`, 'gen_ai.request.model': 'm' } }),
      ),
      ['C1', 'C2'],
    ],
    ['else the trace', [model('a', 1, 1, { trace: 'x' }), model('b', 1, 1, { trace: 'y', at: 1 })], [T('x'), T('y')]],
  ])('%s', (_, spans, expected) => {
    expect(sessionsOf(read(batch(spans)))).toEqual(expected);
  });

  test('without a trace, a user’s quiet time ends the session; how long is a setting', () => {
    const spans = [0, 600, 3000].map((at, i) => model(`m${i}`, 1, 1, { trace: '', at, has: { 'user.id': 'u' } }));
    const other = model('o', 1, 1, { trace: '', at: 601, has: { 'user.id': 'v' } });
    const made = read(batch([...spans, other]));
    expect(sessionsOf(made)).toHaveLength(3);
    expect(made.ledgers[0]?.notes).toContain(
      '4 spans or trees have no trace id: their sessions end with a pause of 30 minutes',
    );
    const short = otelReader({ sessionGap: 5 * 60_000_000 });
    expect(sessionsOf(readAll(short, { '/h/t.jsonl': [batch([...spans, other])] }))).toHaveLength(4);
  });
});

describe('ids and times', () => {
  test.each([
    ['5B8EFFF798038103D269B633813FC60C', '5b8efff798038103d269b633813fc60c'],
    ['W47/95gDgQPSabYzgT/GDA==', '5b8efff798038103d269b633813fc60c'],
    ['0x00f067aa0ba902b7', '00f067aa0ba902b7'],
    ['APBnqgupArc=', '00f067aa0ba902b7'],
    ['0000000000000000', ''],
    ['', ''],
    [7, ''],
    ['own-id', 'own-id'],
  ])('%j is the id %j', (given, id) => {
    expect(idOf(given)).toBe(id);
  });

  test.each([
    ['1781293600000000999', 1781293600000000],
    [1781293600000000000, 1781293600000000],
    ['0', 0],
    ['-5', 0],
    ['99999999999999999999', 0],
    [Number.NaN, 0],
    [undefined, 0],
  ])('%j nanoseconds are %j microseconds', (given, micros) => {
    expect(microsOfNanos(given)).toBe(micros);
  });

  test.each<[string, object[], string]>([
    ['no id', [model('', 1, 1)], '1 spans have no id: sent twice, they count twice'],
    ['backwards', [model('a', 1, 1, { at: 5, to: 1 })], '1 spans end before they begin'],
    [
      'clocks that differ',
      [agent('a', { at: 60, to: 70 }), model('b', 1, 1, { parent: 'a', at: 1 })],
      '1 spans begin before the span they are in',
    ],
    [
      'no durations',
      [model('a', 1, 1, { to: 0 }), model('b', 1, 1, { to: 0 })],
      'no span has a duration: there is no time to show',
    ],
    [
      'one session for everything',
      Array.from({ length: 5001 }, (_, i) => model(`m${i}`, 1, 1, { trace: `t${i}`, has: { 'session.id': 's' } })),
      '1 sessions of more than 5000 spans: their id may not be that of a conversation',
    ],
  ])('%s is told in the ledger', (_, spans, note) => {
    expect(read(batch(spans)).ledgers[0]?.notes).toContain(note);
  });
});

describe('other shapes of the same spans', () => {
  const json = batch([model('a', 100, 10, { to: 3 }), tool('x', { parent: 'a', at: 1 })], { 'service.name': 'svc' });
  const renamed = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(renamed)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value).map(([key, held]) => [
              key.replace(/[A-Z]/g, big => `_${big.toLowerCase()}`),
              renamed(held),
            ]),
          )
        : value;

  test('names of the protocol’s definition', () => {
    expect(everything(read(renamed(json) as object))).toEqual(everything(read(json)));
  });

  test('base64 ids are the same spans', () => {
    const text = JSON.stringify(json).replace(/"([0-9a-f]{16}|[0-9a-f]{32})"/g, (_, id) =>
      JSON.stringify(Buffer.from(id, 'hex').toString('base64')),
    );
    expect(everything(read(JSON.parse(text)))).toEqual(everything(read(json)));
  });

  test('what the SDKs print', () => {
    const has = { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 7, 'gen_ai.usage.output_tokens': 1 };
    const python = {
      name: 'chat',
      context: { trace_id: `0x${hex('t', 16)}`, span_id: `0x${hex('a', 8)}` },
      parent_id: null,
      start_time: '2026-05-05T10:00:00.000001Z',
      end_time: '2026-05-05T10:00:02.000001Z',
      status: { status_code: 'ERROR' },
      attributes: has,
    };
    const js = { traceId: hex('u', 16), id: hex('b', 8), timestamp: 1777975201000000, duration: 5e5, attributes: has };
    expect(drawn(read(python, js), { times: true })).toEqual([
      'event trace +opensTurn 0..0',
      '  call - 7+0+0+1+0 error api-error 0..2',
      'event trace +opensTurn 1..1',
      '  call - 7+0+0+1+0 1..1.5',
    ]);
    expect(otel.sniff({ path: '/h/x.json', records: [python] })).toBe(true);
  });
});
