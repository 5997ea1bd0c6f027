import { childrenOf, type Tree } from '../profile/tree.ts';

/** A frame of the picture. Places are fractions of the picture's width. */
export interface Box {
  readonly node: number;
  /** Position of the parent in the list of boxes; the first box, the root, has -1. */
  readonly parent: number;
  readonly depth: number;
  readonly x: number;
  readonly width: number;
}

export interface Layout {
  /** In depth-first order: a subtree is a run. */
  readonly boxes: readonly Box[];
  /** Levels that hold a box. */
  readonly levels: number;
  /** Frames left out because their box would be too narrow, themselves or the frame above them. */
  readonly narrow: Omitted;
  /** Frames left out because they lie too deep. */
  readonly deep: Omitted;
}

export interface Omitted {
  readonly frames: number;
  /** Sum over the outermost of them, in the tree's weight. */
  readonly weight: bigint;
}

/**
 * Places the frames of a tree whose weight is not zero: children side by side from the left edge of their parent,
 * in the tree's order, and what belongs to the parent alone is the gap at its right.
 */
export function layOut(tree: Tree, limits: { readonly minWidth: number; readonly maxDepth: number }): Layout {
  const whole = Number(tree.weight[0]!);
  const frames = framesBelow(tree);
  const boxes: Box[] = [{ node: 0, parent: -1, depth: 0, x: 0, width: 1 }];
  const narrow = { frames: 0, weight: 0n };
  const deep = { frames: 0, weight: 0n };
  let levels = 1;

  // Boxes wait in reverse, so that they come off the stack from left to right, each before what follows its subtree.
  const waiting: Box[] = [];
  const open = (box: Box, position: number) => {
    const row: Box[] = [];
    let before = 0n;
    for (const node of childrenOf(tree, box.node)) {
      const weight = tree.weight[node]!;
      if (weight === 0n) continue;
      const width = Number(weight) / whole;
      const omitted = box.depth >= limits.maxDepth ? deep : width < limits.minWidth ? narrow : undefined;
      if (omitted === undefined) {
        row.push({ node, parent: position, depth: box.depth + 1, x: box.x + Number(before) / whole, width });
      } else {
        omitted.frames += frames[node]!;
        omitted.weight += weight;
      }
      before += weight;
    }
    for (let i = row.length - 1; i >= 0; i--) waiting.push(row[i]!);
  };

  open(boxes[0]!, 0);
  for (let box = waiting.pop(); box !== undefined; box = waiting.pop()) {
    levels = Math.max(levels, box.depth + 1);
    open(box, boxes.push(box) - 1);
  }
  return { boxes, levels, narrow, deep };
}

/** For each node, how many frames of its subtree carry something, itself included. */
function framesBelow(tree: Tree): Uint32Array {
  const { parent } = tree.profile.nodes;
  const frames = new Uint32Array(parent.length);
  for (let n = parent.length - 1; n > 0; n--) {
    if (tree.weight[n] === 0n) continue;
    frames[n]!++;
    frames[parent[n]!]! += frames[n]!;
  }
  return frames;
}
