import { seededRandom } from './hash.ts';
import type { SparseRows } from './sparse.ts';

/** Rows in `k` groups around centroids. */
export interface Clustering {
  readonly k: number;
  /** Group of each row. A row without entries belongs to group 0 with similarity 0. */
  readonly groups: Uint16Array;
  /** Cosine of each row and its centroid. */
  readonly similarity: Float32Array;
  /** Of length 1 each (an empty group's is zero): centroid c has its column j at `centroids[j * k + c]`. */
  readonly centroids: Float32Array;
  /** Weighted mean of the similarities, what the rounds raise. */
  readonly cohesion: number;
}

export interface KMeansOptions {
  readonly k: number;
  readonly seed: number;
  /** How much each row counts (prompts with this text); 1 for all if absent. */
  readonly weights?: ArrayLike<number>;
  readonly rounds?: number;
  /** Centroids to begin with, laid out as in Clustering, instead of drawn ones. */
  readonly from?: Float32Array;
}

/** A round that raises the cohesion by less is the last. */
const LEAST_GAIN = 1e-5;
const ROUNDS = 30;

/**
 * Spherical k-means of rows of length 1, begun by k-means++ (each further start is drawn by its squared distance from
 * those there are). The same rows, weights and seed give the same groups. A group that runs empty takes the row that
 * is farthest from its centroid. `k` is at most the number of rows; more is cut to that.
 */
export function kMeans(rows: SparseRows, options: KMeansOptions): Clustering {
  const k = options.from ? options.k : Math.max(1, Math.min(options.k, rows.rows, 65_535));
  const weights = options.weights ?? new Uint8Array(rows.rows).fill(1);
  let centroids = options.from ?? starts(rows, k, weights, seededRandom(options.seed));
  let found = assign(rows, k, centroids, weights);
  for (let round = 0; round < (options.rounds ?? ROUNDS); round++) {
    centroids = centroidsOf(rows, k, found.groups, weights);
    refill(rows, k, centroids, found);
    const next = assign(rows, k, centroids, weights);
    const gain = next.cohesion - found.cohesion;
    found = next;
    if (gain < LEAST_GAIN) break;
  }
  return { k, centroids, ...found };
}

type Assigned = Pick<Clustering, 'groups' | 'similarity' | 'cohesion'>;

/** Each row to its nearest centroid, of equal ones to the first. */
export function assign(
  rows: SparseRows,
  k: number,
  centroids: Float32Array,
  weights: ArrayLike<number> = new Uint8Array(rows.rows).fill(1),
): Assigned {
  const groups = new Uint16Array(rows.rows);
  const similarity = new Float32Array(rows.rows);
  const sums = new Float64Array(k);
  let [total, all] = [0, 0];
  for (let row = 0; row < rows.rows; row++) {
    dotAll(rows, row, k, centroids, sums);
    let best = 0;
    for (let c = 1; c < k; c++) if ((sums[c] as number) > (sums[best] as number)) best = c;
    groups[row] = best;
    similarity[row] = sums[best] as number;
    total += (weights[row] as number) * (sums[best] as number);
    all += weights[row] as number;
  }
  return { groups, similarity, cohesion: all === 0 ? 0 : total / all };
}

/** Dot products of a row with all centroids, into `sums`. */
export function dotAll(rows: SparseRows, row: number, k: number, centroids: Float32Array, sums: Float64Array): void {
  sums.fill(0);
  for (let at = rows.starts[row] as number; at < (rows.starts[row + 1] as number); at++) {
    const value = rows.values[at] as number;
    const from = (rows.columns[at] as number) * k;
    for (let c = 0; c < k; c++) sums[c] = (sums[c] as number) + value * (centroids[from + c] as number);
  }
}

function starts(rows: SparseRows, k: number, weights: ArrayLike<number>, random: () => number): Float32Array {
  const centroids = new Float32Array(rows.dimensions * k);
  const far = Float64Array.from({ length: rows.rows }, (_, row) => weights[row] as number);
  const dense = new Float64Array(rows.dimensions);
  for (let c = 0; c < k; c++) {
    const start = draw(far, random());
    setCentroid(rows, start, k, c, centroids);
    dense.fill(0);
    each(rows, start, (column, value) => {
      dense[column] = value;
    });
    for (let row = 0; row < rows.rows; row++) {
      let cosine = 0;
      each(rows, row, (column, value) => {
        cosine += value * (dense[column] as number);
      });
      const distance = Math.max(0, 2 - 2 * cosine) * (weights[row] as number);
      if (row === start) far[row] = 0;
      else if (c === 0 || distance < (far[row] as number)) far[row] = distance;
    }
  }
  return centroids;
}

/** Index drawn in proportion to its share; where all shares are zero, evenly. */
function draw(shares: Float64Array, chance: number): number {
  let total = 0;
  for (const share of shares) total += share;
  if (total === 0) return Math.floor(chance * shares.length);
  let left = chance * total;
  for (let at = 0; at < shares.length; at++) {
    left -= shares[at] as number;
    if (left < 0) return at;
  }
  return shares.length - 1;
}

function centroidsOf(rows: SparseRows, k: number, groups: Uint16Array, weights: ArrayLike<number>): Float32Array {
  const sums = new Float64Array(rows.dimensions * k);
  for (let row = 0; row < rows.rows; row++) {
    const [group, weight] = [groups[row] as number, weights[row] as number];
    each(rows, row, (column, value) => {
      sums[column * k + group] = (sums[column * k + group] as number) + weight * value;
    });
  }
  const squares = new Float64Array(k);
  for (let from = 0; from < sums.length; from += k) {
    for (let c = 0; c < k; c++) squares[c] = (squares[c] as number) + (sums[from + c] as number) ** 2;
  }
  const lengths = squares.map(Math.sqrt);
  const centroids = new Float32Array(sums.length);
  for (let from = 0; from < sums.length; from += k) {
    for (let c = 0; c < k; c++)
      if (sums[from + c] !== 0) centroids[from + c] = (sums[from + c] as number) / (lengths[c] as number);
  }
  return centroids;
}

/** Groups without rows start anew at the rows that lie farthest from theirs, one each. */
function refill(rows: SparseRows, k: number, centroids: Float32Array, { groups, similarity }: Assigned): void {
  const sizes = new Uint32Array(k);
  for (const group of groups) (sizes[group] as number)++;
  for (let c = 0; c < k; c++) {
    if (sizes[c] !== 0) continue;
    let farthest = -1;
    for (let row = 0; row < rows.rows; row++) {
      if ((sizes[groups[row] as number] as number) < 2 || rows.starts[row] === rows.starts[row + 1]) continue;
      if (farthest < 0 || (similarity[row] as number) < (similarity[farthest] as number)) farthest = row;
    }
    if (farthest < 0) return;
    (sizes[groups[farthest] as number] as number)--;
    sizes[c] = 1;
    groups[farthest] = c;
    setCentroid(rows, farthest, k, c, centroids);
  }
}

function setCentroid(rows: SparseRows, row: number, k: number, c: number, centroids: Float32Array): void {
  for (let at = c; at < centroids.length; at += k) centroids[at] = 0;
  each(rows, row, (column, value) => {
    centroids[column * k + c] = value;
  });
}

function each(rows: SparseRows, row: number, take: (column: number, value: number) => void): void {
  for (let at = rows.starts[row] as number; at < (rows.starts[row + 1] as number); at++)
    take(rows.columns[at] as number, rows.values[at] as number);
}
