import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exactly, phrase, share, words } from '../../src/formats/units.ts';
import type { Measure } from '../../src/trace/measures.ts';

const S = 1_000_000_000n;
const MIN = 60n * S;
const H = 60n * MIN;

describe('values in words', () => {
  test.each<[bigint, Measure['unit'], string]>([
    [0n, 'count', '0'],
    [999n, 'count', '999'],
    [1_000n, 'count', '1.0 k'],
    [1_249n, 'count', '1.2 k'],
    [99_949n, 'count', '99.9 k'],
    [99_950n, 'count', '100 k'],
    [999_499n, 'count', '999 k'],
    [999_500n, 'count', '1.0 M'],
    [12_412_345n, 'count', '12.4 M'],
    [3_000_000_000n, 'count', '3.0 B'],
    [12_345_000_000_000_000n, 'count', '12,345 T'],
    [-1_500n, 'count', '-1.5 k'],
    [0n, 'nanoseconds', '0 s'],
    [7n, 'nanoseconds', '7 ns'],
    [1_500n, 'nanoseconds', '2 µs'],
    [999_600n, 'nanoseconds', '1 ms'],
    [340_000_000n, 'nanoseconds', '340 ms'],
    [12_340_000_000n, 'nanoseconds', '12.3 s'],
    [59_960_000_000n, 'nanoseconds', '1 min'],
    [4n * MIN + 5n * S, 'nanoseconds', '4 min 5 s'],
    [H - 1n, 'nanoseconds', '1 h'],
    [3n * H + 12n * MIN, 'nanoseconds', '3 h 12 min'],
    [47n * H + 59n * MIN, 'nanoseconds', '47 h 59 min'],
    [51n * H, 'nanoseconds', '2 d 3 h'],
    [104n * 24n * H, 'nanoseconds', '104 d'],
    [0n, 'microusd', '$0'],
    [3n, 'microusd', '$0.000003'],
    [4_230n, 'microusd', '$0.0042'],
    [9_949n, 'microusd', '$0.0099'],
    [9_950n, 'microusd', '$0.01'],
    [1_234_567n, 'microusd', '$1.23'],
    [1_234_560_000n, 'microusd', '$1,234.56'],
    [12_345_678_901n, 'microusd', '$12,346'],
    [-1_230_000n, 'microusd', '-$1.23'],
  ])('%d of %s is %s', (value, unit, expected) => {
    expect(words(value, unit)).toBe(expected);
  });

  test.each<[bigint, Measure['unit'], string]>([
    [12_412_345n, 'count', '12,412,345'],
    [11_531_204_000_000n, 'nanoseconds', '11,531.204 s'],
    [5n * S, 'nanoseconds', '5 s'],
    [1_234_567n, 'microusd', '$1.234567'],
    [1_200_000n, 'microusd', '$1.20'],
    [-9_007_199_254_740_993n, 'count', '-9,007,199,254,740,993'],
  ])('%d of %s is exactly %s', (value, unit, expected) => {
    expect(exactly(value, unit)).toBe(expected);
  });

  test.each<[bigint, Measure, string]>([
    [12_412_345n, { name: 'tokens', unit: 'count' }, '12.4 M tokens'],
    [1n, { name: 'tokens', unit: 'count' }, '1 token'],
    [2n, { name: 'cache_read_tokens', unit: 'count' }, '2 cache read tokens'],
    [3n, { name: 'network', unit: 'count' }, '3 network contacts'],
    [3n * H, { name: 'time', unit: 'nanoseconds' }, '3 h of activity'],
    [1_230_000n, { name: 'cost', unit: 'microusd' }, '$1.23'],
  ])('%d of a measure needs no heading: %o is "%s"', (value, measure, expected) => {
    expect(phrase(value, measure)).toBe(expected);
  });

  test('a difference says its sign, and zero has none', () => {
    expect([words(1_200n, 'count', true), words(-5n, 'count', true), words(0n, 'count', true)]).toEqual([
      '+1.2 k',
      '-5',
      '0',
    ]);
  });

  test.each([
    [1n, 3n, '33.3 %'],
    [0n, 3n, '0 %'],
    [3n, 3n, '100 %'],
    [1n, 1_000_000n, '< 0.1 %'],
    [999_999n, 1_000_000n, '> 99.9 %'],
    [5n, 0n, ''],
  ])('%d of %d is %s', (part, whole, expected) => {
    expect(share(part, whole)).toBe(expected);
  });

  test('the exact form can be read back', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(1n << 62n), max: 1n << 62n }), value => {
        expect(BigInt(exactly(value, 'count').replaceAll(',', ''))).toBe(value);
        const [whole, part = ''] = exactly(value, 'nanoseconds')
          .replace(/[-, s]/g, '')
          .split('.');
        expect(BigInt(whole + part.padEnd(9, '0'))).toBe(value < 0n ? -value : value);
      }),
    );
  });

  test('words are never longer than a label can bear, and rounding loses less than a twentieth', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 999_499_999_999_999n }), value => {
        const said = words(value, 'count');
        expect(said.length).toBeLessThanOrEqual(6);
        const factor = { k: 1e3, M: 1e6, B: 1e9, T: 1e12 }[said.split(' ')[1] ?? ''] ?? 1;
        expect(Math.abs(Number.parseFloat(said) * factor - Number(value))).toBeLessThanOrEqual(Number(value) / 20);
      }),
    );
  });
});
