import { type Cells, NumberColumn } from './columns.ts';
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
  const time = new Float64Array(ops.length);
  const idle = new Float64Array(ops.sessions.all.length);
  const { rows, ends } = activeByRoot(ops, links, time);
  const sweep = new Sweep(ops, links, time);
  for (let root = 0, first = 0; root < ends.length; root++) {
    const end = ends[root] as number;
    if (end > first) idle[root] = sweep.over(rows.subarray(first, end));
    first = end;
  }
  const column = new NumberColumn();
  column.replace(time);
  return { time: column, idle };
}

/** Rows that were active, by their root session and in their order, and where those of each end; given times are noted. */
function activeByRoot(ops: Operations, links: Links, time: Float64Array): { rows: Uint32Array; ends: Uint32Array } {
  const given = ops.given.get('time')?.cells;
  if (given === undefined && ops.start.isEmpty)
    return { rows: new Uint32Array(0), ends: new Uint32Array(ops.sessions.all.length) };
  const [kind, flags, start, end] = [ops.kind.cells, ops.flags.cells, ops.start.cells, ops.end.cells];
  const active = new Uint32Array(ops.length);
  let count = 0;
  for (let row = 0; row < ops.length; row++) {
    const known = given === undefined ? 0 : (given[row] ?? 0);
    const its = kind[row] ?? 0;
    if (known > 0) time[row] = known;
    else if (its === Kind.call || its === Kind.tool) {
      const begun = start[row] ?? 0;
      if (begun === 0 || (end[row] ?? 0) <= begun) continue;
      if (((flags[row] ?? 0) & (Flag.copy | Flag.waits | Flag.replayed)) === 0) active[count++] = row;
    }
  }
  const groups = new Uint32Array(count);
  const { cells: session } = ops.session;
  for (let i = 0; i < count; i++) groups[i] = links.root[session[active[i] as number] ?? 0] as number;
  return grouped(active.subarray(0, count), groups, ops.sessions.all.length);
}

/** Puts rows behind each other by their group, those of one group in their order. */
function grouped(rows: Uint32Array, groups: Uint32Array, count: number): { rows: Uint32Array; ends: Uint32Array } {
  const ends = new Uint32Array(count);
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i] as number;
    ends[group] = (ends[group] as number) + 1;
  }
  for (let group = 1; group < count; group++) ends[group] = (ends[group] as number) + (ends[group - 1] as number);
  const sorted = new Uint32Array(rows.length);
  const free = ends.slice();
  for (let i = rows.length - 1; i >= 0; i--) {
    const group = groups[i] as number;
    const at = (free[group] as number) - 1;
    free[group] = at;
    sorted[at] = rows[i] as number;
  }
  return { rows: sorted, ends };
}

/** End of a row's activity in microseconds, cut to the longest credible one. */
export function activeEnd(ops: Operations, row: number): number {
  const longest = ops.kind.get(row) === Kind.call ? LONGEST_CALL : LONGEST_TOOL;
  return Math.min(ops.end.get(row), ops.start.get(row) + longest);
}

/** Charges the time of session groups, one after the other. */
class Sweep {
  private readonly links: Links;
  private readonly time: Float64Array;
  private readonly kind: Cells;
  private readonly start: Cells;
  private readonly end: Cells;
  private readonly parent: Cells;
  private readonly session: Cells;
  /** By row, for those of the group at hand: its place in the group plus one. */
  private readonly places: Uint32Array;
  /** How many running operations lie below each row's subagents: a row with any is waiting, not working. */
  private below = new Uint32Array(0);

  constructor(ops: Operations, links: Links, time: Float64Array) {
    this.links = links;
    this.time = time;
    this.kind = ops.kind.cells;
    this.start = ops.start.cells;
    this.end = ops.end.cells;
    this.parent = ops.parent.cells;
    this.session = ops.session.cells;
    this.places = new Uint32Array(ops.length);
  }

  /** Charges the intervals of one session group; gives its idle time in nanoseconds. */
  over(rows: Uint32Array): number {
    const { kind, start, end, places } = this;
    const count = rows.length;
    const starts = new Float64Array(count);
    const ends = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      const row = rows[i] as number;
      const begun = start[row] ?? 0;
      starts[i] = begun;
      ends[i] = Math.min(end[row] ?? 0, begun + (kind[row] === Kind.call ? LONGEST_CALL : LONGEST_TOOL));
      places[row] = i + 1;
    }
    this.below = new Uint32Array(count);
    const idle = this.sweep(rows, starts, ends);
    for (let i = 0; i < count; i++) places[rows[i] as number] = 0;
    return idle;
  }

  private sweep(rows: Uint32Array, starts: Float64Array, ends: Float64Array): number {
    const count = rows.length;
    const byStart = risingOrder(starts);
    const byEnd = risingOrder(ends);
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
        else turn = this.charge(rows, running, (next - now) * 1000, turn);
        now = next;
      }
      if (nextEnd <= nextStart) {
        const i = byEnd[e++] as number;
        running.splice(running.indexOf(i), 1);
        this.countBelow(rows[i] as number, -1);
      } else {
        const i = byStart[s++] as number;
        running.push(i);
        this.countBelow(rows[i] as number, 1);
      }
    }
    return idle;
  }

  /** Splits a slice evenly; the nanoseconds that do not divide go round among the operations so that none is lost. */
  private charge(rows: Uint32Array, running: readonly number[], slice: number, turn: number): number {
    const { below, time } = this;
    let working = 0;
    for (const i of running) if (below[i] === 0) working++;
    const share = Math.floor(slice / working);
    const rest = slice - share * working;
    let seen = 0;
    for (const i of running) {
      if (below[i] !== 0) continue;
      const extra = (seen + turn) % working < rest ? 1 : 0;
      const row = rows[i] as number;
      time[row] = (time[row] as number) + share + extra;
      seen++;
    }
    return working > 1 ? (turn + rest) % 0x10000 : turn;
  }

  private countBelow(row: number, step: number): void {
    const { kind, parent, links } = this;
    // Nested spans: an outer tool call waits while an inner one runs. The call that asked for a tool is not its container.
    for (
      let inner = row, outer = parent[row] ?? 0;
      outer !== 0 && outer - 1 < inner;
      inner = outer - 1, outer = parent[inner] ?? 0
    ) {
      if (kind[inner] !== Kind.tool || kind[outer - 1] !== Kind.call) this.step(outer - 1, step);
    }
    let session = this.session[row] ?? 0;
    for (let hops = links.depth[session] as number; hops > 0; hops--) {
      const spawn = links.spawn[session] as number;
      if (spawn === NO_ROW) return;
      this.step(spawn, step);
      session = this.session[spawn] ?? 0;
    }
  }

  private step(row: number, step: number): void {
    const { places, below } = this;
    const place = places[row] as number;
    if (place !== 0) below[place - 1] = (below[place - 1] as number) + step;
  }
}

/** Shifts that putting nearly sorted numbers in order may take for each of them. */
const MOST_SHIFTS = 8;

/** Indexes of numbers in rising order, of equal ones the first first. Agents write operations nearly in this order. */
function risingOrder(values: Float64Array): Uint32Array {
  const order = new Uint32Array(values.length);
  let left = values.length * MOST_SHIFTS;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    let at = i;
    for (; at > 0 && left > 0 && (values[order[at - 1] as number] as number) > value; at--, left--)
      order[at] = order[at - 1] as number;
    order[at] = i;
  }
  return left > 0 ? order : order.sort((a, b) => (values[a] as number) - (values[b] as number) || a - b);
}
