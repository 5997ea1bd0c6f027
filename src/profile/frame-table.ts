import type { Profile } from './profile.ts';
import { childrenOf, frameTotals, type Tree } from './tree.ts';

/** One line of pprof's `top`: a frame by itself and with all below it. */
export interface FrameRow {
  /** Number of the frame; -1 for what ended in no frame at all. */
  readonly frame: number;
  readonly flat: bigint;
  readonly cum: bigint;
}

/** Every frame that carries anything. The flats of all rows add up to the total; a frame within itself counts once. */
export function frameTable(tree: Tree): FrameRow[] {
  const { frames, nodes } = tree.profile;
  const flat = new BigInt64Array(frames.length);
  for (let n = 1; n < tree.self.length; n++) {
    const id = nodes.frame[n] as number;
    flat[id] = (flat[id] as bigint) + (tree.self[n] as bigint);
  }
  const { total, weight } = frameTotals(tree);
  const rows: FrameRow[] = [];
  if (tree.self[0] !== 0n) rows.push({ frame: -1, flat: tree.self[0] as bigint, cum: tree.self[0] as bigint });
  for (let id = 0; id < frames.length; id++) {
    if (weight[id] === 0n) continue;
    rows.push({ frame: id, flat: flat[id] as bigint, cum: total[id] as bigint });
  }
  return rows;
}

/** Who stands directly above and below a frame, and how much passed from one to the other. */
export interface Neighbours {
  readonly frame: number;
  /** Frame number (-1: none, the frame is outermost there) to value. Largest first, ties by frame number. */
  readonly callers: readonly (readonly [frame: number, value: bigint])[];
  readonly callees: readonly (readonly [frame: number, value: bigint])[];
}

/**
 * The neighbours of the frames that are wanted, in the order of `profile.frames`. A pair that occurs twice in one
 * stack counts once there, as in pprof, so no pair exceeds the frame.
 */
export function neighboursOf(tree: Tree, wanted: (frame: number) => boolean): Neighbours[] {
  const { nodes, frames } = tree.profile;
  const pairs = new Map<string, { above: number; below: number; value: bigint; open: number }>();
  const above = (n: number) => frameOf(tree.profile, nodes.parent[n] as number);
  // Each node is met twice: on the way in, and as ~node on the way out.
  const stack: number[] = [...childrenOf(tree, 0)];
  while (stack.length > 0) {
    const entry = stack.pop() as number;
    const node = entry < 0 ? ~entry : entry;
    const [up, down] = [above(node), nodes.frame[node] as number];
    if ((up >= 0 && wanted(up)) || wanted(down)) {
      const key = `${up},${down}`;
      let pair = pairs.get(key);
      if (pair === undefined) pairs.set(key, (pair = { above: up, below: down, value: 0n, open: 0 }));
      if (entry < 0) pair.open--;
      else if (pair.open++ === 0) pair.value += tree.total[node] as bigint;
    }
    if (entry < 0) continue;
    stack.push(~node);
    for (const child of childrenOf(tree, node)) stack.push(child);
  }
  const callers = new Map<number, (readonly [number, bigint])[]>();
  const callees = new Map<number, (readonly [number, bigint])[]>();
  const note = (into: typeof callers, frame: number, entry: readonly [number, bigint]) => {
    const known = into.get(frame);
    if (known === undefined) into.set(frame, [entry]);
    else known.push(entry);
  };
  for (const { above: up, below: down, value } of pairs.values()) {
    if (value === 0n) continue;
    note(callers, down, [up, value]);
    note(callees, up, [down, value]);
  }
  const found: Neighbours[] = [];
  for (let frame = 0; frame < frames.length; frame++) {
    if (!wanted(frame)) continue;
    const [over, under] = [ranked(callers.get(frame) ?? []), ranked(callees.get(frame) ?? [])];
    if (over.length > 0 || under.length > 0) found.push({ frame, callers: over, callees: under });
  }
  return found;
}

function ranked(list: (readonly [number, bigint])[]): (readonly [number, bigint])[] {
  const size = (value: bigint) => (value < 0n ? -value : value);
  return list.sort(([x, v], [y, w]) => (size(v) === size(w) ? x - y : size(v) > size(w) ? -1 : 1));
}

/** The frame of a node; -1 for the root, which has none. */
function frameOf({ nodes }: Profile, node: number): number {
  return node === 0 ? -1 : (nodes.frame[node] as number);
}
