import { type Matrix, normalised } from '../matrix.ts';

/** The nearest points of each point, itself first, with their distances; row `i` from `i * k` on. */
export interface Neighbours {
  readonly k: number;
  readonly index: Uint32Array;
  readonly distance: Float64Array;
}

/** Exact nearest neighbours by 1 - cosine; of equally near ones the first. `k` counts the point itself. */
export function cosineNeighbours(points: Matrix, k: number): Neighbours {
  const unit = normalised(points);
  return nearest(points.rows, k, (a, b) => {
    const { cells, dims } = unit;
    let dot = 0;
    for (let d = 0, x = a * dims, y = b * dims; d < dims; d++)
      dot += (cells[x + d] as number) * (cells[y + d] as number);
    return Math.max(0, 1 - dot);
  });
}

export function euclideanNeighbours({ rows, dims, cells }: Matrix, k: number): Neighbours {
  return nearest(rows, k, (a, b) => {
    let square = 0;
    for (let d = 0, x = a * dims, y = b * dims; d < dims; d++)
      square += ((cells[x + d] as number) - (cells[y + d] as number)) ** 2;
    return Math.sqrt(square);
  });
}

/** Each pair is measured once; memory grows with rows x k. */
function nearest(rows: number, wanted: number, distanceOf: (a: number, b: number) => number): Neighbours {
  const k = Math.min(wanted, rows);
  const index = new Uint32Array(rows * k);
  const distance = new Float64Array(rows * k).fill(Number.POSITIVE_INFINITY);
  for (let row = 0; row < rows; row++) {
    index[row * k] = row;
    distance[row * k] = 0;
  }
  if (k < 2) return { k, index, distance };
  const insert = (row: number, other: number, length: number): void => {
    const first = row * k + 1;
    let at = row * k + k - 1;
    while (at > first && (distance[at - 1] as number) > length) {
      distance[at] = distance[at - 1] as number;
      index[at] = index[at - 1] as number;
      at--;
    }
    distance[at] = length;
    index[at] = other;
  };
  for (let a = 1; a < rows; a++) {
    for (let b = 0; b < a; b++) {
      const length = distanceOf(a, b);
      if (length < (distance[a * k + k - 1] as number)) insert(a, b, length);
      if (length < (distance[b * k + k - 1] as number)) insert(b, a, length);
    }
  }
  return { k, index, distance };
}

/**
 * How much of the neighbourhoods a reduction keeps: the mean share of each point's nearest in one space that are among
 * its nearest in the other, 0 to 1. Chance gives about k / rows.
 */
export function preservation(one: Neighbours, other: Neighbours): number {
  const rows = one.index.length / one.k;
  let kept = 0;
  for (let row = 0; row < rows; row++) {
    const here = new Set(one.index.subarray(row * one.k + 1, (row + 1) * one.k));
    for (const each of other.index.subarray(row * other.k + 1, (row + 1) * other.k)) if (here.has(each)) kept++;
  }
  return rows === 0 || one.k < 2 ? 1 : kept / (rows * (one.k - 1));
}
