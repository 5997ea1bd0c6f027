import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../src/meaning/text/hash.ts';
import { assign, kMeans } from '../../../src/meaning/text/kmeans.ts';
import type { SparseRows } from '../../../src/meaning/text/sparse.ts';
import { TfIdf } from '../../../src/meaning/text/tfidf.ts';
import { dot } from '../../support/sparse-dot.ts';

const TOPICS = [
  ['login', 'password', 'session', 'token'],
  ['chart', 'axis', 'legend', 'colour'],
  ['数据库', '索引', '查询', '表'],
];

/** `each` texts of every topic, of four of its words. */
function topical(each: number, seed: number): { rows: SparseRows; topics: number[] } {
  const random = seededRandom(seed);
  const topics = Array.from({ length: each * TOPICS.length }, (_, at) => at % TOPICS.length);
  const texts = topics.map(topic => {
    const own = TOPICS[topic] as string[];
    return Array.from({ length: 4 }, () => own[Math.floor(random() * own.length)]).join(' ');
  });
  return { rows: new TfIdf({ dimensions: 1 << 10 }).fitRows(texts), topics };
}

describe('spherical k-means', () => {
  test('finds topics that share no word, whatever the script', () => {
    const { rows, topics } = topical(20, 1);
    const { groups } = kMeans(rows, { k: 3, seed: 7 });
    const pairs = new Set(topics.map((topic, row) => `${topic} in ${groups[row]}`));
    expect(pairs.size).toBe(3);
  });

  test('property: the same seed gives the same, and each row is with its nearest centroid', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.nat(1000), (k, seed) => {
        const { rows } = topical(6, seed);
        const found = kMeans(rows, { k, seed });
        expect(kMeans(rows, { k, seed })).toEqual(found);
        const near = (row: number, c: number) => {
          const columns = Uint32Array.from({ length: rows.dimensions }, (_, at) => at);
          const values = Float32Array.from(columns, column => found.centroids[column * found.k + c] as number);
          const centroid = {
            rows: 1,
            dimensions: rows.dimensions,
            starts: Uint32Array.of(0, columns.length),
            columns,
            values,
          };
          return dot(rows, row, centroid, 0);
        };
        for (let row = 0; row < rows.rows; row += 5) {
          const all = Array.from({ length: found.k }, (_, c) => near(row, c));
          expect(found.similarity[row]).toBeCloseTo(Math.max(...all), 4);
          expect(all[found.groups[row] as number]).toBeCloseTo(Math.max(...all), 4);
        }
      }),
      { numRuns: 10 },
    );
  });

  test('a row that counts n times is a row that stands n times', () => {
    const once = new TfIdf({ dimensions: 1 << 10 }).fit(['a b', 'b c', 'c d', 'x y']);
    const weighed = kMeans(once.rows(['a b', 'b c', 'x y']), { k: 1, seed: 1, weights: [3, 1, 2] });
    const repeated = kMeans(once.rows(['a b', 'a b', 'a b', 'b c', 'x y', 'x y']), { k: 1, seed: 1 });
    for (let at = 0; at < weighed.centroids.length; at++)
      expect(weighed.centroids[at]).toBeCloseTo(repeated.centroids[at] as number, 5);
  });

  test('no more groups than rows, rows without words, no rows', () => {
    const rows = new TfIdf({ dimensions: 1 << 10 }).fitRows(['a', '', 'a']);
    const found = kMeans(rows, { k: 9, seed: 1 });
    expect(found.k).toBe(3);
    expect(found.groups[0]).toBe(found.groups[2]);
    expect(found.similarity[1]).toBe(0);
    expect(kMeans(new TfIdf({ dimensions: 4 }).fitRows([]), { k: 3, seed: 1 }).groups).toHaveLength(0);
  });

  test('further rows are given to the groups there are', () => {
    const tfidf = new TfIdf({ dimensions: 1 << 12 });
    const rows = tfidf.fitRows(['login password', 'login session', 'chart axis', 'chart legend']);
    const { k, centroids, groups } = kMeans(rows, { k: 2, seed: 3 });
    const later = assign(tfidf.rows(['axis of the chart', 'password']), k, centroids);
    expect([...later.groups]).toEqual([groups[2], groups[0]]);
  });
});
