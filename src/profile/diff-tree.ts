import { type Comparison, larger, threshold, totals } from './diff.ts';
import { type Ends, outermost } from './diff-bootstrap.ts';
import type { Frame, Label, Profile } from './profile.ts';
import { type Tree, treeOf } from './tree.ts';

/** What one frame, or one place of the tree, was on each side. `low` and `high` are the ends of its interval. */
export interface Change {
  readonly a: bigint;
  readonly b: bigint;
  readonly change: bigint;
  readonly low: bigint | undefined;
  readonly high: bigint | undefined;
  /**
   * The change may be chance: it is below the threshold of noise, or its interval holds zero. Where there is no
   * interval only its size decides.
   */
  readonly noise: boolean;
  readonly fate: 'appeared' | 'vanished' | 'stayed';
}

/**
 * The comparison seen through its measure.
 *
 * `width` is what a box is wide: at each node the larger of both sides (and no less than the change itself, which is
 * more only where a side is negative), so that frames of either side, and those that did not change, are all drawn
 * and children still fit under their parent. `width.self` and `width.total` are such widths, not changes.
 */
export interface DiffTree {
  readonly comparison: Comparison;
  readonly width: Tree;
  readonly a: BigInt64Array;
  readonly b: BigInt64Array;
  /** By node, what ended there. */
  readonly selfA: BigInt64Array;
  readonly selfB: BigInt64Array;
  /** Changes smaller than this are noise. */
  readonly least: bigint;
  readonly change: (node: number) => Change;
}

export function diffTreeOf(comparison: Comparison): DiffTree {
  const { at } = comparison;
  const selfA = comparison.a.self[at] as BigInt64Array;
  const selfB = comparison.b.self[at] as BigInt64Array;
  const a = totals(comparison, selfA);
  const b = totals(comparison, selfB);
  const least = threshold(comparison, a[0] as bigint, b[0] as bigint);
  const widths = selfA.map((before, n) => {
    const after = selfB[n] as bigint;
    return larger(larger(before, after), after - before);
  });
  return {
    comparison,
    width: treeOf(profileOfColumn(comparison, widths)),
    a,
    b,
    selfA,
    selfB,
    least,
    change: node => changeOf(a[node] as bigint, b[node] as bigint, least, comparison.intervals?.nodes, node),
  };
}

export interface FrameChange extends Change {
  readonly frame: Frame;
}

/** Every frame wherever it stands, in the order of `comparison.frames`; one within itself counts once. */
export function frameChanges(tree: DiffTree): FrameChange[] {
  const { comparison } = tree;
  const outer = outermost(comparison);
  const sums = comparison.frames.map(() => [0n, 0n] as [bigint, bigint]);
  outer.forEach((is, n) => {
    if (is === 0) return;
    const sum = sums[comparison.nodes.frame[n] as number] as [bigint, bigint];
    sum[0] += tree.a[n] as bigint;
    sum[1] += tree.b[n] as bigint;
  });
  return sums.map(([a, b], id) => ({
    frame: comparison.frames[id] as Frame,
    ...changeOf(a, b, tree.least, comparison.intervals?.frames, id),
  }));
}

/** A frame that holds this much of what its parent changed by says all there is to say of the parent. */
const SAYS_IT_ALL = 0.8;

/**
 * The places of the tree that changed most, the largest first. One whose change lies nearly all in a single place
 * below it is left out for that place, so the list names causes and not the way to them. Noise comes last.
 */
export function largestChanges(tree: DiffTree): number[] {
  const { parent } = tree.comparison.nodes;
  const said = new Uint8Array(parent.length);
  const changes = Array.from(parent, (_, n) => tree.change(n));
  for (let n = 1; n < parent.length; n++) {
    const { change } = changes[n] as Change;
    const above = (changes[parent[n] as number] as Change).change;
    const sameWay = change < 0n === above < 0n;
    if (sameWay && Number(change < 0n ? -change : change) >= SAYS_IT_ALL * Number(above < 0n ? -above : above))
      said[parent[n] as number] = 1;
  }
  const found: number[] = [];
  for (let n = 1; n < parent.length; n++) if (said[n] === 0 && (changes[n] as Change).change !== 0n) found.push(n);
  const rank = (n: number) => larger((changes[n] as Change).change, 0n);
  return found.sort((x, y) => {
    const noise = Number((changes[x] as Change).noise) - Number((changes[y] as Change).noise);
    if (noise !== 0) return noise;
    return rank(x) === rank(y) ? x - y : rank(x) > rank(y) ? -1 : 1;
  });
}

/** pprof takes samples with this label for the base: what it subtracted, and the whole of its percentages. */
const BASE: readonly Label[] = [{ key: 'pprof::base', text: 'true' }];

/**
 * The difference as one profile, as `pprof -diff_base` makes it: what B has is positive, what A has negative and
 * labelled as the base. The sum of a stack is its change, and both sides stay readable.
 */
export function differenceProfile(comparison: Comparison, comments: readonly string[]): Profile {
  const { a, b, measures } = comparison;
  const some = (self: readonly BigInt64Array[]) => (n: number) => self.some(column => column[n] !== 0n);
  const [inA, inB] = [some(a.self), some(b.self)];
  const picked = Array.from(comparison.nodes.parent, (_, n) => n).flatMap(n => [
    ...(inB(n) ? [{ n, base: 0 }] : []),
    ...(inA(n) ? [{ n, base: 1 }] : []),
  ]);
  return {
    view: comparison.view,
    measure: comparison.measure.name,
    measures,
    frames: comparison.frames,
    nodes: comparison.nodes,
    samples: {
      length: picked.length,
      node: Uint32Array.from(picked, each => each.n),
      labels: Uint32Array.from(picked, each => each.base),
      values: measures.map((_, m) =>
        BigInt64Array.from(picked, ({ n, base }) =>
          base === 1 ? -(a.self[m]?.[n] as bigint) : (b.self[m]?.[n] as bigint),
        ),
      ),
    },
    labelSets: [[], BASE],
    comments,
    timeNanos: comparison.timeNanos,
    durationNanos: 0n,
  };
}

function profileOfColumn(comparison: Comparison, values: BigInt64Array): Profile {
  const count = values.length;
  return {
    view: comparison.view,
    measure: comparison.measure.name,
    measures: [comparison.measure],
    frames: comparison.frames,
    nodes: comparison.nodes,
    samples: {
      length: count,
      node: Uint32Array.from({ length: count }, (_, n) => n),
      labels: new Uint32Array(count),
      values: [values],
    },
    labelSets: [[]],
    comments: [],
    timeNanos: 0n,
    durationNanos: 0n,
  };
}

function changeOf(a: bigint, b: bigint, least: bigint, ends: Ends | undefined, at: number): Change {
  const change = b - a;
  const has = ends?.has[at] === 1;
  const low = has ? BigInt(Math.round(ends?.low[at] as number)) : undefined;
  const high = has ? BigInt(Math.round(ends?.high[at] as number)) : undefined;
  const small = larger(change, 0n) < least;
  const unsure = low !== undefined && high !== undefined && low <= 0n && high >= 0n;
  return {
    a,
    b,
    change,
    low,
    high,
    noise: small || unsure || (ends !== undefined && !has),
    fate: a === 0n && b !== 0n ? 'appeared' : b === 0n && a !== 0n ? 'vanished' : 'stayed',
  };
}
