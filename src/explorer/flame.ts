import { Pairs } from '../profile/pairs.ts';
import type { Frame } from '../profile/profile.ts';

/**
 * A folded tree ready to be drawn. Nodes are numbered depth first, the widest child first, so a subtree is the range
 * `[n, end[n])` and node 0 is the root. Places are in units of the measure, from 0 to `total[0]`.
 *
 * `self` and `total` are doubles for drawing; `exact` gives 64-bit values, which are the same while the whole is
 * below 2^53.
 */
export interface Flame {
  readonly length: number;
  readonly frames: readonly Frame[];
  readonly frame: Uint32Array;
  readonly parent: Uint32Array;
  readonly depth: Uint32Array;
  readonly end: Uint32Array;
  readonly self: Float64Array;
  readonly total: Float64Array;
  readonly start: Float64Array;
  /** Nodes of each depth, from left to right. */
  readonly levels: readonly Uint32Array[];
  exactSelf(node: number): bigint;
  exactTotal(node: number): bigint;
}

/** Rounds all values at once, so that the parts add up to the rounded whole. */
export type Round = (values: BigInt64Array) => BigInt64Array;

const LANE = 2 ** 32;

/** Builds a flame from stacks of frame numbers (of `frames`, in the order of names). */
export class FlameBuilder {
  private readonly frames: readonly Frame[];
  private readonly nodes: Pairs;
  private low: Float64Array;
  /** Multiples of 2^32, where the whole may not fit a double. */
  private high: Float64Array | undefined;
  private readonly path: number[] = [];
  private readonly pathNodes: number[] = [0];

  /** `wide`: values may add up to 2^53 or more. `expected`: about how many nodes there will be. */
  constructor(frames: readonly Frame[], wide = false, expected = 1024) {
    this.frames = frames;
    this.nodes = new Pairs(expected);
    this.low = new Float64Array(expected);
    if (wide) this.high = new Float64Array(expected);
  }

  /** Adds a value at the end of a path. Paths that begin like the one before cost only what differs. */
  add(path: readonly number[], length: number, value: number, valueHigh = 0): void {
    let same = 0;
    const before = this.path;
    while (same < length && same < before.length && before[same] === path[same]) same++;
    before.length = same;
    for (let at = same; at < length; at++) {
      before.push(path[at] as number);
      this.pathNodes[at + 1] = this.nodes.id(this.pathNodes[at] as number, path[at] as number) + 1;
    }
    const node = this.pathNodes[length] as number;
    if (node >= this.low.length) this.grow();
    if (this.high) {
      const carried = Math.floor(value / LANE);
      this.high[node] = (this.high[node] as number) + carried + valueHigh;
      this.low[node] = (this.low[node] as number) + (value - carried * LANE);
    } else this.low[node] = (this.low[node] as number) + value;
  }

  private grow(): void {
    const size = this.nodes.length * 2 + 2;
    const low = new Float64Array(size);
    low.set(this.low);
    this.low = low;
    if (this.high) {
      const high = new Float64Array(size);
      high.set(this.high);
      this.high = high;
    }
  }

  finish(round?: Round): Flame {
    const count = this.nodes.length + 1;
    const lists = new ChildLists(this.nodes, this.frames.length);
    if (round) this.round(lists, round);
    const low = this.low.slice(0, count);
    const high = this.high?.slice(0, count);
    const totals = low.slice();
    const totalsHigh = high?.slice();
    for (let node = count - 1; node > 0; node--) {
      const up = this.nodes.first[node - 1] as number;
      totals[up] = (totals[up] as number) + (totals[node] as number);
      if (totalsHigh) totalsHigh[up] = (totalsHigh[up] as number) + (totalsHigh[node] as number);
    }
    const weight = totalsHigh ? totals.map((value, node) => (totalsHigh[node] as number) * LANE + value) : totals;
    return this.arranged(lists.preorder(weight), low, high, totals, totalsHigh, weight);
  }

  /** Self values are rounded in the order of names, as a profile's samples are. */
  private round(lists: ChildLists, round: Round): void {
    const order = lists.preorder();
    const exact = BigInt64Array.from(
      order,
      node => BigInt(this.low[node] as number) + BigInt(this.high?.[node] ?? 0) * BigInt(LANE),
    );
    const rounded = round(exact);
    order.forEach((node, at) => {
      const value = rounded[at] as bigint;
      const over = this.high ? value / BigInt(LANE) : 0n;
      this.low[node] = Number(value - over * BigInt(LANE));
      if (this.high) this.high[node] = Number(over);
    });
  }

  private arranged(
    order: Uint32Array,
    low: Float64Array,
    high: Float64Array | undefined,
    totals: Float64Array,
    totalsHigh: Float64Array | undefined,
    weight: Float64Array,
  ): Flame {
    const count = order.length;
    const place = new Uint32Array(count);
    for (let at = 0; at < count; at++) place[order[at] as number] = at;
    const frame = new Uint32Array(count);
    const parent = new Uint32Array(count);
    const depth = new Uint32Array(count);
    const end = new Uint32Array(count);
    const start = new Float64Array(count);
    const filled = new Float64Array(count);
    const counts: number[] = [1];
    for (let at = 1; at < count; at++) {
      const node = order[at] as number;
      const up = place[this.nodes.first[node - 1] as number] as number;
      frame[at] = this.nodes.second[node - 1] as number;
      parent[at] = up;
      depth[at] = (depth[up] as number) + 1;
      counts[depth[at] as number] = (counts[depth[at] as number] ?? 0) + 1;
      start[at] = (start[up] as number) + (filled[up] as number);
      filled[up] = (filled[up] as number) + (weight[node] as number);
    }
    for (let at = count - 1; at >= 0; at--) {
      if ((end[at] as number) < at + 1) end[at] = at + 1;
      const up = parent[at] as number;
      if (at > 0 && (end[up] as number) < (end[at] as number)) end[up] = end[at] as number;
    }
    const levels = counts.map(size => new Uint32Array(size));
    const next = new Uint32Array(counts.length);
    for (let at = 0; at < count; at++) {
      const level = depth[at] as number;
      (levels[level] as Uint32Array)[next[level] as number] = at;
      next[level] = (next[level] as number) + 1;
    }
    const pick = (values: Float64Array) => {
      const picked = new Float64Array(count);
      for (let at = 0; at < count; at++) picked[at] = values[order[at] as number] as number;
      return picked;
    };
    const exact = (lows: Float64Array, highs: Float64Array | undefined, at: number) => {
      const node = order[at] as number;
      return BigInt(lows[node] as number) + (highs ? BigInt(highs[node] as number) * BigInt(LANE) : 0n);
    };
    return {
      length: count,
      frames: this.frames,
      frame,
      parent,
      depth,
      end,
      self: pick(high ? low.map((value, node) => (high[node] as number) * LANE + value) : low),
      total: pick(weight),
      start,
      levels,
      exactSelf: at => exact(low, high, at),
      exactTotal: at => exact(totals, totalsHigh, at),
    };
  }
}

/** Children of every node as linked lists in the order of their frames, without comparing anything. */
class ChildLists {
  private readonly first: Int32Array;
  private readonly next: Int32Array;

  constructor(nodes: Pairs, frames: number) {
    const count = nodes.length;
    const starts = new Uint32Array(frames + 1);
    for (let id = 0; id < count; id++)
      starts[(nodes.second[id] as number) + 1] = (starts[(nodes.second[id] as number) + 1] as number) + 1;
    for (let at = 0; at < frames; at++) starts[at + 1] = (starts[at + 1] as number) + (starts[at] as number);
    const sorted = new Uint32Array(count);
    for (let id = 0; id < count; id++) {
      const frame = nodes.second[id] as number;
      sorted[starts[frame] as number] = id;
      starts[frame] = (starts[frame] as number) + 1;
    }
    this.first = new Int32Array(count + 1).fill(-1);
    this.next = new Int32Array(count + 1).fill(-1);
    for (let at = count - 1; at >= 0; at--) {
      const id = sorted[at] as number;
      const up = nodes.first[id] as number;
      this.next[id + 1] = this.first[up] as number;
      this.first[up] = id + 1;
    }
  }

  /** All nodes depth first; children by weight, the heaviest first, where weights are given, else by name. */
  preorder(weight?: Float64Array): Uint32Array {
    const order = new Uint32Array(this.first.length);
    const waiting = new Uint32Array(order.length);
    let length = 1;
    const children: number[] = [];
    for (let at = 0; length > 0; at++) {
      const node = waiting[--length] as number;
      order[at] = node;
      children.length = 0;
      for (let child = this.first[node] as number; child >= 0; child = this.next[child] as number) children.push(child);
      // Sorting is stable, so equal weights stay in the order of names.
      if (weight && children.length > 1) children.sort((a, b) => (weight[b] as number) - (weight[a] as number));
      for (let i = children.length - 1; i >= 0; i--) waiting[length++] = children[i] as number;
    }
    return order;
  }
}

/** Frame numbers from below the root down to a node. */
export function pathTo(flame: Flame, node: number): number[] {
  const path: number[] = [];
  for (let at = node; at !== 0; at = flame.parent[at] as number) path.push(flame.frame[at] as number);
  return path.reverse();
}

/** The node of a path of frames, or the deepest node of it that is there. */
export function nodeAt(flame: Flame, path: readonly Frame[]): number {
  let node = 0;
  for (const { kind, value } of path) {
    const found = childrenOf(flame, node).find(child => {
      const frame = flame.frames[flame.frame[child] as number];
      return frame?.value === value && frame.kind === kind;
    });
    if (found === undefined) return node;
    node = found;
  }
  return node;
}

/** Children of a node from left to right. */
export function childrenOf(flame: Flame, node: number): number[] {
  const children: number[] = [];
  const end = flame.end[node] as number;
  for (let child = node + 1; child < end; child = flame.end[child] as number) children.push(child);
  return children;
}
