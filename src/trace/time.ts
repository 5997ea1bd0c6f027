import { NumberColumn } from './columns.ts';
import { Flag } from './flags.ts';
import { Kind, NO_ROW } from './kinds.ts';
import type { Links } from './link.ts';
import type { Operations } from './operations.ts';

/**
 * Active wall time. Each instant of a session (with its subagents) is charged once: to the operations that ran
 * then, split evenly; a tool call that only waits for its subagent is not charged while the subagent works. So
 * the sum over a session is the union of its activity. Time in which nothing runs is idle and kept apart.
 *
 * Units: `time` in nanoseconds a row, idle in nanoseconds a root session.
 */
export interface Times {
  readonly time: NumberColumn;
  readonly idle: Float64Array;
}

/**
 * Longest credible silence inside one operation, in microseconds. A call or tool call that seems to last longer was
 * cut off by a closed laptop or a killed client; what lies beyond is not activity. Clients stop commands after ten
 * minutes by default and stream answers in pieces, so these are generous.
 */
export const LONGEST_CALL = 15 * 60 * 1e6;
export const LONGEST_TOOL = 60 * 60 * 1e6;

export function measureTime(ops: Operations, links: Links): Times {
  const time = new NumberColumn();
  const idle = new Float64Array(ops.sessions.all.length);
  const groups = new Map<number, number[]>();
  const given = ops.given.get('time');
  for (let row = 0; row < ops.length; row++) {
    const known = given?.get(row) ?? 0;
    if (known > 0) {
      time.set(row, known);
      continue;
    }
    const kind = ops.kind.get(row);
    if ((kind !== Kind.call && kind !== Kind.tool) || ops.has(row, Flag.copy | Flag.waits | Flag.replayed)) continue;
    if (ops.start.get(row) === 0 || ops.end.get(row) <= ops.start.get(row)) continue;
    const root = links.root[ops.session.get(row)] as number;
    const rows = groups.get(root);
    if (rows) rows.push(row);
    else groups.set(root, [row]);
  }
  for (const [root, rows] of groups) idle[root] = sweep(ops, links, rows, time);
  return { time, idle };
}

/** End of a row's activity in microseconds, cut to the longest credible one. */
export function activeEnd(ops: Operations, row: number): number {
  const longest = ops.kind.get(row) === Kind.call ? LONGEST_CALL : LONGEST_TOOL;
  return Math.min(ops.end.get(row), ops.start.get(row) + longest);
}

/** Charges the intervals of one session group; gives its idle time in nanoseconds. */
function sweep(ops: Operations, links: Links, rows: number[], time: NumberColumn): number {
  const starts = Float64Array.from(rows, row => ops.start.get(row));
  const ends = Float64Array.from(rows, row => activeEnd(ops, row));
  const count = rows.length;
  const byStart = Uint32Array.from(rows, (_, i) => i).sort(
    (a, b) => (starts[a] as number) - (starts[b] as number) || a - b,
  );
  const byEnd = Uint32Array.from(rows, (_, i) => i).sort((a, b) => (ends[a] as number) - (ends[b] as number) || a - b);
  const position = new Map<number, number>();
  for (let i = 0; i < count; i++) position.set(rows[i] as number, i);
  /** How many running operations lie below each row's subagents: a row with any is waiting, not working. */
  const below = new Uint32Array(count);
  const running: number[] = [];
  let idle = 0;
  let now = starts[byStart[0] as number] as number;
  let turn = 0;
  for (let s = 0, e = 0; e < count; ) {
    const nextStart = s < count ? (starts[byStart[s] as number] as number) : Number.POSITIVE_INFINITY;
    const nextEnd = ends[byEnd[e] as number] as number;
    const next = Math.min(nextStart, nextEnd);
    if (next > now) {
      if (running.length === 0) idle += (next - now) * 1000;
      else turn = charge(rows, running, below, (next - now) * 1000, time, turn);
      now = next;
    }
    if (nextEnd <= nextStart) {
      const i = byEnd[e++] as number;
      running.splice(running.indexOf(i), 1);
      countBelow(ops, links, rows[i] as number, position, below, -1);
    } else {
      const i = byStart[s++] as number;
      running.push(i);
      countBelow(ops, links, rows[i] as number, position, below, 1);
    }
  }
  return idle;
}

/** Splits a slice evenly; the nanoseconds that do not divide go round among the operations so that none is lost. */
function charge(
  rows: number[],
  running: number[],
  below: Uint32Array,
  slice: number,
  time: NumberColumn,
  turn: number,
): number {
  let working = 0;
  for (const i of running) if (below[i] === 0) working++;
  const share = Math.floor(slice / working);
  const rest = slice - share * working;
  let seen = 0;
  for (const i of running) {
    if (below[i] !== 0) continue;
    const extra = (seen + turn) % working < rest ? 1 : 0;
    time.add(rows[i] as number, share + extra);
    seen++;
  }
  return working > 1 ? (turn + rest) % 0x10000 : turn;
}

function countBelow(
  ops: Operations,
  links: Links,
  row: number,
  position: Map<number, number>,
  below: Uint32Array,
  step: number,
): void {
  // Nested spans: an outer tool call waits while an inner one runs. The call that asked for a tool is not its container.
  for (
    let inner = row, outer = ops.parentOf(row);
    outer !== NO_ROW && outer < inner;
    inner = outer, outer = ops.parentOf(outer)
  ) {
    if (ops.kind.get(inner) === Kind.tool && ops.kind.get(outer) === Kind.call) continue;
    const at = position.get(outer);
    if (at !== undefined) below[at] = (below[at] as number) + step;
  }
  let session = ops.session.get(row);
  for (let hops = links.depth[session] as number; hops > 0; hops--) {
    const spawn = links.spawn[session] as number;
    if (spawn === NO_ROW) return;
    const at = position.get(spawn);
    if (at !== undefined) below[at] = (below[at] as number) + step;
    session = ops.session.get(spawn);
  }
}
