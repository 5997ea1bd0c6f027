import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { microDollars } from '../../src/money/round.ts';

const micro = (...nano: number[]) => [...microDollars(nano.map(BigInt))].map(Number);

describe('nano-dollars become micro-dollars without losing or inventing one', () => {
  const cases: [what: string, nano: number[], micro: number[]][] = [
    ['nothing', [], []],
    ['a third each: the whole rounds to one, the first of equals gets it', [333, 333, 334], [0, 0, 1]],
    ['equal remainders go to the earlier part', [500, 500, 500], [1, 1, 0]],
    ['exact parts stay as they are', [2000, 0, 5000], [2000, 0, 5000].map(n => n / 1000)],
    ['half a micro-dollar rounds up', [500], [1]],
    ['less than half is nothing', [499], [0]],
    ['the largest remainder wins, not the largest part', [9_100, 900], [9, 1]],
    ['a difference: minus one and a half is minus one', [-1500], [-1]],
    ['gains and losses that cancel', [-400, 400], [0, 0]],
  ];
  test.each(cases)('%s', (_, nano, expected) => {
    expect(micro(...nano)).toEqual(expected);
  });

  const parts = fc.array(
    fc.oneof(fc.bigInt({ min: -5000n, max: 5000n }), fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n })),
    { maxLength: 60 },
  );

  test('the parts always add up to the whole, which is rounded once, half up', () => {
    fc.assert(
      fc.property(parts, nano => {
        const whole = nano.reduce((a, b) => a + b, 0n) + 500n;
        const rounded = (whole - (((whole % 1000n) + 1000n) % 1000n)) / 1000n;
        expect(microDollars(nano).reduce((a, b) => a + b, 0n)).toBe(rounded);
      }),
    );
  });

  test('every part stays within one micro-dollar, and never leaves an exact value', () => {
    fc.assert(
      fc.property(parts, nano => {
        microDollars(nano).forEach((part, at) => {
          const off = part * 1000n - (nano[at] as bigint);
          expect(off > -1000n && off < 1000n).toBe(true);
          if ((nano[at] as bigint) % 1000n === 0n) expect(off).toBe(0n);
        });
      }),
    );
  });

  test('a part is never raised before one with a larger remainder', () => {
    fc.assert(
      fc.property(parts, nano => {
        const rest = (n: bigint) => Number(((n % 1000n) + 1000n) % 1000n);
        const raised: number[] = [];
        const left: number[] = [];
        microDollars(nano).forEach((part, at) => {
          const exact = nano[at] as bigint;
          if (rest(exact) !== 0) (part * 1000n > exact ? raised : left).push(rest(exact));
        });
        if (raised.length > 0 && left.length > 0) expect(Math.min(...raised)).toBeGreaterThanOrEqual(Math.max(...left));
      }),
    );
  });
});
