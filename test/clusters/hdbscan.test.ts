import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Clustering, type HdbscanOptions, hdbscan } from '../../src/clusters/hdbscan/hdbscan.ts';
import { coreDistances, distance, spanningTree } from '../../src/clusters/hdbscan/reachability.ts';
import { type Matrix, matrixOf, rowsOf } from '../../src/clusters/matrix.ts';
import { hdbscanByDefinition } from './hdbscan-by-definition.ts';
import { blobs, moons, scattered, seeded } from './shapes.ts';

const OPTIONS: HdbscanOptions = { minClusterSize: 5, minSamples: 5, selection: 'eom' };

/** How many points of each made shape got which label. */
function table(made: readonly number[], { labels }: Clustering): Record<number, Record<number, number>> {
  const counts: Record<number, Record<number, number>> = {};
  made.forEach((shape, i) => {
    const row = (counts[shape] ??= {});
    const label = labels[i] as number;
    row[label] = (row[label] ?? 0) + 1;
  });
  return counts;
}

/** Every made shape has a label of its own that at least `share` of its points got. */
function recovers(made: readonly number[], found: Clustering, share: number): void {
  const counts = table(made, found);
  const winners = Object.values(counts).map(row => {
    const all = Object.values(row).reduce((sum, count) => sum + count, 0);
    const [label, count] = Object.entries(row)
      .filter(([each]) => each !== '-1')
      .sort((a, b) => b[1] - a[1])[0] ?? ['none', 0];
    expect(count / all, `a shape is split or noise: ${JSON.stringify(counts)}`).toBeGreaterThanOrEqual(share);
    return label;
  });
  expect(new Set(winners).size, JSON.stringify(counts)).toBe(winners.length);
  expect(found.clusters).toBe(winners.length);
}

describe('known shapes', () => {
  it('six blobs are six clusters with hardly any noise', () => {
    const at = [
      [0, 0],
      [10, 0],
      [0, 10],
      [10, 10],
      [20, 0],
      [20, 10],
    ];
    const { points, made } = blobs(at.map(middle => ({ at: middle, spread: 0.8, points: 100 })));
    recovers(made, hdbscan(points, { ...OPTIONS, minClusterSize: 12 }), 0.9);
  });

  it('two moons that reach into each other are two clusters', () => {
    const { points, made } = moons(150, 0.04);
    recovers(made, hdbscan(points, { ...OPTIONS, minClusterSize: 40 }), 0.97);
  });

  it('a dense and a thin blob are found together', () => {
    const { points, made } = blobs([
      { at: [0, 0], spread: 0.05, points: 80 },
      { at: [1, 0], spread: 0.05, points: 80 },
      { at: [12, 0], spread: 1.5, points: 80 },
    ]);
    recovers(made, hdbscan(points, { ...OPTIONS, minClusterSize: 15 }), 0.75);
  });

  it('points far from two blobs are noise and have the highest outlier scores', () => {
    const { points, made } = blobs([
      { at: [0, 0, 0], spread: 0.5, points: 60 },
      { at: [9, 9, 9], spread: 0.5, points: 60 },
    ]);
    const far = [
      [60, 0, 0],
      [0, -70, 0],
      [0, 0, 80],
    ];
    const rows = made.map((_, i) => Array.from(points.cells.subarray(i * 3, i * 3 + 3)));
    const found = hdbscan(matrixOf([...rows, ...far]), OPTIONS);
    expect(found.clusters).toBe(2);
    expect([...found.labels.slice(-3)]).toEqual([-1, -1, -1]);
    const ranked = [...found.outlierScores.keys()].sort(
      (a, b) => (found.outlierScores[b] as number) - (found.outlierScores[a] as number),
    );
    expect(new Set(ranked.slice(0, 3))).toEqual(new Set([120, 121, 122]));
  });

  it('spots of duplicates are clusters, each of probability 1', () => {
    const rows = [...Array(20).fill([0, 0]), ...Array(20).fill([1, 0]), ...Array(20).fill([0, 5])];
    const found = hdbscan(matrixOf(rows), OPTIONS);
    expect([...found.labels]).toEqual([...Array(20).fill(0), ...Array(20).fill(1), ...Array(20).fill(2)]);
    expect([...found.probabilities].every(p => p === 1)).toBe(true);
    expect([...found.outlierScores].every(score => score === 0)).toBe(true);
  });

  it('points that are all equal are one cluster', () => {
    const found = hdbscan(matrixOf(Array(30).fill([3, 4])), OPTIONS);
    expect(found.clusters).toBe(1);
    expect([...found.labels]).toEqual(Array(30).fill(0));
  });

  it('two heaps on a line are two clusters', () => {
    const rows = [...Array(20).keys()].flatMap(i => [[i * 0.1], [50 + i * 0.1]]).sort((a, b) => Number(a) - Number(b));
    const found = hdbscan(matrixOf(rows.map(([x]) => [x as number, 2 * (x as number)])), OPTIONS);
    expect([...found.labels]).toEqual([...Array(20).fill(0), ...Array(20).fill(1)]);
  });

  it('evenly spaced points on a line are no clusters, and one if one is allowed', () => {
    const line = matrixOf([...Array(50).keys()].map(i => [i, i]));
    expect(hdbscan(line, OPTIONS).clusters).toBe(0);
    expect([...hdbscan(line, { ...OPTIONS, single: true }).labels]).toEqual(Array(50).fill(0));
  });

  it.each([0, 1, 2, 4])('%d points are fewer than a cluster needs: all noise', n => {
    const found = hdbscan(matrixOf(scattered(n, 3, 1)), OPTIONS);
    expect([...found.labels]).toEqual(Array(n).fill(-1));
    expect(found.clusters).toBe(0);
  });

  it('leaf selection takes the small dense parts that excess of mass joins', () => {
    const { points } = blobs([
      { at: [0, 0], spread: 0.3, points: 60 },
      { at: [2.2, 0], spread: 0.3, points: 60 },
      { at: [40, 0], spread: 0.3, points: 60 },
      { at: [42.2, 0], spread: 0.3, points: 60 },
    ]);
    const options = { ...OPTIONS, minClusterSize: 20 };
    const eom = hdbscan(points, options).clusters;
    expect(hdbscan(points, { ...options, selection: 'leaf' }).clusters).toBeGreaterThanOrEqual(eom);
  });

  it('refuses sizes that make no sense', () => {
    expect(() => hdbscan(matrixOf([[1]]), { ...OPTIONS, minClusterSize: 1 })).toThrow('at least 2 points');
    expect(() => hdbscan(matrixOf([[1]]), { ...OPTIONS, minSamples: 0 })).toThrow('at least 1');
  });
});

/** Small integer coordinates give many equal distances and duplicates, where trees are not unique. */
const anyPoints: fc.Arbitrary<Matrix> = fc
  .integer({ min: 1, max: 3 })
  .chain(dims =>
    fc.array(fc.array(fc.integer({ min: 0, max: 9 }), { minLength: dims, maxLength: dims }), { maxLength: 40 }),
  )
  .map(matrixOf);
const anyOptions: fc.Arbitrary<HdbscanOptions> = fc.record({
  minClusterSize: fc.integer({ min: 2, max: 8 }),
  minSamples: fc.integer({ min: 1, max: 7 }),
  selection: fc.constantFrom('eom' as const, 'leaf' as const),
  single: fc.boolean(),
});

function near(found: Float64Array, expected: Float64Array): void {
  found.forEach((value, i) => {
    expect(value).toBeCloseTo(expected[i] as number, 9);
  });
}

describe('the spanning tree algorithm against the definition', () => {
  const agree = (points: Matrix, options: HdbscanOptions) => {
    const found = hdbscan(points, options);
    const expected = hdbscanByDefinition(points, options);
    expect([...found.labels]).toEqual([...expected.labels]);
    expect(found.clusters).toBe(expected.clusters);
    near(found.probabilities, expected.probabilities);
    near(found.outlierScores, expected.outlierScores);
  };

  it('agrees on any few points, also where many distances are equal', () => {
    fc.assert(fc.property(anyPoints, anyOptions, agree), { numRuns: 400 });
  });

  it.each([1, 2, 3])('agrees on blobs with scattered points between, seed %d', seed => {
    const { points, made } = blobs(
      [
        { at: [0, 0], spread: 1, points: 40 },
        { at: [6, 1], spread: 0.4, points: 30 },
        { at: [3, 8], spread: 2, points: 40 },
      ],
      seed,
    );
    const rows = made.map((_, i) => Array.from(points.cells.subarray(i * 2, i * 2 + 2)));
    const mixed = matrixOf([...rows, ...scattered(30, 2, 12, seed)]);
    for (const selection of ['eom', 'leaf'] as const) agree(mixed, { minClusterSize: 8, minSamples: 4, selection });
  });
});

describe('laws', () => {
  it('the order of the points changes nothing but the numbering', () => {
    const random = seeded(7);
    const { points } = moons(60, 0.1);
    const order = [...Array(points.rows).keys()].sort(() => random() - 0.5);
    const found = hdbscan(points, OPTIONS);
    const shuffled = hdbscan(rowsOf(points, order), OPTIONS);
    const pairs = new Set(order.map((from, at) => `${found.labels[from]} ${shuffled.labels[at]}`));
    expect(pairs.size).toBe(new Set(found.labels).size);
  });

  it('scale changes nothing', () => {
    fc.assert(
      fc.property(anyPoints, anyOptions, (points, options) => {
        const larger = { ...points, cells: points.cells.map(cell => cell * 1024) };
        expect([...hdbscan(larger, options).labels]).toEqual([...hdbscan(points, options).labels]);
      }),
    );
  });

  it('core distances count the point itself first', () => {
    const line = matrixOf([[0], [1], [3], [7]]);
    expect([...coreDistances(line, 1)]).toEqual([0, 0, 0, 0]);
    expect([...coreDistances(line, 2)]).toEqual([1, 1, 2, 4]);
    expect([...coreDistances(line, 3)]).toEqual([3, 2, 3, 6]);
    expect([...coreDistances(line, 99)]).toEqual([7, 6, 4, 7]);
  });

  it('a spanning tree weighs what the sum of a greedy tree over all pairs weighs', () => {
    fc.assert(
      fc.property(anyPoints, points => {
        const core = coreDistances(points, 3);
        const pairs: [number, number, number][] = [];
        for (let a = 0; a < points.rows; a++)
          for (let b = 0; b < a; b++)
            pairs.push([Math.max(distance(points, a, b), core[a] as number, core[b] as number), a, b]);
        const part = [...Array(points.rows).keys()];
        let greedy = 0;
        for (const [length, a, b] of pairs.sort((x, y) => x[0] - y[0])) {
          if (part[a] === part[b]) continue;
          greedy += length;
          const [from, to] = [part[b], part[a] as number];
          part.forEach((each, i) => {
            if (each === from) part[i] = to;
          });
        }
        const tree = spanningTree(points, core);
        expect(tree.weight.reduce((sum, length) => sum + length, 0)).toBeCloseTo(greedy, 9);
      }),
    );
  });
});
