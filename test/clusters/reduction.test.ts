import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matrixOf, rowOf } from '../../src/clusters/matrix.ts';
import { eigenOfSymmetric } from '../../src/clusters/reduction/eigen.ts';
import { cosineNeighbours, euclideanNeighbours, preservation } from '../../src/clusters/reduction/neighbours.ts';
import { principalComponents } from '../../src/clusters/reduction/pca.ts';
import { umap } from '../../src/clusters/reduction/umap.ts';
import { type Blob, blobs, scattered, seeded } from './shapes.ts';

function groups(count: number, dims: number, points: number, spread = 0.4): Blob[] {
  const random = seeded(11);
  return Array.from({ length: count }, () => ({
    at: scattered(1, dims, 4, random() * 1e9)[0] as number[],
    spread,
    points,
  }));
}

describe('principal components', () => {
  it('the widest axis of a stretched cloud comes first and carries its variance', () => {
    const random = seeded(2);
    const rows = Array.from({ length: 400 }, () => {
      const [long, short] = [20 * (random() - 0.5), 2 * (random() - 0.5)];
      return [long * 0.6 - short * 0.8, long * 0.8 + short * 0.6, 5];
    });
    const { points, variances, total } = principalComponents(matrixOf(rows), 3, 1);
    expect(points.dims).toBe(2); // the third axis has no width
    expect(variances[0]).toBeGreaterThan(25);
    expect((variances[0] as number) + (variances[1] as number)).toBeCloseTo(total, 6);
  });

  it('as many components as the points span keep every distance', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 4, maxLength: 4 }), {
          minLength: 6,
          maxLength: 20,
        }),
        rows => {
          const before = matrixOf(rows);
          const { points } = principalComponents(before, 4, 5);
          const lengths = (m: typeof before) =>
            rows.map((_, i) => Math.hypot(...rowOf(m, i).map((cell, d) => cell - (rowOf(m, 0)[d] as number))));
          lengths(points).forEach((length, i) => {
            expect(length).toBeCloseTo(lengths(before)[i] as number, 5);
          });
        },
      ),
    );
  });

  it('points on one spot have one axis without width', () => {
    const { points, total } = principalComponents(matrixOf(Array(8).fill([1, 2, 3])), 2, 1);
    expect(total).toBe(0);
    expect([...points.cells].every(cell => cell === 0)).toBe(true);
  });

  it('eigenvectors of a symmetric matrix give the matrix back', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 16, maxLength: 16 }), cells => {
        const size = 4;
        const matrix = new Float64Array(16);
        for (let i = 0; i < 16; i++)
          matrix[i] = ((cells[i] as number) + (cells[(i % size) * size + Math.floor(i / size)] as number)) / 2;
        const { values, vectors } = eigenOfSymmetric(matrix, size);
        for (let i = 0; i < size; i++)
          for (let j = 0; j < size; j++) {
            let sum = 0;
            for (let k = 0; k < size; k++)
              sum += (values[k] as number) * (vectors[k * size + i] as number) * (vectors[k * size + j] as number);
            expect(sum).toBeCloseTo(matrix[i * size + j] as number, 8);
          }
      }),
    );
  });
});

describe('neighbours', () => {
  it('each row is the sorted row of the whole matrix', () => {
    const points = matrixOf(scattered(60, 3, 1));
    const { k, index, distance } = euclideanNeighbours(points, 6);
    for (let row = 0; row < 60; row++) {
      const all = [...Array(60).keys()]
        .map(other => Math.hypot(...rowOf(points, row).map((cell, d) => cell - (rowOf(points, other)[d] as number))))
        .sort((a, b) => a - b);
      distance.subarray(row * k, row * k + k).forEach((length, at) => {
        expect(length).toBeCloseTo(all[at] as number, 12);
      });
      expect(index[row * k]).toBe(row);
    }
  });

  it('length plays no part in the cosine', () => {
    const rows = scattered(40, 5, 1);
    const stretched = rows.map((row, at) => row.map(cell => cell * (1 + at)));
    expect([...cosineNeighbours(matrixOf(rows), 5).index]).toEqual([...cosineNeighbours(matrixOf(stretched), 5).index]);
  });
});

describe('UMAP', () => {
  const { points, made } = blobs(groups(5, 20, 50));
  const near = cosineNeighbours(points, 15);
  const start = principalComponents(points, 10, 1).points;
  const lay = (seed: number, components = 2) =>
    umap(points, near, start, { components, minDist: 0, seed, epochs: 200 });

  it('keeps neighbours: far above chance, and those of one group together', async () => {
    const low = await lay(1);
    const kept = preservation(near, euclideanNeighbours(low, 15));
    const chance = 15 / points.rows;
    expect(kept).toBeGreaterThan(4 * chance);
    const strangers = euclideanNeighbours(low, 15).index.filter(
      (other, at) => made[other] !== made[Math.floor(at / 15)],
    );
    expect(strangers.length).toBe(0);
  });

  it('the same seed gives the same numbers, another seed others', async () => {
    const [one, again, other] = [await lay(1), await lay(1), await lay(2)];
    expect([...one.cells]).toEqual([...again.cells]);
    expect([...one.cells]).not.toEqual([...other.cells]);
  });

  it('lays duplicates out without numbers that are none', async () => {
    const same = matrixOf(Array(40).fill([1, 2, 3]));
    const low = await umap(same, cosineNeighbours(same, 10), principalComponents(same, 2, 1).points, {
      components: 2,
      minDist: 0,
      seed: 1,
      epochs: 50,
    });
    expect([...low.cells].every(Number.isFinite)).toBe(true);
  });
});
