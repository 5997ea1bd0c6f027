import { expect, test } from 'vitest';
import { bootstrap } from '../../src/evaluation/bootstrap.ts';

const mean = (values: readonly number[]) => (weights: Uint32Array) => {
  const n = weights.reduce((sum, weight) => sum + weight, 0);
  return { mean: values.reduce((sum, value, at) => sum + value * (weights[at] as number), 0) / n };
};

test('the interval of a mean is that of the normal approximation', () => {
  const values = Array.from({ length: 400 }, (_, at) => at % 2);
  const [low, high] = bootstrap(
    values.map((_, at) => at),
    4000,
    mean(values),
  ).mean;
  expect(low).toBeCloseTo(0.5 - 1.96 * (0.5 / 20), 1);
  expect(high).toBeCloseTo(0.5 + 1.96 * (0.5 / 20), 1);
});

test('items of one cluster come together, so few clusters give wide intervals', () => {
  const values = Array.from({ length: 400 }, (_, at) => (at < 200 ? 0 : 1));
  const [low, high] = bootstrap(
    values.map(value => value),
    1000,
    mean(values),
  ).mean;
  expect([low, high]).toEqual([0, 1]);
});

test('the same items give the same interval', () => {
  const values = [1, 4, 2, 8, 5];
  const once = () => bootstrap([0, 1, 2, 3, 4], 500, mean(values));
  expect(once()).toEqual(once());
});
