import type { PairTable } from './kernel/engine.ts';
import { Pairs } from './pairs.ts';
import type { Frame } from './profile.ts';

/**
 * Frames and stacks while a profile is built: a prefix tree whose nodes are small integers. Node 0 is the root.
 * `sorted` renumbers nodes depth first with children in order of their frames, so that the order in which
 * operations came leaves no trace.
 */
export class Stacks {
  readonly frames: Frame[] = [];
  private readonly shown: (kind: string, value: string) => string;
  private readonly frameIds = new Map<string, number>();
  /** Parent and frame of each node but the root, which is node 0: pair n is node n + 1. */
  readonly nodes: PairTable;

  /** `shown` gives the form of a value that may be seen; values that it makes equal are one frame. */
  constructor(shown: (kind: string, value: string) => string = (_, value) => value, nodes: PairTable = new Pairs()) {
    this.shown = shown;
    this.nodes = nodes;
  }

  frameId(kind: string, raw: string): number {
    const value = this.shown(kind, raw);
    const name = `${kind}\u0000${value}`;
    let id = this.frameIds.get(name);
    if (id === undefined) {
      id = this.frames.length;
      this.frames.push({ kind, value });
      this.frameIds.set(name, id);
    }
    return id;
  }

  child(node: number, frame: number): number {
    return this.nodes.id(node, frame) + 1;
  }

  parentOf(node: number): number {
    return this.nodes.first[node - 1] as number;
  }

  frameOf(node: number): number {
    return this.nodes.second[node - 1] as number;
  }

  /** New number of each node; nodes in depth-first order, siblings by kind and value in code unit order. */
  sorted(): { order: Uint32Array; frames: Frame[]; parent: Uint32Array; frame: Uint32Array } {
    const byName = this.frames
      .map((_, id) => id)
      .sort((a, b) => compareFrames(this.frames[a] as Frame, this.frames[b] as Frame));
    const frameRank = new Uint32Array(this.frames.length);
    byName.forEach((id, rank) => {
      frameRank[id] = rank;
    });
    const count = this.nodes.length + 1;
    const { first: parents, second: framesOf } = this.nodes;
    const firstChild = new Int32Array(count).fill(-1);
    const nextSibling = new Int32Array(count).fill(-1);
    // The children of a node have different frames, so one walk in the order of the frames puts the last of them first.
    for (const node of byRank(framesOf, frameRank, count)) {
      const up = parents[node - 1] as number;
      nextSibling[node] = firstChild[up] as number;
      firstChild[up] = node;
    }
    const order = new Uint32Array(count);
    const parent = new Uint32Array(count);
    const frame = new Uint32Array(count);
    const pending = [0];
    for (let next = 0; pending.length > 0; next++) {
      const node = pending.pop() as number;
      order[node] = next;
      parent[next] = node === 0 ? 0 : (order[parents[node - 1] as number] as number);
      frame[next] = node === 0 ? 0 : (frameRank[framesOf[node - 1] as number] as number);
      for (let child = firstChild[node] as number; child >= 0; child = nextSibling[child] as number)
        pending.push(child);
    }
    return { order, frames: byName.map(id => this.frames[id] as Frame), parent, frame };
  }
}

/** Nodes but the root, by the rank of their frames. */
function byRank(framesOf: ArrayLike<number>, frameRank: Uint32Array, count: number): Uint32Array {
  const free = new Uint32Array(frameRank.length + 1);
  for (let node = 1; node < count; node++) {
    const behind = (frameRank[framesOf[node - 1] as number] as number) + 1;
    free[behind] = (free[behind] as number) + 1;
  }
  for (let rank = 1; rank < free.length; rank++) free[rank] = (free[rank] as number) + (free[rank - 1] as number);
  const nodes = new Uint32Array(count - 1);
  for (let node = 1; node < count; node++) {
    const rank = frameRank[framesOf[node - 1] as number] as number;
    const at = free[rank] as number;
    nodes[at] = node;
    free[rank] = at + 1;
  }
  return nodes;
}

export function compareFrames(a: Frame, b: Frame): number {
  if (a.kind !== b.kind) return a.kind < b.kind ? -1 : 1;
  return a.value < b.value ? -1 : a.value > b.value ? 1 : 0;
}
