import { chance } from './chance.ts';
import type { Aligned } from './diff-align.ts';
import type { Units } from './diff-units.ts';

/**
 * How far a change would have moved with other sessions of the same kind: a percentile bootstrap. The sessions of
 * each side are drawn again with replacement, as many as there were, and the change is taken of each draw; the middle
 * 95 % of the results are the interval. In a paired comparison tasks are drawn, each with both of its sides.
 *
 * Every frame is looked at by itself: of a hundred frames that did not change, some five lie outside by chance.
 */
export interface Intervals {
  /** Percent. */
  readonly level: number;
  readonly resamples: number;
  readonly seed: number;
  /** What was drawn. */
  readonly over: 'sessions' | 'tasks';
  /** By node: whether there is an interval, and its ends in the unit of the measure. */
  readonly nodes: Ends;
  /** By frame, wherever in the tree it stands. */
  readonly frames: Ends;
}

export interface Ends {
  readonly has: Uint8Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
}

export const LEVEL = 95;
const RESAMPLES = 1000;
const SEED = 20_260_101;

export interface BootstrapAsked {
  /** Index of the measure. */
  readonly measure: number;
  readonly over: 'sessions' | 'tasks';
  /** Express B in the mass of A, draw by draw. */
  readonly normalize: boolean;
  /** By node, and by frame: whether it is large enough to be looked at. */
  readonly wanted: { readonly nodes: Uint8Array; readonly frames: Uint8Array };
}

export function bootstrap(aligned: Aligned, a: Units, b: Units, asked: BootstrapAsked): Intervals {
  const count = aligned.nodes.parent.length;
  const first = entriesOf(aligned, a, asked);
  const second = entriesOf(aligned, b, asked);
  const random = chance(SEED);
  const drawnA = draws(a.names.length, random);
  const drawnB = asked.over === 'tasks' ? drawnA : draws(b.names.length, random);
  const massA = drawn(first, 0, drawnA);
  const massB = drawn(second, 0, drawnB);
  const mass = first.sum(0);

  const ends = (offset: number, wanted: Uint8Array): Ends => {
    const made: Ends = {
      has: new Uint8Array(wanted.length),
      low: new Float64Array(wanted.length),
      high: new Float64Array(wanted.length),
    };
    for (let at = 0; at < wanted.length; at++) {
      if (wanted[at] === 0) continue;
      const changes = drawn(second, offset + at, drawnB);
      const before = drawn(first, offset + at, drawnA);
      for (let r = 0; r < RESAMPLES; r++) {
        const x = before[r] as number;
        const y = changes[r] as number;
        changes[r] = asked.normalize ? mass * (part(y, massB[r] as number) - part(x, massA[r] as number)) : y - x;
      }
      changes.sort();
      const tail = Math.floor((RESAMPLES * (100 - LEVEL)) / 200);
      made.has[at] = 1;
      made.low[at] = changes[tail] as number;
      made.high[at] = changes[RESAMPLES - 1 - tail] as number;
    }
    return made;
  };
  return {
    level: LEVEL,
    resamples: RESAMPLES,
    seed: SEED,
    over: asked.over,
    nodes: ends(0, asked.wanted.nodes),
    frames: ends(count, asked.wanted.frames),
  };
}

function part(value: number, mass: number): number {
  return mass === 0 ? 0 : value / mass;
}

/** For each unit and draw, how often the unit was drawn: unit u in draw r at u * RESAMPLES + r. */
function draws(units: number, random: () => number): Uint16Array {
  const times = new Uint16Array(units * RESAMPLES);
  for (let r = 0; r < RESAMPLES; r++) {
    for (let i = 0; i < units; i++) {
      const at = Math.floor(random() * units) * RESAMPLES + r;
      times[at] = (times[at] as number) + 1;
    }
  }
  return times;
}

/** The value of one item in every draw. */
function drawn(entries: Entries, item: number, times: Uint16Array): Float64Array {
  const sums = new Float64Array(RESAMPLES);
  for (let e = entries.first[item] as number; e < (entries.first[item + 1] as number); e++) {
    const from = (entries.unit[e] as number) * RESAMPLES;
    const value = entries.value[e] as number;
    for (let r = 0; r < RESAMPLES; r++) sums[r] = (sums[r] as number) + value * (times[from + r] as number);
  }
  return sums;
}

/** What passed through each item in each unit that has it. Items are the nodes, then the frames. */
interface Entries {
  readonly first: Uint32Array;
  readonly unit: Uint32Array;
  readonly value: Float64Array;
  readonly sum: (item: number) => number;
}

function entriesOf(aligned: Aligned, units: Units, { measure, wanted }: BootstrapAsked): Entries {
  const { parent, frame } = aligned.nodes;
  const count = parent.length;
  const outer = outermost(aligned);
  const found: { item: number; unit: number; value: number }[] = [];
  const sums = new Float64Array(count);
  const frameSums = new Float64Array(aligned.frames.length);
  const met = new Int32Array(count).fill(-1);
  units.nodes.forEach((nodes, unit) => {
    const own: number[] = [];
    const column = units.values[unit]?.[measure] as BigInt64Array;
    nodes.forEach((node, i) => {
      // Up to an ancestor that was met already: each is visited once a unit, however deep the stacks are.
      for (let n = node; met[n] !== unit; n = parent[n] as number) {
        met[n] = unit;
        sums[n] = 0;
        own.push(n);
      }
      sums[node] = (sums[node] as number) + Number(column[i]);
    });
    own.sort((x, y) => y - x);
    const frames = new Set<number>();
    for (const n of own) {
      const value = sums[n] as number;
      if (n === 0 || wanted.nodes[n] === 1) found.push({ item: n, unit, value });
      if (n === 0) continue;
      const up = parent[n] as number;
      sums[up] = (sums[up] as number) + value;
      if (outer[n] === 0) continue;
      const id = frame[n] as number;
      if (wanted.frames[id] === 0) continue;
      frameSums[id] = (frames.has(id) ? (frameSums[id] as number) : 0) + value;
      frames.add(id);
    }
    for (const id of frames) found.push({ item: count + id, unit, value: frameSums[id] as number });
  });
  return packed(found, count + aligned.frames.length);
}

function packed(found: readonly { item: number; unit: number; value: number }[], items: number): Entries {
  const first = new Uint32Array(items + 1);
  for (const { item } of found) first[item + 1] = (first[item + 1] as number) + 1;
  for (let i = 0; i < items; i++) first[i + 1] = (first[i + 1] as number) + (first[i] as number);
  const next = first.slice(0, items);
  const unit = new Uint32Array(found.length);
  const value = new Float64Array(found.length);
  for (const each of found) {
    const at = next[each.item] as number;
    next[each.item] = at + 1;
    unit[at] = each.unit;
    value[at] = each.value;
  }
  const sum = (item: number) => value.subarray(first[item], first[item + 1]).reduce((x, y) => x + y, 0);
  return { first, unit, value, sum };
}

/** By node: 1 where no frame above it is the same, so that a frame within itself counts once. */
export function outermost({ frames, nodes }: Pick<Aligned, 'frames' | 'nodes'>): Uint8Array {
  const { parent, frame } = nodes;
  const outer = new Uint8Array(parent.length);
  // Nodes stand depth first: the path to a node is what is left of the path to the one before it.
  const path: number[] = [];
  const open = new Uint32Array(frames.length);
  for (let n = 1; n < parent.length; n++) {
    while (path.length > 0 && path.at(-1) !== parent[n]) {
      const closed = frame[path.pop() as number] as number;
      open[closed] = (open[closed] as number) - 1;
    }
    const id = frame[n] as number;
    outer[n] = open[id] === 0 ? 1 : 0;
    open[id] = (open[id] as number) + 1;
    path.push(n);
  }
  return outer;
}
