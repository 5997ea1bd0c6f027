import type { CondensedTree } from './condensed.ts';

/** `eom` takes the clusters with the largest excess of mass, `leaf` the smallest ones that are dense. */
export type ClusterSelection = 'eom' | 'leaf';

/**
 * Clusters of the condensed tree that are taken, none inside another. The root, all points, is taken only if `single`
 * allows one cluster of everything, or if all points lie on one spot.
 */
export function selectClusters(tree: CondensedTree, selection: ClusterSelection, single: boolean): Uint8Array {
  const { clusters, parent, stability } = tree;
  const taken = new Uint8Array(clusters);
  const isParent = new Uint8Array(clusters);
  for (let cluster = 1; cluster < clusters; cluster++) isParent[parent[cluster] as number] = 1;
  const rootMayBe = single || tree.flat;
  /** The best that can be had at or below each cluster. */
  const best = new Float64Array(clusters);
  for (let cluster = clusters - 1; cluster >= 0; cluster--) {
    const own = stability[cluster] as number;
    const below = best[cluster] as number;
    const leaf = isParent[cluster] === 0;
    const may = cluster > 0 || rootMayBe;
    // Of equals the larger cluster is taken.
    if (may && (leaf || (selection === 'eom' && own >= below))) taken[cluster] = 1;
    const value = taken[cluster] === 1 ? own : below;
    if (cluster > 0) best[parent[cluster] as number] = (best[parent[cluster] as number] as number) + value;
  }
  // What lies inside a taken cluster is part of it. Parents stand before their children.
  const inside = new Uint8Array(clusters);
  for (let cluster = 1; cluster < clusters; cluster++) {
    const above = parent[cluster] as number;
    inside[cluster] = taken[above] === 1 || inside[above] === 1 ? 1 : 0;
    if (inside[cluster] === 1) taken[cluster] = 0;
  }
  return taken;
}
