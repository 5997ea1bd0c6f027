import type { Measure } from '../trace/measures.ts';
import type { Profile } from './profile.ts';

/**
 * A profile seen through one measure: for every node of its prefix tree the value that ended there and the value
 * that passed through. Node numbers are the profile's own (0 is the root), so labels and evidence stay reachable.
 *
 * Invariants: `total[n] = self[n] + sum of total over the children of n`, hence `total[0]` = the sum of all samples;
 * `weight` is the same sum over magnitudes of self. The two agree unless the profile is a difference, where weight
 * is what a box must be wide to hold its children: a total of zero may hide two large changes that cancel.
 */
export interface Tree {
  readonly profile: Profile;
  readonly measure: Measure;
  readonly self: BigInt64Array;
  readonly total: BigInt64Array;
  readonly weight: BigInt64Array;
  /** Steps from the root, which has 0. */
  readonly depth: Uint32Array;
  /** The children of n are `children[childFirst[n] .. childFirst[n + 1])`, in the order that was asked for. */
  readonly childFirst: Uint32Array;
  readonly children: Uint32Array;
  /** Whether any self value is negative. */
  readonly signed: boolean;
}

/** `value`: the heaviest child first, equals by name. `name`: by kind, then value, in UTF-16 order. */
export type ChildOrder = 'value' | 'name';

export interface TreeOptions {
  /** A measure of the profile; the profile's own when absent. */
  readonly measure?: string | undefined;
  /** `value` when absent. */
  readonly order?: ChildOrder | undefined;
}

/** A measure was asked for that the profile does not carry. */
export class UnknownMeasureError extends Error {
  readonly measure: string;
  readonly known: readonly string[];

  constructor(measure: string, known: readonly string[]) {
    super(`no measure "${measure}" in this profile; it has ${known.join(', ')}`);
    this.name = 'UnknownMeasureError';
    this.measure = measure;
    this.known = known;
  }
}

/** Position of a measure in `profile.measures`, by default that of the view. Throws UnknownMeasureError. */
export function measureIndex(profile: Profile, measure: string = profile.measure): number {
  const index = profile.measures.findIndex(m => m.name === measure);
  if (index >= 0) return index;
  throw new UnknownMeasureError(
    measure,
    profile.measures.map(m => m.name),
  );
}

/** Sum of a measure over all samples, exact. */
export function totalOf(profile: Profile, measure?: string): bigint {
  let sum = 0n;
  for (const value of profile.samples.values[measureIndex(profile, measure)]!) sum += value;
  return sum;
}

/** Numbers of the frames of a node's stack, root first; empty for the root. */
export function stackOf(profile: Profile, node: number): number[] {
  const stack: number[] = [];
  for (let n = node; n !== 0; n = profile.nodes.parent[n]!) stack.push(profile.nodes.frame[n]!);
  return stack.reverse();
}

/** The value of a measure that ended at each node. */
export function selfOf({ nodes, samples }: Profile, measure: number): BigInt64Array {
  const self = new BigInt64Array(nodes.parent.length);
  const values = samples.values[measure]!;
  for (let i = 0; i < samples.length; i++) self[samples.node[i]!]! += values[i]!;
  return self;
}

/** Builds the tree without recursion, so depth costs memory only. Throws UnknownMeasureError. */
export function treeOf(profile: Profile, options: TreeOptions = {}): Tree {
  const index = measureIndex(profile, options.measure);
  const { parent } = profile.nodes;
  const nodes = parent.length;
  const self = selfOf(profile, index);

  const total = self.slice();
  const weight = new BigInt64Array(nodes);
  let signed = false;
  for (let n = 0; n < nodes; n++) {
    const value = self[n]!;
    if (value < 0n) signed = true;
    weight[n] = value < 0n ? -value : value;
  }
  // A parent comes before its children, so walking down the numbers meets every child before its parent.
  for (let n = nodes - 1; n > 0; n--) {
    const up = parent[n]!;
    total[up]! += total[n]!;
    weight[up]! += weight[n]!;
  }

  const depth = new Uint32Array(nodes);
  for (let n = 1; n < nodes; n++) depth[n] = depth[parent[n]!]! + 1;
  const { childFirst, children } = childrenByParent(parent);
  const compare = options.order === 'name' ? byName(profile) : byWeight(profile, weight);
  for (let n = 0; n < nodes; n++) {
    const first = childFirst[n]!;
    const end = childFirst[n + 1]!;
    if (end - first > 1) children.subarray(first, end).sort(compare);
  }
  return { profile, measure: profile.measures[index]!, self, total, weight, depth, childFirst, children, signed };
}

/** The children of a node: a view, not a copy. */
export function childrenOf(tree: Tree, node: number): Uint32Array {
  return tree.children.subarray(tree.childFirst[node]!, tree.childFirst[node + 1]!);
}

/**
 * Value that passed through each frame, in the order of `profile.frames`. A frame that occurs twice in one stack
 * (a subagent that spawns a subagent) counts once there, so no frame exceeds the root.
 */
export function frameTotals(tree: Tree): { readonly total: BigInt64Array; readonly weight: BigInt64Array } {
  const { frames, nodes } = tree.profile;
  const total = new BigInt64Array(frames.length);
  const weight = new BigInt64Array(frames.length);
  const open = new Uint32Array(frames.length);
  // Each node is met twice: on the way in, and as ~node on the way out.
  const stack: number[] = [...childrenOf(tree, 0)];
  while (stack.length > 0) {
    const entry = stack.pop()!;
    if (entry < 0) {
      open[nodes.frame[~entry]!]!--;
      continue;
    }
    const frame = nodes.frame[entry]!;
    if (open[frame]! === 0) {
      total[frame]! += tree.total[entry]!;
      weight[frame]! += tree.weight[entry]!;
    }
    open[frame]!++;
    stack.push(~entry);
    for (const child of childrenOf(tree, entry)) stack.push(child);
  }
  return { total, weight };
}

function childrenByParent(parent: Uint32Array): { childFirst: Uint32Array; children: Uint32Array } {
  const nodes = parent.length;
  const childFirst = new Uint32Array(nodes + 1);
  for (let n = 1; n < nodes; n++) childFirst[parent[n]! + 1]!++;
  for (let n = 0; n < nodes; n++) childFirst[n + 1]! += childFirst[n]!;
  const next = childFirst.slice(0, nodes);
  const children = new Uint32Array(Math.max(nodes - 1, 0));
  for (let n = 1; n < nodes; n++) {
    const up = parent[n]!;
    children[next[up]!] = n;
    next[up]!++;
  }
  return { childFirst, children };
}

function byName(profile: Profile): (a: number, b: number) => number {
  const { frames, nodes } = profile;
  return (a, b) => {
    const left = frames[nodes.frame[a]!]!;
    const right = frames[nodes.frame[b]!]!;
    if (left.kind !== right.kind) return left.kind < right.kind ? -1 : 1;
    if (left.value !== right.value) return left.value < right.value ? -1 : 1;
    return a - b;
  };
}

function byWeight(profile: Profile, weight: BigInt64Array): (a: number, b: number) => number {
  const name = byName(profile);
  return (a, b) => {
    const left = weight[a]!;
    const right = weight[b]!;
    if (left !== right) return left > right ? -1 : 1;
    return name(a, b);
  };
}
