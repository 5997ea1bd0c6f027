import type { SpanningTree } from './reachability.ts';

/**
 * The single linkage hierarchy of a spanning tree. Edges of equal weight merge at once, so a node has any number of
 * children, and the hierarchy is the same whichever of several minimum spanning trees was found.
 *
 * Nodes 0 to n - 1 are the points, then the merges; the last one is the root. The points below a node are
 * `order[first[node]]` to `order[first[node] + size[node] - 1]`.
 */
export interface Linkage {
  readonly points: number;
  readonly root: number;
  /** The distance at which a merge happens; 0 for points. */
  readonly height: Float64Array;
  readonly size: Uint32Array;
  readonly first: Uint32Array;
  readonly order: Uint32Array;
  childrenOf(node: number): number[];
}

const NONE = 0xffffffff;

export function linkageOf(points: number, { from, to, weight }: SpanningTree): Linkage {
  const most = Math.max(2 * points - 1, 1);
  const height = new Float64Array(most);
  const size = new Uint32Array(most).fill(1, 0, points);
  const firstChild = new Uint32Array(most).fill(NONE);
  const lastChild = new Uint32Array(most).fill(NONE);
  const sibling = new Uint32Array(most).fill(NONE);
  /** Union-find over points; the node that stands for a whole component. */
  const parent = Uint32Array.from({ length: points }, (_, i) => i);
  const node = Uint32Array.from({ length: points }, (_, i) => i);
  let next = points;
  const adopt = (above: number, child: number): void => {
    if (firstChild[above] === NONE) firstChild[above] = child;
    else sibling[lastChild[above] as number] = child;
    lastChild[above] = child;
    size[above] = (size[above] as number) + (size[child] as number);
  };
  const mergedAt = (at: number, distance: number) => at >= points && height[at] === distance;
  for (let edge = 0; edge < weight.length; edge++) {
    const distance = weight[edge] as number;
    const a = find(parent, from[edge] as number);
    const b = find(parent, to[edge] as number);
    if (a === b) continue;
    let above = node[a] as number;
    let other = node[b] as number;
    if (!mergedAt(above, distance) && mergedAt(other, distance)) [above, other] = [other, above];
    if (!mergedAt(above, distance)) {
      const made = next++;
      height[made] = distance;
      adopt(made, above);
      above = made;
    }
    if (mergedAt(other, distance)) {
      // Two merges of the same distance become one; the emptied node stays behind without points.
      sibling[lastChild[above] as number] = firstChild[other] as number;
      lastChild[above] = lastChild[other] as number;
      size[above] = (size[above] as number) + (size[other] as number);
      size[other] = 0;
    } else adopt(above, other);
    const [top, below] = a < b ? [a, b] : [b, a];
    parent[below] = top;
    node[top] = above;
  }
  const root = points === 0 ? 0 : (node[find(parent, 0)] as number);
  const childrenOf = (at: number): number[] => {
    const children: number[] = [];
    for (let child = firstChild[at] as number; child !== NONE; child = sibling[child] as number) children.push(child);
    return children;
  };
  return { points, root, height, size, ...ranges(points, root, most, childrenOf), childrenOf };
}

/** Points in an order in which those below any node stand together. */
function ranges(points: number, root: number, nodes: number, childrenOf: (node: number) => number[]) {
  const first = new Uint32Array(nodes);
  const order = new Uint32Array(points);
  const pending = points === 0 ? [] : [root];
  let placed = 0;
  while (pending.length > 0) {
    const node = pending.pop() as number;
    first[node] = placed;
    if (node < points) order[placed++] = node;
    else pending.push(...childrenOf(node).reverse());
  }
  return { first, order };
}

function find(parent: Uint32Array, point: number): number {
  let root = point;
  while (parent[root] !== root) root = parent[root] as number;
  for (let at = point; at !== root; ) {
    const up = parent[at] as number;
    parent[at] = root;
    at = up;
  }
  return root;
}
