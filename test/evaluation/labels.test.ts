import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  accuracy,
  adjustedRand,
  cohenKappa,
  labelScores,
  macroF1,
  majorityControl,
  randomControl,
  vMeasure,
} from '../../src/evaluation/labels.ts';

/** Labels of one letter each. */
const l = (text: string): string[] => [...text];

const labels = fc.array(fc.constantFrom(...'abc'), { minLength: 2, maxLength: 12 });
const twoOf = (check: (gold: string[], given: string[]) => void) =>
  fc.assert(
    fc.property(labels, labels, (one, other) => {
      const n = Math.min(one.length, other.length);
      check(one.slice(0, n), other.slice(0, n));
    }),
  );

describe('accuracy and F1', () => {
  test('by hand: four of six right', () => {
    // a: 2 of 3 found, 2 of 2 given right; b: 2 of 2 found, 2 of 3 given right; c: never given. d is no true label.
    const [gold, given] = [l('aaabbc'), l('aabbbd')];
    expect(accuracy(gold, given)).toBeCloseTo(4 / 6);
    expect(labelScores(gold, given).map(({ label, f1 }) => [label, f1])).toEqual([
      ['a', 0.8],
      ['b', 0.8],
      ['c', 0],
    ]);
    expect(macroF1(gold, given)).toBeCloseTo(1.6 / 3);
  });

  test('property: F1 is the harmonic mean of precision and recall', () => {
    twoOf((gold, given) => {
      for (const { precision, recall, f1, right } of labelScores(gold, given)) {
        if (right > 0) expect(f1).toBeCloseTo((2 * precision * recall) / (precision + recall));
        else expect(f1).toBe(0);
      }
    });
  });
});

describe('V-measure', () => {
  test.each([
    ['equal groups by other names', 'aabb', 'xxyy', 1, 1, 1],
    ['a group too many', 'aabb', 'xyzz', 1, 2 / 3, 0.8],
    ['all in one', 'aabb', 'xxxx', 0, 1, 0],
    ['unrelated', 'aabb', 'xyxy', 0, 0, 0],
  ])('by hand: %s', (_, gold, given, homogeneity, completeness, v) => {
    const found = vMeasure(l(gold), l(given));
    expect(found.homogeneity).toBeCloseTo(homogeneity);
    expect(found.completeness).toBeCloseTo(completeness);
    expect(found.v).toBeCloseTo(v);
  });

  test('property: is what conditional entropies give, and symmetric', () => {
    const log = (x: number) => (x === 0 ? 0 : x * Math.log(x));
    const conditional = (of: string[], by: string[]) => {
      let sum = 0;
      for (const group of new Set(by)) {
        const own = of.filter((_, at) => by[at] === group);
        for (const label of new Set(own))
          sum -= (own.length / of.length) * log(own.filter(each => each === label).length / own.length);
      }
      return sum;
    };
    twoOf((gold, given) => {
      const whole = conditional(
        gold,
        gold.map(() => 'one'),
      );
      const expected = whole === 0 ? 1 : 1 - conditional(gold, given) / whole;
      expect(vMeasure(gold, given).homogeneity).toBeCloseTo(expected);
      expect(vMeasure(gold, given).v).toBeCloseTo(vMeasure(given, gold).v);
    });
  });
});

describe('adjusted Rand index', () => {
  test.each([
    ['equal groups by other names', 'aabb', 'xxyy', 1],
    // 2 pairs together in gold, 1 in the other, 1 in both, 6 in all: (1 - 1/3) / (3/2 - 1/3)
    ['one group split', 'aabb', 'xxyz', 4 / 7],
    // (0 - 2/3) / (2 - 2/3)
    ['crossing', 'aabb', 'xyxy', -0.5],
    ['all together in both', 'aaa', 'xxx', 1],
    ['all apart in both', 'abc', 'xyz', 1],
  ])('by hand: %s', (_, gold, given, expected) => expect(adjustedRand(l(gold), l(given))).toBeCloseTo(expected));

  test('property: is what counting all pairs gives', () => {
    twoOf((gold, given) => {
      let [both, one, other, all] = [0, 0, 0, 0];
      for (let i = 0; i < gold.length; i++) {
        for (let j = 0; j < i; j++) {
          const [a, b] = [gold[i] === gold[j], given[i] === given[j]];
          all++;
          if (a) one++;
          if (b) other++;
          if (a && b) both++;
        }
      }
      const chance = (one * other) / all;
      const most = (one + other) / 2;
      if (most !== chance) expect(adjustedRand(gold, given)).toBeCloseTo((both - chance) / (most - chance));
    });
  });
});

describe("Cohen's kappa", () => {
  test('by hand: 35 of 50 agree where chance gives half', () => {
    const cells: [string, string, number][] = [
      ['y', 'y', 20],
      ['y', 'n', 5],
      ['n', 'y', 10],
      ['n', 'n', 15],
    ];
    const one = cells.flatMap(([a, , n]) => Array<string>(n).fill(a));
    const other = cells.flatMap(([, b, n]) => Array<string>(n).fill(b));
    expect(cohenKappa(one, other)).toBeCloseTo(0.4);
  });

  test('property: 1 for oneself, symmetric, never above the plain agreement', () => {
    twoOf((one, other) => {
      expect(cohenKappa(one, one)).toBe(1);
      expect(cohenKappa(one, other)).toBeCloseTo(cohenKappa(other, one));
      expect(cohenKappa(one, other)).toBeLessThanOrEqual(accuracy(one, other) + 1e-9);
    });
  });
});

describe('controls', () => {
  test('the majority, and draws that only know the shares', () => {
    expect(majorityControl(l('abcb'))).toEqual(l('bbbb'));
    expect(majorityControl(l('ba'))).toEqual(l('aa'));
    const gold = l('a'.repeat(900) + 'b'.repeat(100));
    const drawn = randomControl(gold, 5);
    expect(randomControl(gold, 5)).toEqual(drawn);
    expect(randomControl(gold, 6)).not.toEqual(drawn);
    expect(accuracy(gold, drawn)).toBeGreaterThan(0.75);
    expect(Math.abs(cohenKappa(gold, drawn))).toBeLessThan(0.1);
  });

  test('labels of other lengths are refused', () => expect(() => accuracy(l('ab'), l('a'))).toThrow(RangeError));
});
