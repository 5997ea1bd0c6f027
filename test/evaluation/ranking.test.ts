import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { averagePrecision, rankingResults } from '../../src/evaluation/ranking.ts';

const query = (scores: number[], positives: number[]) => ({
  scores,
  positive: scores.map((_, at) => positives.includes(at)),
});

describe('average precision', () => {
  test.each([
    ['the positive first', [3, 2, 1], [0], 1],
    ['the positive last', [3, 2, 1], [2], 1 / 3],
    ['two of three', [3, 2, 1], [0, 2], (1 + 2 / 3) / 2],
    ['a tie counts as if it were looked through to its end', [2, 2, 1], [0], 1 / 2],
    ['all equal: the share of positives', [1, 1, 1, 1], [1], 1 / 4],
  ])('%s', (_, scores, positives, expected) => {
    expect(averagePrecision(query(scores, positives))).toBeCloseTo(expected, 12);
  });

  test('a query without a positive has none', () => {
    expect(averagePrecision(query([1, 2], []))).toBeUndefined();
  });

  test('is the mean over positives of how many of those ranked no lower are positive', () => {
    const cases = fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.boolean()), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(cases, items => {
        const scores = items.map(([score]) => score);
        const positive = items.map(([, is]) => is);
        const each = items
          .filter(([, is]) => is)
          .map(([score]) => {
            const above = items.filter(([other]) => other >= score);
            return above.filter(([, is]) => is).length / above.length;
          });
        const mean = each.length === 0 ? undefined : each.reduce((sum, value) => sum + value, 0) / each.length;
        const found = averagePrecision({ scores, positive });
        if (mean === undefined) expect(found).toBeUndefined();
        else expect(found).toBeCloseTo(mean, 12);
      }),
    );
  });
});

test('what breaking ties alone would gain stands beside, and sessions without a positive are counted', () => {
  const queries = [query([1, 1, 1, 1], [0]), query([1, 1, 1, 1], [0]), query([1, 2], [])];
  const { queries: used, skipped, results } = rankingResults(new Map([['flat', queries]]), 50);
  expect([used, skipped]).toEqual([2, 1]);
  expect(results[0]).toMatchObject({ ranking: 'flat', map: 0.25, interval: [0.25, 0.25], first: 1, last: 0.25 });
  // By chance: the mean of 1, 1/2, 1/3 and 1/4.
  expect(results[0]?.random).toBeCloseTo(25 / 48, 1);
});
