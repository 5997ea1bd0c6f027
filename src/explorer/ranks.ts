import { type Flame, FlameBuilder, pathTo } from './flame.ts';

/** One frame over all its stacks. A frame inside itself counts once, so no frame exceeds the whole. */
export interface Rank {
  readonly frame: number;
  readonly self: bigint;
  readonly total: bigint;
}

/** Every frame with a value, below `top` (0 for all). Totals and selfs are exact. */
export function ranksOf(flame: Flame, top = 0): Rank[] {
  const self = new Map<number, bigint>();
  const total = new Map<number, bigint>();
  outermost(flame, top, (node, outer) => {
    const frame = flame.frame[node] as number;
    self.set(frame, (self.get(frame) ?? 0n) + flame.exactSelf(node));
    if (outer) total.set(frame, (total.get(frame) ?? 0n) + flame.exactTotal(node));
  });
  return [...total]
    .map(([frame, sum]) => ({ frame, total: sum, self: self.get(frame) ?? 0n }))
    .sort((a, b) => (a.total === b.total ? a.frame - b.frame : a.total > b.total ? -1 : 1));
}

/** Visits the nodes below `top`, telling for each whether no node above it has the same frame. */
function outermost(flame: Flame, top: number, visit: (node: number, outer: boolean) => void): void {
  const open = new Uint32Array(flame.frames.length);
  const path: number[] = [];
  const end = flame.end[top] as number;
  for (let node = top === 0 ? 1 : top; node < end; node++) {
    while (path.length > 0 && (flame.end[path.at(-1) as number] as number) <= node) {
      const closed = flame.frame[path.pop() as number] as number;
      open[closed] = (open[closed] as number) - 1;
    }
    const frame = flame.frame[node] as number;
    visit(node, open[frame] === 0);
    open[frame] = (open[frame] as number) + 1;
    path.push(node);
  }
}

/**
 * What leads to a frame and what follows from it, over all stacks: two flames whose root stands for the frame.
 * The root of each is the frame's total; callers are named from the nearest outward.
 */
export function sandwichOf(flame: Flame, frame: number): { readonly callers: Flame; readonly callees: Flame } {
  const wide = (flame.total[0] as number) >= Number.MAX_SAFE_INTEGER / 2;
  const callers = new FlameBuilder(flame.frames, wide);
  const callees = new FlameBuilder(flame.frames, wide);
  const add = (builder: FlameBuilder, path: readonly number[], value: bigint) => {
    if (value === 0n) return;
    const high = value >> 52n;
    builder.add(path, path.length, Number(value - (high << 52n)), Number(high) * 2 ** 20);
  };
  outermost(flame, 0, (node, outer) => {
    if (!outer || flame.frame[node] !== frame) return;
    const above = pathTo(flame, flame.parent[node] as number).reverse();
    add(callers, above, flame.exactTotal(node));
    const path: number[] = [];
    const base = flame.depth[node] as number;
    for (let below = node; below < (flame.end[node] as number); below++) {
      path.length = (flame.depth[below] as number) - base;
      if (below > node) path[path.length - 1] = flame.frame[below] as number;
      add(callees, path, flame.exactSelf(below));
    }
  });
  return { callers: callers.finish(), callees: callees.finish() };
}

/** Frames whose `kind:value` matches, one byte each; undefined where the pattern is no regular expression. */
export function matchesOf(flame: Flame, pattern: string): Uint8Array | undefined {
  let expression: RegExp;
  try {
    expression = new RegExp(pattern, 'iu');
  } catch {
    return undefined;
  }
  return Uint8Array.from(flame.frames, ({ kind, value }) => (expression.test(`${kind}:${value}`) ? 1 : 0));
}

/** The exact value below matching frames; a match inside a match counts once. */
export function matchedTotal(flame: Flame, matches: Uint8Array): { readonly total: bigint; readonly nodes: number } {
  let total = 0n;
  let nodes = 0;
  let covered = 0;
  for (let node = 1; node < flame.length; node++) {
    if (matches[flame.frame[node] as number] === 0) continue;
    nodes++;
    if (node < covered) continue;
    covered = flame.end[node] as number;
    total += flame.exactTotal(node);
  }
  return { total, nodes };
}
