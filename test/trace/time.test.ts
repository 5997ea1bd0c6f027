import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Kind } from '../../src/trace/kinds.ts';
import { activeEnd, LONGEST_CALL } from '../../src/trace/time.ts';
import { Trace } from '../../src/trace/trace.ts';
import { operationsOf } from '../support/operations.ts';

/** Seconds of active time of each call and tool, by its `#id`-less position: "call 0-3" gives 3. */
function seconds(text: string): number[] {
  const trace = new Trace(operationsOf(text));
  const result: number[] = [];
  for (let row = 0; row < trace.ops.length; row++) {
    const kind = trace.ops.kind.get(row);
    if (kind === Kind.call || kind === Kind.tool) result.push(trace.times.time.get(row) / 1e9);
  }
  return result;
}

describe('active time', () => {
  test.each([
    ['one after the other', 'call 0-3 m\n tool 3-5 Bash', [3, 2]],
    ['two tools at once share their overlap', 'call 0-1 m\n tool 1-5 A\n tool 1-3 B', [1, 3, 1]],
    ['three at once', 'tool 0-3 A\n tool 0-3 B\n tool 0-3 C', [1, 1, 1]],
    ['a question to the person is not activity', 'call 0-1 m\n tool 1-500 AskUserQuestion waits', [1, 0]],
    ['no time known', 'call 0 m', [0]],
  ])('%s', (_, lines, expected) => {
    expect(seconds(`session s\n prompt 0 "p"\n ${lines}`)).toEqual(expected);
  });

  test('belongs to the subagent while the parent only waits for it', () => {
    const text = `
      session main
        call 0-1 opus #m
        tool 1-10 Task #t
      session sub parent=main spawn=t
        call 2-5 haiku
        tool 5-9 Bash
    `;
    expect(seconds(text)).toEqual([1, 2, 3, 4]);
  });

  test('a background subagent shares with what the main session does meanwhile', () => {
    const text = `
      session main
        call 0-1 opus #m
        tool 1-1.5 Agent background #t
        call 2-4 opus #n
      session sub parent=main spawn=t
        call 2-6 haiku
    `;
    expect(seconds(text)).toEqual([1, 0.5, 1, 3]);
  });

  test('a session left open for weeks is idle, not work', () => {
    const day = 86400;
    const trace = new Trace(
      operationsOf(`session s
        prompt 0 "a"
        call 0-300 m
        prompt ${19 * day} "b"
        call ${19 * day}-${19 * day + 120} m`),
    );
    expect(trace.times.time.get(1) + trace.times.time.get(3)).toBe(420e9);
    expect(trace.times.idle[0]).toBe((19 * day - 300) * 1e9);
  });

  test('a call that seems to last for days is cut to the longest credible one', () => {
    expect(seconds('session s\n call 0-900000 m')).toEqual([LONGEST_CALL / 1e6]);
  });

  test('sums to the union of the intervals, to the nanosecond', () => {
    const interval = fc.tuple(fc.integer({ min: 0, max: 5_000_000 }), fc.integer({ min: 0, max: 3_000_000 }));
    fc.assert(
      fc.property(fc.array(interval, { maxLength: 30 }), intervals => {
        const lines = intervals.map(([from, length]) => `tool ${(from + 1e6) / 1e6}-${(from + 1e6 + length) / 1e6} T`);
        const trace = new Trace(operationsOf(`session s\n${lines.join('\n')}`));
        let sum = 0;
        const spans: [number, number][] = [];
        for (let row = 0; row < trace.ops.length; row++) {
          sum += trace.times.time.get(row);
          spans.push([trace.ops.start.get(row), activeEnd(trace.ops, row)]);
        }
        let union = 0;
        let until = 0;
        for (const [start, end] of spans.sort((a, b) => a[0] - b[0])) {
          union += Math.max(0, end - Math.max(start, until));
          until = Math.max(until, end);
        }
        expect(sum).toBe(union * 1000);
      }),
    );
  });
});
