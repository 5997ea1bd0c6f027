import { seededRandom } from '../../meaning/text/hash.ts';
import { emptyMatrix, type Matrix } from '../matrix.ts';
import { eigenOfSymmetric } from './eigen.ts';

/** Directions beyond those asked for, which make the last of them exact sooner, and rounds of iteration. */
const SPARE = 8;
const ROUNDS = 6;

export interface Components {
  /** The points in the new axes, the widest first. */
  readonly points: Matrix;
  /** Variance along each axis. */
  readonly variances: Float64Array;
  /** Variance of all axes together, also of those left out. */
  readonly total: number;
}

/**
 * Principal components by seeded subspace iteration (Halko, Martinsson, Tropp 2011): time and memory grow with points x
 * dims, no matrix of dims² is made. Fewer components come back where the points span fewer. The sign of an axis is
 * such that its largest loading is positive, so that equal points give equal numbers.
 */
export function principalComponents(points: Matrix, components: number, seed: number): Components {
  const { rows, dims } = points;
  const centred = centre(points);
  const total = centred.cells.reduce((sum, cell) => sum + cell * cell, 0) / Math.max(1, rows - 1);
  const wanted = Math.max(1, Math.min(components, dims, Math.max(1, rows - 1)));
  const width = Math.min(wanted + SPARE, dims, rows);
  const random = seededRandom(seed);
  // Axes are kept as rows: axis k has its loadings from k * dims on.
  let axes: Matrix = { rows: width, dims, cells: Float64Array.from({ length: width * dims }, () => random() - 0.5) };
  orthonormalise(axes);
  for (let round = 0; round < ROUNDS; round++) {
    axes = back(centred, onto(centred, axes));
    orthonormalise(axes);
  }
  const projected = onto(centred, axes);
  const { values, vectors } = eigenOfSymmetric(gram(projected), width);
  const kept = values.findIndex((value, k) => k >= wanted || value <= 1e-12 * Math.max(values[0] as number, 1e-300));
  const count = Math.max(1, kept < 0 ? Math.min(wanted, values.length) : kept);
  const turned = emptyMatrix(rows, count);
  const signs = Array.from({ length: count }, (_, k) => signOf(axes, vectors, k, width));
  for (let row = 0; row < rows; row++) {
    for (let k = 0; k < count; k++) {
      let sum = 0;
      for (let j = 0; j < width; j++)
        sum += (projected.cells[row * width + j] as number) * (vectors[k * width + j] as number);
      turned.cells[row * count + k] = (signs[k] as number) * sum;
    }
  }
  const variances = Float64Array.from(values.subarray(0, count), value => Math.max(0, value) / Math.max(1, rows - 1));
  return { points: turned, variances, total };
}

function centre({ rows, dims, cells }: Matrix): Matrix {
  const mean = new Float64Array(dims);
  for (let row = 0; row < rows; row++)
    for (let d = 0; d < dims; d++) mean[d] = (mean[d] as number) + (cells[row * dims + d] as number) / rows;
  const centred = cells.slice();
  for (let at = 0; at < centred.length; at++) centred[at] = (centred[at] as number) - (mean[at % dims] as number);
  return { rows, dims, cells: centred };
}

/** Coordinates of each point along each axis. */
function onto(points: Matrix, axes: Matrix): Matrix {
  const { dims } = points;
  const result = emptyMatrix(points.rows, axes.rows);
  for (let row = 0; row < points.rows; row++) {
    const point = points.cells.subarray(row * dims, (row + 1) * dims);
    for (let k = 0; k < axes.rows; k++) {
      let sum = 0;
      for (let d = 0, at = k * dims; d < dims; d++, at++) sum += (point[d] as number) * (axes.cells[at] as number);
      result.cells[row * axes.rows + k] = sum;
    }
  }
  return result;
}

/** The sum of the points, weighed by their coordinates along each axis: the next axes. */
function back(points: Matrix, coordinates: Matrix): Matrix {
  const { dims } = points;
  const width = coordinates.dims;
  const axes = emptyMatrix(width, dims);
  for (let row = 0; row < points.rows; row++) {
    const point = points.cells.subarray(row * dims, (row + 1) * dims);
    for (let k = 0; k < width; k++) {
      const weight = coordinates.cells[row * width + k] as number;
      for (let d = 0, at = k * dims; d < dims; d++, at++)
        axes.cells[at] = (axes.cells[at] as number) + weight * (point[d] as number);
    }
  }
  return axes;
}

/** Gram and Schmidt, twice over, so that rounding leaves no trace; a row that depends on those before it becomes zero. */
function orthonormalise({ rows, dims, cells }: Matrix): void {
  for (let k = 0; k < rows; k++) {
    const own = cells.subarray(k * dims, (k + 1) * dims);
    const before = Math.hypot(...chunked(own));
    for (let pass = 0; pass < 2; pass++) {
      for (let j = 0; j < k; j++) {
        const other = cells.subarray(j * dims, (j + 1) * dims);
        let dot = 0;
        for (let d = 0; d < dims; d++) dot += (own[d] as number) * (other[d] as number);
        for (let d = 0; d < dims; d++) own[d] = (own[d] as number) - dot * (other[d] as number);
      }
    }
    const length = Math.hypot(...chunked(own));
    const gone = !(length > 1e-10 * before);
    for (let d = 0; d < dims; d++) own[d] = gone ? 0 : (own[d] as number) / length;
  }
}

/** Lengths of parts of a vector; the length of these is that of the whole. */
function chunked(vector: Float64Array): number[] {
  const parts: number[] = [];
  for (let from = 0; from < vector.length; from += 64) {
    let square = 0;
    for (let d = from; d < Math.min(from + 64, vector.length); d++) square += (vector[d] as number) ** 2;
    parts.push(Math.sqrt(square));
  }
  return parts;
}

function gram({ rows, dims, cells }: Matrix): Float64Array {
  const products = new Float64Array(dims * dims);
  for (let row = 0; row < rows; row++) {
    for (let a = 0; a < dims; a++) {
      const weight = cells[row * dims + a] as number;
      for (let b = 0; b < dims; b++)
        products[a * dims + b] = (products[a * dims + b] as number) + weight * (cells[row * dims + b] as number);
    }
  }
  return products;
}

function signOf(axes: Matrix, vectors: Float64Array, k: number, width: number): number {
  let largest = 0;
  for (let d = 0; d < axes.dims; d++) {
    let loading = 0;
    for (let j = 0; j < width; j++)
      loading += (vectors[k * width + j] as number) * (axes.cells[j * axes.dims + d] as number);
    if (Math.abs(loading) > Math.abs(largest) + 1e-12) largest = loading;
  }
  return largest < 0 ? -1 : 1;
}
