import type { KeptTimelines } from '../formats/timelines-code.ts';
import type { Shown } from '../profile/fold.ts';
import { rowsByRoot, type Timeline, timelineOf } from '../profile/timelines.ts';
import { amountsOf } from '../trace/amounts.ts';
import { MEASURES } from '../trace/measures.ts';
import type { Trace } from '../trace/trace.ts';

/** Turns, calls, tool calls and subagents of all sessions kept together: about ten bytes each in the file. */
const MOST_SPANS = 20_000;

/**
 * The sessions that a page carries over time: those that weigh most in the measure first, as many as fit. One that does
 * not fit leaves its place to smaller ones after it.
 */
export function keptTimelines(trace: Trace, rows: Uint32Array, shown: Shown, measure: string): KeptTimelines {
  const groups = rowsByRoot(trace, rows);
  const of = timelineOf(trace, shown);
  const weights = weightsOf(trace, groups, measure);
  const roots = [...groups.keys()].sort((a, b) => (weights.get(b) as number) - (weights.get(a) as number) || a - b);
  const kept: Timeline[] = [];
  let left = 0;
  let room = MOST_SPANS;
  for (const root of roots) {
    const group = groups.get(root) as number[];
    // A row gives at most one span and opens at most one turn.
    const timeline = room > 0 ? of(root, group) : undefined;
    const length = timeline?.spans.length ?? 0;
    if (!timeline || length > room) left++;
    else if (length > 0) {
      kept.push(timeline);
      room -= length;
    }
  }
  return { kept, left };
}

function weightsOf(trace: Trace, groups: ReadonlyMap<number, readonly number[]>, measure: string): Map<number, number> {
  const at = MEASURES.findIndex(each => each.name === measure);
  const amounts = amountsOf(trace);
  return new Map(
    [...groups].map(([root, rows]) => {
      let sum = 0;
      for (const row of rows) amounts(row, (_, values) => (sum += values[at] as number));
      return [root, sum];
    }),
  );
}
