import type { Span } from '../profile/timelines.ts';

/** A time axis on which long pauses are short: places from 0 to 1, times in microseconds. */
export interface TimeScale {
  place(time: number): number;
  /** Pauses that were shortened: where, and how long they really were. */
  readonly pauses: readonly { readonly from: number; readonly to: number; readonly length: number }[];
  /** Places where something begins after a pause, and when that was. */
  readonly marks: readonly { readonly at: number; readonly time: number }[];
}

/** A pause is drawn no longer than this part of all activity, so that weeks between two turns hide neither. */
const PAUSE = 0.015;
const SHORTEST_PAUSE = 1e6;

/** Calls and tool calls between two times are what is active; everything between them is a pause. */
export function scaleOf(spans: readonly Span[], from: number, to: number): TimeScale {
  const busy = unionOf(spans, from, to);
  const active = busy.reduce((sum, [start, end]) => sum + end - start, 0);
  const longest = Math.max(active * PAUSE, SHORTEST_PAUSE);
  /** Time and its length on the axis up to there, at each turn from activity to pause and back. */
  const times: number[] = [from];
  const lengths: number[] = [0];
  const short: { index: number; length: number }[] = [];
  const go = (time: number, pause: boolean) => {
    const gone = time - (times.at(-1) as number);
    if (gone <= 0) return;
    if (pause && gone > longest) short.push({ index: times.length - 1, length: gone });
    times.push(time);
    lengths.push((lengths.at(-1) as number) + (pause ? Math.min(gone, longest) : gone));
  };
  for (const [start, end] of busy) {
    go(start, true);
    go(end, false);
  }
  go(to, true);
  const whole = (lengths.at(-1) as number) || 1;
  const at = (index: number) => (lengths[index] as number) / whole;
  return {
    place: time => {
      let low = 0;
      let high = times.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((times[middle] as number) <= time) low = middle;
        else high = middle - 1;
      }
      const next = times[low + 1];
      if (next === undefined) return at(low);
      const part = Math.max(time - (times[low] as number), 0) / (next - (times[low] as number));
      return at(low) + part * (at(low + 1) - at(low));
    },
    pauses: short.map(({ index, length }) => ({ from: at(index), to: at(index + 1), length })),
    marks: [
      { at: 0, time: short[0]?.index === 0 ? (times[1] as number) : from },
      ...short
        .filter(({ index }) => index > 0 && index + 1 < times.length - 1)
        .map(({ index }) => ({ at: at(index + 1), time: times[index + 1] as number })),
    ],
  };
}

/** What ran, as intervals that are apart, in order. */
function unionOf(spans: readonly Span[], from: number, to: number): [start: number, end: number][] {
  const intervals = spans
    .filter(span => isWork(span) && span.end > from && span.start < to)
    .map((span): [number, number] => [Math.max(span.start, from), Math.min(span.end, to)])
    .sort((a, b) => a[0] - b[0]);
  const union: [number, number][] = [];
  for (const interval of intervals) {
    const last = union.at(-1);
    if (last && interval[0] <= last[1]) last[1] = Math.max(last[1], interval[1]);
    else union.push(interval);
  }
  return union;
}

export function isWork(span: Span): boolean {
  return span.kind === 'call' || span.kind === 'tool';
}

export interface TimelineFacts {
  readonly turns: number;
  readonly calls: number;
  readonly tools: number;
  readonly subagents: number;
  /** Microseconds in which anything ran, and from the first to the last moment. */
  readonly active: number;
  readonly wall: number;
  /** Calls and tool calls at the same time, not counting those that wait for a subagent. */
  readonly most: number;
  readonly from: number;
  readonly to: number;
}

export function factsOf(spans: readonly Span[]): TimelineFacts {
  const count = (kind: Span['kind']) => spans.filter(span => span.kind === kind).length;
  const from = spans.reduce((least, span) => Math.min(least, span.start), Number.POSITIVE_INFINITY);
  const to = spans.reduce((most, span) => Math.max(most, span.end), 0);
  const waits = new Set(spans.filter(span => span.kind === 'subagent').map(span => span.parent));
  const edges = spans
    .flatMap((span, at): [number, number][] =>
      isWork(span) && !waits.has(at) && span.end > span.start
        ? [
            [span.start, 1],
            [span.end, -1],
          ]
        : [],
    )
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  let running = 0;
  let most = 0;
  for (const [, step] of edges) most = Math.max(most, (running += step));
  return {
    turns: count('turn'),
    calls: count('call'),
    tools: count('tool'),
    subagents: count('subagent'),
    active: unionOf(spans, 0, Number.POSITIVE_INFINITY).reduce((sum, [start, end]) => sum + end - start, 0),
    wall: spans.length === 0 ? 0 : to - from,
    most,
    from: spans.length === 0 ? 0 : from,
    to,
  };
}
