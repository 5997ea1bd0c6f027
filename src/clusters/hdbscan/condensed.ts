import type { Linkage } from './linkage.ts';

/**
 * The condensed tree: of the linkage only the splits into parts of at least `minSize` points are kept, the rest is
 * points that fall out of a cluster one after another. Cluster 0 is the root; a cluster stands behind its parent.
 *
 * Density is written as lambda = 1 / distance. A distance of 0 counts as half the smallest distance above 0 (as 1
 * where there is none), so that duplicates have a finite density and the result does not depend on the scale.
 */
export interface CondensedTree {
  readonly clusters: number;
  /** By cluster; the root is its own parent. */
  readonly parent: Uint32Array;
  /** Lambda at which it splits off its parent; 0 for the root. */
  readonly birth: Float64Array;
  /** Lambda at which it splits in two or loses its last points. */
  readonly death: Float64Array;
  /** Sum over its points of how much longer than its birth they stay; the excess of mass. */
  readonly stability: Float64Array;
  /** By point: the last cluster it was in, and the lambda at which it falls out of that. */
  readonly lastOf: Uint32Array;
  readonly exit: Float64Array;
  /** All points lie on one spot. */
  readonly flat: boolean;
}

export function condense(linkage: Linkage, minSize: number): CondensedTree {
  const { points, root, height, size, first, order } = linkage;
  const lambda = lambdaOf(linkage);
  const parent: number[] = [0];
  const birth: number[] = [0];
  const death: number[] = [0];
  const stability: number[] = [0];
  const lastOf = new Uint32Array(points);
  const exit = new Float64Array(points);
  const fallOut = (node: number, cluster: number, at: number): void => {
    const from = first[node] as number;
    for (let i = from; i < from + (size[node] as number); i++) {
      const point = order[i] as number;
      lastOf[point] = cluster;
      exit[point] = at;
    }
    stability[cluster] = (stability[cluster] as number) + (size[node] as number) * (at - (birth[cluster] as number));
    death[cluster] = Math.max(death[cluster] as number, at);
  };
  const pending: (readonly [node: number, cluster: number])[] = points > 1 ? [[root, 0]] : [];
  while (pending.length > 0) {
    const [node, cluster] = pending.pop() as readonly [number, number];
    const at = lambda(height[node] as number);
    const children = linkage.childrenOf(node);
    const large = children.filter(child => (size[child] as number) >= minSize);
    for (const child of children) if ((size[child] as number) < minSize) fallOut(child, cluster, at);
    if (large.length === 1) pending.push([large[0] as number, cluster]);
    if (large.length < 2) continue;
    death[cluster] = Math.max(death[cluster] as number, at);
    for (const child of large) {
      stability[cluster] = (stability[cluster] as number) + (size[child] as number) * (at - (birth[cluster] as number));
      const made = parent.push(cluster) - 1;
      birth.push(at);
      death.push(at);
      stability.push(0);
      pending.push([child, made]);
    }
  }
  return {
    clusters: parent.length,
    parent: Uint32Array.from(parent),
    birth: Float64Array.from(birth),
    death: Float64Array.from(death),
    stability: Float64Array.from(stability),
    lastOf,
    exit,
    flat: points > 1 && (height[root] as number) === 0,
  };
}

function lambdaOf({ height, points }: Linkage): (distance: number) => number {
  let smallest = Number.POSITIVE_INFINITY;
  for (let node = points; node < height.length; node++) {
    const distance = height[node] as number;
    if (distance > 0 && distance < smallest) smallest = distance;
  }
  const densest = smallest === Number.POSITIVE_INFINITY ? 1 : 2 / smallest;
  return distance => (distance > 0 ? 1 / distance : densest);
}
