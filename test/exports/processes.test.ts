import { describe, expect, test } from 'vitest';
import { processTraces } from '../../src/exports/processes.ts';
import { decodeTraces } from '../../src/otlp/decode.ts';
import { encodeTraces, type OtlpSpan, type TracesData } from '../../src/otlp/encode.ts';
import { otel } from '../../src/sources/otel/reader.ts';
import { BEGAN_MS, recordedOf } from '../recorder/story.ts';
import { readAll } from '../sources/reading.ts';

const recorded = (story: string, words?: (words: readonly string[]) => string[]) => ({
  ...recordedOf(story),
  shown: (name: string) => name,
  keyed: (identity: string) => `k ${identity}`,
  words,
});
const spansOf = (batches: readonly TracesData[]): OtlpSpan[] =>
  batches.flatMap(({ resourceSpans }) => resourceSpans.flatMap(each => each.scopeSpans.flatMap(scope => scope.spans)));
const attributes = (span: OtlpSpan | undefined): Record<string, unknown> =>
  Object.fromEntries((span?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]));

/** Spans as an indented outline, with milliseconds after the start. */
function outline(spans: readonly OtlpSpan[]): string[] {
  const lines: string[] = [];
  const known = new Set(spans.map(span => span.spanId));
  const ms = (nanos: string) => Number(BigInt(nanos) / 1_000_000n) - BEGAN_MS;
  const below = (parent: string | undefined, depth: number) => {
    for (const span of spans) {
      const above = known.has(span.parentSpanId ?? '') ? span.parentSpanId : undefined;
      if (above !== parent) continue;
      const [from, to] = [ms(span.startTimeUnixNano), ms(span.endTimeUnixNano)];
      lines.push(`${'  '.repeat(depth)}${span.name} ${from}-${to}${span.status ? ' failed' : ''}`);
      below(span.spanId, depth + 1);
    }
  };
  below(undefined, 0);
  return lines;
}

const STORY = `
  0  1 exec claude
  10 1 fork 2
  11 2 exec bash -c make;rm
  12 2 fork 3
  13 3 exec make all
  14 3 read /w/Makefile
  15 3 write /w/out
  16 3 write /w/out
  17 3 connect 10.0.0.1:443
  18 3 refused 127.0.0.1:1
  20 3 exit 2 cpu=6
  21 2 exec rm out
  22 2 delete /w/out
  23 2 fork 4
  30 2 exit 0 cpu=1
  40 4 killed 9 cpu=2
  50 1 read /w/late
  end
`;

describe('a recording as spans', () => {
  const spans = spansOf([...processTraces(recorded(STORY))]);
  const named = (name: string) => spans.find(span => span.name === name);

  test('has one span for each program and fork, below the program that started it', () => {
    expect(outline(spans)).toEqual([
      'recording 0-50',
      '  claude 0-50',
      '    bash 10-21',
      '      make 12-20 failed',
      '    rm 21-30',
      '      fork 23-40 failed',
    ]);
    expect(new Set(spans.map(span => span.traceId)).size).toBe(1);
  });

  test('says how a process ended and what it computed, once for the process', () => {
    expect(attributes(named('make'))).toMatchObject({
      'process.pid': '3',
      'process.exit.code': '2',
      'error.type': 'exit-2',
      'agentpprof.cpu_ns': '6000000',
    });
    expect(attributes(named('bash'))).not.toHaveProperty('process.exit.code');
    expect(attributes(named('rm'))).toMatchObject({ 'process.exit.code': '0', 'agentpprof.cpu_ns': '1000000' });
    expect(attributes(named('fork'))).toMatchObject({ 'agentpprof.signal': '9', 'error.type': 'signal-9' });
    expect(attributes(named('claude'))).toMatchObject({ 'agentpprof.running': true });
    const cpu = spans.reduce((sum, span) => sum + Number(attributes(span)['agentpprof.cpu_ns'] ?? 0), 0);
    expect(cpu).toBe(9e6);
  });

  test('counts files and addresses of the program that touched them', () => {
    expect(attributes(named('make'))).toMatchObject({
      'agentpprof.files.read': '1',
      'agentpprof.files.changed': '1',
      'agentpprof.hosts': '2',
      'agentpprof.connections.failed': '1',
    });
    expect(attributes(named('rm'))).toMatchObject({ 'agentpprof.files.changed': '1' });
    expect(attributes(named('bash'))).not.toHaveProperty('agentpprof.files.changed');
  });

  test('tells no argument and no folder unless words are asked for', () => {
    expect(JSON.stringify(spans)).not.toMatch(/make;rm|\/w|Makefile/);
    const told = spansOf([...processTraces(recorded(STORY, words => words.map(word => word.toUpperCase())))]);
    expect(JSON.stringify(told)).toContain('MAKE;RM');
  });

  test('is the same in protobuf', () => {
    const batches = [...processTraces(recorded(STORY))];
    const back = decodeTraces(Buffer.concat(batches.map(encodeTraces))) as unknown as TracesData;
    expect(outline(spansOf([back]))).toEqual(outline(spans));
    expect(spansOf([back]).map(attributes)).toEqual(spans.map(attributes));
  });

  test('is no agent to our own reader, and costs nothing', () => {
    const { ops, ledgers } = readAll(otel, { '/h/spans.jsonl': [...processTraces(recorded(STORY))] });
    expect([ops.length, [...(ledgers[0]?.unknown ?? [])]]).toEqual([0, [['span of no agent', spans.length]]]);
  });
});

describe('processes of tool calls', () => {
  const place = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) };
  const spans = spansOf([...processTraces(recorded(STORY), new Map([['2:2', place]]))]);

  test('hang below the span of the call, with all that they started, and nowhere else', () => {
    const hung = spans.filter(span => span.traceId === place.traceId);
    expect(outline(hung)).toEqual(['bash 10-21', '  make 12-20 failed', 'rm 21-30', '  fork 23-40 failed']);
    expect(hung.filter(span => span.parentSpanId === place.spanId).map(span => span.name)).toEqual(['bash', 'rm']);
    expect(outline(spans.filter(span => span.traceId !== place.traceId))).toEqual(['recording 0-50', '  claude 0-50']);
    expect(new Set(spans.map(span => span.spanId)).size).toBe(spans.length);
  });
});

test('a chain of 10,000 forks goes out in batches of at most 1,000 spans, parents first', () => {
  const story = Array.from({ length: 10_000 }, (_, at) => `${at} ${at + 1} fork ${at + 2}`).join('\n');
  const batches = [...processTraces(recorded(story))];
  const sizes = batches.map(batch => spansOf([batch]).length);
  expect([sizes.reduce((a, b) => a + b), Math.max(...sizes)]).toEqual([10_002, 1000]);
  const seen = new Set<string>(['']);
  for (const span of spansOf(batches)) {
    expect(seen.has(span.parentSpanId ?? '')).toBe(true);
    seen.add(span.spanId);
  }
});

test('a recording without any event is one span', () => {
  expect(spansOf([...processTraces(recorded(''))]).map(span => span.name)).toEqual(['recording']);
});
