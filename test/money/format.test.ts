import { expect, test } from 'vitest';
import { formatDollars } from '../../src/money/format.ts';

test.each<[micro: number | bigint, words: string]>([
  [0, '$0.00'],
  [1, '<$0.01'],
  [9_999, '<$0.01'],
  [10_000, '$0.01'],
  [14_999, '$0.01'],
  [15_000, '$0.02'],
  [12_340_000, '$12.34'],
  [999_995_000, '$1,000.00'],
  [1_234_567_890_000, '$1,234,567.89'],
  [10n ** 24n, '$1,000,000,000,000,000,000.00'],
  [-500_000, '-$0.50'],
  [-3, '>-$0.01'],
])('%s micro-dollars read %s', (micro, words) => {
  expect(formatDollars(micro)).toBe(words);
});
