import { kMeans } from '../meaning/text/kmeans.ts';
import { hdbscan, NOISE } from './hdbscan/hdbscan.ts';
import type { ClusterSelection } from './hdbscan/select.ts';
import { type Matrix, normalised, rowsOf } from './matrix.ts';
import { cosineNeighbours } from './reduction/neighbours.ts';
import { principalComponents } from './reduction/pca.ts';
import { umap } from './reduction/umap.ts';

export interface ClusterOptions {
  readonly method: 'hdbscan' | 'kmeans';
  /** Clusters of k-means. */
  readonly k: number;
  /** Undefined for 2 % of the units, at least 5. */
  readonly minClusterSize: number | undefined;
  readonly minSamples: number;
  readonly selection: ClusterSelection;
  readonly neighbours: number;
  readonly minDist: number;
  readonly components: number;
  readonly seed: number;
}

export const DEFAULTS: ClusterOptions = {
  method: 'hdbscan',
  k: 8,
  minClusterSize: undefined,
  minSamples: 5,
  selection: 'eom',
  neighbours: 30,
  minDist: 0,
  components: 10,
  seed: 1,
};

/** Fewer units than this are not clustered: what would be found is chance. */
export const FEWEST = 30;

const PCA_COMPONENTS = 50;
/** The layouts begin at the principal components, so fewer rounds than UMAP's own 500 will do. */
const EPOCHS = 200;
const REPEAT_EPOCHS = 100;
/** Of all units in a repeat, drawn without putting back: doubles would be dense spots that are not there. */
const REPEAT_SHARE = 0.8;

export interface Grouping {
  /** By unit: its cluster, from 0 by falling size, or NOISE. */
  readonly labels: Int32Array;
  readonly clusters: number;
  /** How much each unit belongs to its cluster, 0 to 1. */
  readonly probabilities: Float64Array;
  readonly outlierScores: Float64Array;
}

export interface Clustered extends Grouping {
  /** The principal components that everything else is made from. */
  readonly reduced: Matrix;
  /** Two dimensions to look at. */
  readonly map: Matrix;
  readonly minClusterSize: number;
}

/** Vectors to clusters: principal components, UMAP, HDBSCAN; or k-means on the components. */
export async function clusterVectors(vectors: Matrix, options: ClusterOptions): Promise<Clustered> {
  const { points: reduced } = principalComponents(vectors, PCA_COMPONENTS, options.seed);
  const found = await group(reduced, options, EPOCHS);
  const near = cosineNeighbours(reduced, neighboursFor(reduced.rows, options));
  const map = await umap(reduced, near, reduced, { components: 2, minDist: 0.1, seed: options.seed, epochs: EPOCHS });
  return { ...bySize(found), reduced, map, minClusterSize: minClusterSizeFor(reduced.rows, options) };
}

/** How many repeats the stability of so many units is judged by: more where they are cheap. */
export function repeatsFor(units: number): number {
  return Math.max(2, Math.min(10, Math.round(4000 / units)));
}

/** One repeat on four fifths of the units with another seed, reduction and all. `drawn` are the units that took part. */
export async function repeat(
  reduced: Matrix,
  options: ClusterOptions,
  seed: number,
  random: () => number,
): Promise<{ readonly drawn: Uint32Array; readonly labels: Int32Array }> {
  const order = Uint32Array.from({ length: reduced.rows }, (_, i) => i);
  const count = Math.round(REPEAT_SHARE * reduced.rows);
  for (let i = 0; i < count; i++) {
    const other = i + Math.floor(random() * (order.length - i));
    [order[i], order[other]] = [order[other] as number, order[i] as number];
  }
  const drawn = order.slice(0, count).sort();
  const { labels } = await group(rowsOf(reduced, drawn), { ...options, seed }, REPEAT_EPOCHS);
  return { drawn, labels };
}

async function group(reduced: Matrix, options: ClusterOptions, epochs: number): Promise<Grouping> {
  if (options.method === 'kmeans') return byKMeans(reduced, options);
  const { components, minDist, seed, minSamples, selection } = options;
  const near = cosineNeighbours(reduced, neighboursFor(reduced.rows, options));
  const low = await umap(reduced, near, reduced, { components, minDist, seed, epochs });
  return hdbscan(low, { minClusterSize: minClusterSizeFor(reduced.rows, options), minSamples, selection });
}

/** Everybody's neighbour is nobody's. */
function neighboursFor(units: number, { neighbours }: ClusterOptions): number {
  return Math.max(2, Math.min(neighbours, Math.floor(units / 2)));
}

function minClusterSizeFor(units: number, { minClusterSize }: ClusterOptions): number {
  return minClusterSize ?? Math.max(5, Math.round(0.02 * units));
}

/** Spherical k-means; how far a unit lies from its centre is its outlier score. */
function byKMeans(reduced: Matrix, { k, seed }: ClusterOptions): Grouping {
  const { rows, dims, cells } = normalised(reduced);
  const { groups, similarity } = kMeans(
    {
      rows,
      dimensions: dims,
      starts: Uint32Array.from({ length: rows + 1 }, (_, row) => row * dims),
      columns: Uint32Array.from(cells, (_, at) => at % dims),
      values: Float32Array.from(cells),
    },
    { k, seed },
  );
  const probabilities = Float64Array.from(similarity, cosine => Math.min(1, Math.max(0, cosine)));
  return {
    labels: Int32Array.from(groups),
    clusters: Math.max(0, ...groups) + 1,
    probabilities,
    outlierScores: probabilities.map(nearness => 1 - nearness),
  };
}

/** Numbers clusters by falling size, equally large ones by their first unit; numbers that no unit has go. */
function bySize(found: Grouping): Grouping {
  const sizes = new Map<number, { size: number; first: number }>();
  found.labels.forEach((label, at) => {
    if (label === NOISE) return;
    const known = sizes.get(label);
    if (known) known.size++;
    else sizes.set(label, { size: 1, first: at });
  });
  const order = [...sizes].sort(([, a], [, b]) => b.size - a.size || a.first - b.first).map(([label]) => label);
  const rank = new Map(order.map((label, at) => [label, at]));
  return { ...found, labels: found.labels.map(label => rank.get(label) ?? NOISE), clusters: order.length };
}
