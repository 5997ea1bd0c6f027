import type { Matrix } from '../matrix.ts';
import { type CondensedTree, condense } from './condensed.ts';
import { linkageOf } from './linkage.ts';
import { coreDistances, spanningTree } from './reachability.ts';
import { type ClusterSelection, selectClusters } from './select.ts';

export interface HdbscanOptions {
  /** The fewest points of a cluster, at least 2. */
  readonly minClusterSize: number;
  /** How many points, itself included, a point must have near it to be in a dense place; at least 1. */
  readonly minSamples: number;
  readonly selection: ClusterSelection;
  /** One cluster of all points is an answer, too. */
  readonly single?: boolean;
}

/** A label of a point that is in no cluster. */
export const NOISE = -1;

export interface Clustering {
  /** By point: its cluster, from 0 in the order of their first points, or NOISE. */
  readonly labels: Int32Array;
  readonly clusters: number;
  /** By point: how near it is to the dense middle of its cluster, 0 (noise) to 1. */
  readonly probabilities: Float64Array;
  /** By point: GLOSH, 0 for the middle of a dense place to nearly 1 far out. */
  readonly outlierScores: Float64Array;
}

/**
 * HDBSCAN* (Campello, Moulavi, Zimek, Sander 2015): clusters of any shape and of different density, and noise. Exact;
 * time grows with n², memory with n. The same points give the same labels whatever their order, up to numbering.
 */
export function hdbscan(points: Matrix, options: HdbscanOptions): Clustering {
  const { minClusterSize, minSamples } = options;
  if (!(minClusterSize >= 2)) throw new RangeError(`a cluster has at least 2 points, not ${minClusterSize}`);
  if (!(minSamples >= 1)) throw new RangeError(`minSamples is at least 1, not ${minSamples}`);
  const { rows } = points;
  if (rows < minClusterSize || rows < 2) return allNoise(rows);
  const tree = condense(
    linkageOf(rows, spanningTree(points, coreDistances(points, minSamples))),
    Math.floor(minClusterSize),
  );
  const taken = selectClusters(tree, options.selection, options.single === true);
  return { ...labelled(tree, taken), outlierScores: outlierScores(tree) };
}

function allNoise(rows: number): Clustering {
  return {
    labels: new Int32Array(rows).fill(NOISE),
    clusters: 0,
    probabilities: new Float64Array(rows),
    outlierScores: new Float64Array(rows),
  };
}

function labelled(tree: CondensedTree, taken: Uint8Array): Omit<Clustering, 'outlierScores'> {
  const { clusters, parent, death, lastOf, exit } = tree;
  /** The taken cluster at or above each; `clusters` where there is none. */
  const owner = new Uint32Array(clusters).fill(clusters);
  for (let cluster = 0; cluster < clusters; cluster++) {
    if (taken[cluster] === 1) owner[cluster] = cluster;
    else if (cluster > 0) owner[cluster] = owner[parent[cluster] as number] as number;
  }
  const rows = lastOf.length;
  const labels = new Int32Array(rows).fill(NOISE);
  const probabilities = new Float64Array(rows);
  const number = new Map<number, number>();
  for (let point = 0; point < rows; point++) {
    const cluster = owner[lastOf[point] as number] as number;
    if (cluster === clusters) continue;
    let label = number.get(cluster);
    if (label === undefined) number.set(cluster, (label = number.size));
    labels[point] = label;
    // A point that stays beyond the death of its cluster, in a part of it, is as central as can be.
    const end = death[cluster] as number;
    probabilities[point] = end > 0 ? Math.min(exit[point] as number, end) / end : 1;
  }
  return { labels, clusters: number.size, probabilities };
}

/** 1 - lambda of the point / the largest lambda at or below the cluster it was last in. */
function outlierScores({ clusters, parent, death, lastOf, exit }: CondensedTree): Float64Array {
  const densest = death.slice();
  for (let cluster = clusters - 1; cluster > 0; cluster--) {
    const above = parent[cluster] as number;
    densest[above] = Math.max(densest[above] as number, densest[cluster] as number);
  }
  return Float64Array.from(exit, (lambda, point) => {
    const most = densest[lastOf[point] as number] as number;
    return most > 0 ? 1 - lambda / most : 0;
  });
}
