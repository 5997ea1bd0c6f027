import type { Matrix } from '../matrix.ts';

/**
 * The minimum spanning tree of the mutual reachability graph: the distance of two points is the largest of their
 * Euclidean distance and both core distances. n - 1 edges, by rising weight; memory grows with n, never with n².
 */
export interface SpanningTree {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly weight: Float64Array;
}

/** Euclidean distance of two rows. Summed in the order of the coordinates, so that it is the same both ways, bit by bit. */
export function distance({ cells, dims }: Matrix, a: number, b: number): number {
  return Math.sqrt(squareDistance(cells, a * dims, b * dims, dims));
}

/** The sum of one order of additions, for every way in which a pair is met. */
function squareDistance(cells: Float64Array, a: number, b: number, dims: number): number {
  let square = 0;
  for (let d = 0; d < dims; d++) {
    const difference = (cells[a + d] as number) - (cells[b + d] as number);
    square += difference * difference;
  }
  return square;
}

/**
 * The distance of each point to its `minSamples`-th neighbour, the point itself being the first, as in the definition
 * of HDBSCAN* (Campello, Moulavi, Zimek, Sander 2015). With fewer points than that: to the farthest one.
 */
export function coreDistances(points: Matrix, minSamples: number): Float64Array {
  const { rows, dims, cells } = points;
  const others = Math.min(Math.max(minSamples - 1, 0), rows - 1);
  const core = new Float64Array(Math.max(rows, 0));
  if (others <= 0) return core;
  // The nearest others of each point so far, rising; squares until the end. Each pair is measured once.
  const nearest = new Float64Array(rows * others).fill(Number.POSITIVE_INFINITY);
  const worst = new Float64Array(rows).fill(Number.POSITIVE_INFINITY);
  const insert = (row: number, square: number): void => {
    const first = row * others;
    let at = first + others - 1;
    while (at > first && (nearest[at - 1] as number) > square) {
      nearest[at] = nearest[at - 1] as number;
      at--;
    }
    nearest[at] = square;
    worst[row] = nearest[first + others - 1] as number;
  };
  for (let a = 1; a < rows; a++) {
    let worstOfA = worst[a] as number;
    for (let b = 0; b < a; b++) {
      const square = squareDistance(cells, a * dims, b * dims, dims);
      if (square < worstOfA) {
        insert(a, square);
        worstOfA = worst[a] as number;
      }
      if (square < (worst[b] as number)) insert(b, square);
    }
  }
  for (let row = 0; row < rows; row++) core[row] = Math.sqrt(worst[row] as number);
  return core;
}

/**
 * Prim's algorithm over the implicit complete graph. The points that are not in the tree yet are kept dense, so that
 * a step walks memory in order; a pair whose core distance alone is too long is not measured at all.
 */
export function spanningTree(points: Matrix, core: Float64Array): SpanningTree {
  const { rows, dims } = points;
  const edges = Math.max(rows - 1, 0);
  const from = new Uint32Array(edges);
  const to = new Uint32Array(edges);
  const weight = new Float64Array(edges);
  if (edges === 0) return { from, to, weight };
  /** Outside the tree: its points, their coordinates, the shortest way into the tree and where that ends. */
  const point = Uint32Array.from({ length: edges }, (_, i) => i + 1);
  const cells = points.cells.slice(dims);
  const best = new Float64Array(edges).fill(Number.POSITIVE_INFINITY);
  const end = new Uint32Array(edges);
  const here = new Float64Array(dims);
  let current = 0;
  for (let outside = edges; outside > 0; outside--) {
    here.set(points.cells.subarray(current * dims, (current + 1) * dims));
    const reach = core[current] as number;
    let nearest = 0;
    let shortest = Number.POSITIVE_INFINITY;
    for (let i = 0; i < outside; i++) {
      let known = best[i] as number;
      if (reach < known) {
        const length = mutual(cells, i * dims, here, dims, reach, core[point[i] as number] as number, known);
        if (length < known) {
          best[i] = known = length;
          end[i] = current;
        }
      }
      if (known < shortest || (known === shortest && (point[i] as number) < (point[nearest] as number))) {
        shortest = known;
        nearest = i;
      }
    }
    const added = edges - outside;
    from[added] = end[nearest] as number;
    to[added] = current = point[nearest] as number;
    weight[added] = shortest;
    const last = outside - 1;
    point[nearest] = point[last] as number;
    best[nearest] = best[last] as number;
    end[nearest] = end[last] as number;
    cells.copyWithin(nearest * dims, last * dims, (last + 1) * dims);
  }
  return sorted({ from, to, weight });
}

/** The mutual reachability distance, or infinity as soon as it cannot be below `limit`. */
function mutual(
  cells: Float64Array,
  at: number,
  here: Float64Array,
  dims: number,
  reach: number,
  core: number,
  limit: number,
): number {
  if (core >= limit) return Number.POSITIVE_INFINITY;
  let square = 0;
  for (let d = 0; d < dims; d++) {
    const difference = (cells[at + d] as number) - (here[d] as number);
    square += difference * difference;
  }
  const length = Math.sqrt(square);
  return Math.max(length, reach, core);
}

function sorted({ from, to, weight }: SpanningTree): SpanningTree {
  const order = Uint32Array.from(weight, (_, i) => i).sort(
    (a, b) => (weight[a] as number) - (weight[b] as number) || a - b,
  );
  return {
    from: Uint32Array.from(order, at => from[at] as number),
    to: Uint32Array.from(order, at => to[at] as number),
    weight: Float64Array.from(order, at => weight[at] as number),
  };
}
