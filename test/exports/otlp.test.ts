import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Exported } from '../../src/exports/exported.ts';
import { traces } from '../../src/exports/otlp.ts';
import { decodeTraces } from '../../src/otlp/decode.ts';
import { encodeTraces, type OtlpSpan, type TracesData } from '../../src/otlp/encode.ts';
import { otel } from '../../src/sources/otel/reader.ts';
import { amountsOf } from '../../src/trace/amounts.ts';
import { Flag } from '../../src/trace/flags.ts';
import { Kind } from '../../src/trace/kinds.ts';
import { MEASURES } from '../../src/trace/measures.ts';
import type { Operations } from '../../src/trace/operations.ts';
import { Trace } from '../../src/trace/trace.ts';
import { encodeTraces as encodeByHand } from '../sources/otel/encode.ts';
import { drawn, readAll, tokensByModel } from '../sources/reading.ts';
import { operationsOf } from '../support/operations.ts';

function exportedOf(ops: Operations, wanted: (row: number) => boolean = () => true): Exported {
  const trace = new Trace(ops);
  const rows = Uint32Array.from({ length: ops.length }, (_, row) => row).filter(
    row => !ops.has(row, Flag.copy) && wanted(row),
  );
  return { trace, rows, shown: (_, value) => value, keyed: identity => `k ${identity}` };
}

const spansOf = (batches: readonly TracesData[]): OtlpSpan[] =>
  batches.flatMap(({ resourceSpans }) => resourceSpans.flatMap(each => each.scopeSpans.flatMap(scope => scope.spans)));

/** Spans as an indented outline. */
function outline(ops: Operations, wanted?: (row: number) => boolean): string[] {
  const spans = spansOf([...traces(exportedOf(ops, wanted))]);
  const lines: string[] = [];
  const below = (parent: string | undefined, depth: number) => {
    for (const span of spans.filter(each => each.parentSpanId === parent)) {
      const events = (span.events ?? []).map(event => ` !${event.name}`).join('');
      lines.push(`${'  '.repeat(depth)}${span.name}${span.status ? ' failed' : ''}${events}`);
      below(span.spanId, depth + 1);
    }
  };
  below(undefined, 0);
  return lines;
}

const STORY = `
  session s1 project=web
    prompt 0   "fix it" #p1
    call 0-3 opus in=10 cr=20 cw=5 out=7 rea=2 #m1
    tool 3-5 Bash status=error error=exit-1 #t1
    effect read src/a.ts
    event 6 retry
    call 6-7 opus in=1 out=1 #m2
    tool 7-20 Task #t2
  session s2 parent=s1 spawn=t2 sub=Explore
    event 8 task opens
    call 8-9 haiku in=4 out=4 #m3
`;

describe('operations as spans', () => {
  test('a session holds turns, these calls, these tool calls, and these the subagents', () => {
    expect(outline(operationsOf(STORY))).toEqual([
      'invoke_agent claude-code',
      '  turn !retry',
      '    chat opus',
      '      execute_tool Bash failed !file',
      '    chat opus',
      '      execute_tool Task',
      '        invoke_agent Explore',
      '          turn !task',
      '            chat haiku',
    ]);
  });

  test('what was not selected has no span, and what is in it hangs higher', () => {
    const ops = operationsOf(STORY);
    expect(outline(ops, row => ops.kind.get(row) === Kind.tool)).toEqual([
      'invoke_agent claude-code',
      '  turn',
      '    execute_tool Bash failed',
      '    execute_tool Task',
    ]);
  });

  test('words leave only where they were asked for', () => {
    const silent = JSON.stringify([...traces(exportedOf(operationsOf(STORY)))]);
    expect(silent).not.toContain('fix it');
    const asked = { ...exportedOf(operationsOf(STORY)), words: () => 'fix it' };
    expect(JSON.stringify([...traces(asked)])).toContain('fix it');
  });

  test('ids are the same whatever order the rows came in, and tell nothing of what they stand for', () => {
    const once = spansOf([...traces(exportedOf(operationsOf(STORY)))]).map(span => span.spanId);
    expect(new Set(once).size).toBe(once.length);
    expect(spansOf([...traces(exportedOf(operationsOf(STORY)))]).map(span => span.spanId)).toEqual(once);
    const other = { ...exportedOf(operationsOf(STORY)), keyed: (identity: string) => `another key ${identity}` };
    expect(spansOf([...traces(other)]).filter(span => once.includes(span.spanId))).toEqual([]);
  });
});

const count = fc.nat({ max: 5_000_000 }).map(n => n + 1);
const call = fc
  .record({
    model: fc.constantFrom('opus', 'haiku', 'gpt-5'),
    counts: fc.tuple(count, count, count, count, count, count),
    at: fc.nat({ max: 1000 }),
    tools: fc.array(fc.constantFrom('Bash', 'Read', 'Task'), { maxLength: 3 }),
    known: fc.boolean(),
    more: fc.constantFrom('', 'lowerBound', 'inferred', 'usageOnly', 'compaction', 'status=error error=api-error'),
    touched: fc.constantFrom('read src/a.ts', 'write src/b.ts process=sed', 'contact example.org'),
    outcome: fc.constantFrom('', 'status=error error=exit-1', 'status=denied error=denied waits', 'status=unanswered'),
  })
  .map(({ model, counts, at, tools, known, more, touched, outcome }) => {
    // Nobody answers for nothing: all zeros are taken for usage that was not metered.
    const usage = known
      ? ['in', 'cr', 'cw', 'cw1', 'out', 'rea'].map((name, i) => `${name}=${counts[i]}`).join(' ')
      : '';
    return [
      `call ${at}-${at + 2} ${model} ${usage} ${known ? more : 'unknownUsage'}`,
      ...tools.flatMap(tool => [`tool ${at + 2}-${at + 3} ${tool} spawned=x ${outcome}`, `effect ${touched}`]),
    ];
  });
const EVENTS = [['event 6 retry'], ['event 7 notification opens'], ['event 8 api-error status=error error=overloaded']];
const session = fc.tuple(
  fc.array(fc.oneof(call, fc.constant(['prompt 5 "a"']), fc.constantFrom(...EVENTS)), { maxLength: 5 }),
  fc.nat(),
);
/** Sessions, some of them subagents of an earlier one, spawned by a call that may not be there. */
const histories = fc.array(session, { minLength: 1, maxLength: 5 }).map(sessions => {
  let id = 0;
  const lines = sessions.flatMap(([parts, parent], at) => [
    `session s${at}${at > 0 && parent % 2 === 0 ? ` parent=s${parent % at} spawn=k${parent % 7}` : ''}`,
    ...parts.flat().map(line => `  ${line} #k${id++}`),
  ]);
  return lines.join('\n');
});

describe('one codec, read back by our own reader', () => {
  test('tokens of every model and kind, and tool calls, are those that went out', () => {
    fc.assert(
      fc.property(histories, story => {
        const ops = operationsOf(story);
        const exported = exportedOf(ops);
        const read = readAll(otel, { '/h/spans.jsonl': [...traces(exported)] });
        const sums = (of: Operations) => {
          const models = tokensByModel({ ops: of, ledgers: [], links: read.links });
          return new Map(
            [...models].filter(([, tokens]) => tokens.total > 0).map(([name, { calls: _, ...rest }]) => [name, rest]),
          );
        };
        expect(sums(read.ops)).toEqual(sums(ops));
        const tools = (of: Operations, name: string) =>
          Array.from({ length: of.length }, (_, row) => row).filter(
            row => of.kind.get(row) === Kind.tool && !of.has(row, Flag.copy) && of.field.tool.get(row) === name,
          ).length;
        for (const name of ['Bash', 'Read', 'Task']) expect(tools(read.ops, name)).toBe(tools(ops, name));
      }),
      { numRuns: 150 },
    );
  });

  test('every measure, the kinds of cache writes, unknown and doubtful usage, prompts and turns come back', () => {
    fc.assert(
      fc.property(histories, story => {
        const exported = exportedOf(operationsOf(story));
        const read = readAll(otel, { '/h/spans.jsonl': [...traces(exported)] });
        expect(totals(new Trace(read.ops))).toEqual(totals(exported.trace));
        expect(read.ledgers[0]?.unknown.size).toBe(0);
      }),
      { numRuns: 150 },
    );
  });

  test('a prompt that was not selected comes back as none', () => {
    const ops = operationsOf(STORY);
    const exported = exportedOf(ops, row => ops.kind.get(row) === Kind.call);
    const read = readAll(otel, { '/h/spans.jsonl': [...traces(exported)] });
    expect(drawn(read)).toEqual([
      'event trace +opensTurn',
      '  call opus 10+20+5+7+2',
      '  call opus 1+0+0+1+0',
      'event trace +opensTurn',
      '  call haiku 4+0+0+4+0',
    ]);
  });

  test('turns, what opened them and what happened in them are those that went out', () => {
    const read = readAll(otel, { '/h/spans.jsonl': [...traces(exportedOf(operationsOf(STORY)))] });
    expect(drawn(read)).toEqual([
      'prompt ""',
      '  event retry',
      '  call opus 10+20+5+7+2',
      '    tool Bash error exit-1',
      '      effect',
      '  call opus 1+0+0+1+0',
      '    tool Task',
      '      event task +opensTurn',
      '        call haiku 4+0+0+4+0',
    ]);
  });

  test('protobuf says what JSON says, and batches one behind the other are one message', () => {
    fc.assert(
      fc.property(histories, story => {
        const batches = [...traces(exportedOf(operationsOf(story)))];
        const decoded = decodeTraces(Buffer.concat(batches.map(encodeTraces)));
        expect(spansOf([decoded as unknown as TracesData]).map(plain)).toEqual(spansOf(batches).map(plain));
        for (const batch of batches) {
          const byHand = decodeTraces(encodeByHand(batch as never)) as unknown as TracesData;
          expect(spansOf([byHand]).map(plain)).toEqual(spansOf([withoutTimes(batch)]).map(plain));
        }
      }),
      { numRuns: 60 },
    );
  });

  test('every kind of value comes back', () => {
    const values = [
      { stringValue: '' },
      { stringValue: 'ü\u0000"' },
      { intValue: '-9007199254740993' },
      { boolValue: false },
      { doubleValue: 0.1 },
      { arrayValue: { values: [{ intValue: '0' }, { stringValue: 'x' }] } },
    ];
    const span = {
      traceId: 'ab'.repeat(16),
      spanId: 'cd'.repeat(8),
      name: '',
      startTimeUnixNano: '0',
      endTimeUnixNano: '18446744073709551615',
    };
    const data = {
      resourceSpans: [
        { scopeSpans: [{ spans: [{ ...span, attributes: values.map(value => ({ key: 'k', value })) }] }] },
      ],
    };
    const back = decodeTraces(encodeTraces(data)) as unknown as TracesData;
    expect(spansOf([back])[0]?.attributes?.map(({ value }) => value)).toEqual(values);
    expect(spansOf([back])[0]?.endTimeUnixNano).toBe('18446744073709551615');
  });
});

/** All measures but the cost, which follows from the tokens by kind; and what tells how far these can be trusted. */
function totals(trace: Trace): Record<string, number> {
  const { ops } = trace;
  const sums: Record<string, number> = {};
  const add = (name: string, value: number) => {
    sums[name] = (sums[name] ?? 0) + value;
  };
  const amounts = amountsOf(trace);
  for (let row = 0; row < ops.length; row++) {
    if (ops.has(row, Flag.copy)) continue;
    amounts(row, (_, values) => {
      for (const [at, { name }] of MEASURES.entries()) add(name, values[at] as number);
    });
    const kind = ops.kind.get(row);
    if (kind === Kind.prompt) add('prompts', 1);
    add(`status ${ops.field.status.get(row)} ${ops.field.error.get(row)}`, kind === Kind.event ? 0 : 1);
    add(`effect ${ops.field.effect.get(row)} ${ops.field.file.get(row)} ${ops.field.process.get(row)}`, 1);
    if (kind !== Kind.call) continue;
    for (const [name, column] of Object.entries(ops.tokens)) add(name, column.get(row));
    for (const name of ['lowerBound', 'inferred', 'compaction', 'unknownUsage'] as const)
      add(name, ops.has(row, Flag[name]) ? 1 : 0);
  }
  return sums;
}

/** Defaults are not written. */
function plain(span: OtlpSpan): unknown {
  const { kind, status, attributes, events, ...rest } = span;
  return {
    ...rest,
    ...(kind ? { kind } : {}),
    ...(status?.code ? { status } : {}),
    attributes: attributes ?? [],
    events: (events ?? []).map(event => ({ attributes: [], ...event })),
  };
}

/** The encoder written by hand leaves out the times of events. */
function withoutTimes(batch: TracesData): TracesData {
  return JSON.parse(JSON.stringify(batch, (key, value) => (key === 'timeUnixNano' ? undefined : value)));
}
