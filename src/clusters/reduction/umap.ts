import { UMAP } from 'umap-js';
import { hash32, seededRandom } from '../../meaning/text/hash.ts';
import { emptyMatrix, type Matrix } from '../matrix.ts';
import type { Neighbours } from './neighbours.ts';

export interface UmapOptions {
  readonly components: number;
  readonly minDist: number;
  readonly seed: number;
  readonly epochs?: number;
}

/** Half the width of the space in which the layout begins, and how far points that start on one spot are put apart. */
const HALF = 10;
const APART = 1e-2;

/**
 * UMAP (McInnes, Healy, Melville 2018) through umap-js, from exact neighbours. The layout begins at the principal
 * components of the points (`start`) instead of at random places: far groups stay where they were, and another seed
 * gives nearly the same picture. The same points and seed give the same numbers.
 */
export function umap(points: Matrix, neighbours: Neighbours, start: Matrix, options: UmapOptions): Matrix {
  const { rows } = points;
  const { k } = neighbours;
  const random = seededRandom(hash32('umap', options.seed));
  const layout = new UMAP({
    nComponents: options.components,
    // The point itself is among them.
    nNeighbors: k,
    minDist: options.minDist,
    random,
    ...(options.epochs === undefined ? {} : { nEpochs: options.epochs }),
  });
  const slices = <T>(cells: ArrayLike<T>): T[][] =>
    Array.from({ length: rows }, (_, row) => Array.from({ length: k }, (_, at) => cells[row * k + at] as T));
  layout.setPrecomputedKNN(slices(neighbours.index), slices(neighbours.distance));
  // It looks at the number of points alone: their neighbours are given.
  const epochs = layout.initializeFit(Array.from({ length: rows }, () => []));
  place(layout.getEmbedding(), start, random);
  for (let epoch = 0; epoch < epochs; epoch++) layout.step();
  const result = emptyMatrix(rows, options.components);
  layout.getEmbedding().forEach((row, at) => {
    result.cells.set(row, at * options.components);
  });
  return result;
}

function place(embedding: number[][], start: Matrix, random: () => number): void {
  let widest = 0;
  for (const cell of start.cells) widest = Math.max(widest, Math.abs(cell));
  embedding.forEach((row, at) => {
    for (let d = 0; d < row.length; d++) {
      const cell = d < start.dims ? (start.cells[at * start.dims + d] as number) : 0;
      row[d] = (widest > 0 ? (HALF * cell) / widest : 0) + APART * (random() - 0.5);
    }
  });
}
