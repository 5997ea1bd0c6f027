import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agreementOf, scoresOf } from '../../src/evaluation/agreement.ts';

/** Groups as letters, one an operation: `aabbc`. Cuts begin a stretch: `|` before an operation. */
const goldOf = (letters: string) => [...letters].map(letter => letter.charCodeAt(0));
const cutsOf = (drawing: string): number[] => {
  return drawing.split('|').flatMap((part, which) => [...part].map((_, at) => (at === 0 && which > 0 ? 1 : 0)));
};
const scores = (...sessions: [drawing: string, gold: string][]) =>
  scoresOf(sessions.map(([drawing, gold]) => agreementOf(cutsOf(drawing), goldOf(gold))));
const close = ({ p, r, f1 }: { p: number; r: number; f1: number }) => [p, r, f1].map(x => Math.round(x * 1e6) / 1e6);

describe('scores of cuts against gold groups, worked out by hand', () => {
  test('equal groups agree wholly', () => {
    const { b3, boundary, near } = scores(['..|..|.', 'aabbc']);
    expect([close(b3), close(boundary), close(near)]).toEqual([
      [1, 1, 1],
      [1, 1, 1],
      [1, 1, 1],
    ]);
  });

  test('no cut: precision is the share of each group, recall is whole, no boundary is found', () => {
    // P: 3 operations at 3/4 and 1 at 1/4.
    const { b3, boundary } = scores(['....', 'aaab']);
    expect(close(b3)).toEqual([0.625, 1, 0.769231]);
    expect(close(boundary)).toEqual([0, 0, 0]);
  });

  test('every cut: precision is whole, recall is one over the size of each group', () => {
    // R: (1/3 + 1/3 + 1/3 + 1) / 4.
    const { b3, boundary } = scores(['.|.|.|.', 'aaab']);
    expect(close(b3)).toEqual([1, 0.5, 0.666667]);
    expect(close(boundary)).toEqual([0.333333, 1, 0.5]);
  });

  test('a boundary one off counts for the near score alone', () => {
    const { boundary, near } = scores(['..|....', 'aaabbb']);
    expect([close(boundary), close(near)]).toEqual([
      [0, 0, 0],
      [1, 1, 1],
    ]);
  });

  test('two cuts beside one boundary find it once', () => {
    expect(close(scores(['..|.|.', 'aaab']).near)).toEqual([0.5, 1, 0.666667]);
  });

  test('a gold group that comes back is one group, and each return a boundary', () => {
    // Predicted a|b|a: each a of two is found half; R = (1/2 + 1 + 1/2) / 3.
    const { b3, boundary } = scores(['.|.|.', 'aba']);
    expect(close(b3)).toEqual([1, 0.666667, 0.8]);
    expect(close(boundary)).toEqual([1, 1, 1]);
  });

  test('sessions are pooled by operation, and groups of two sessions never meet', () => {
    const { b3, boundary } = scores(['..', 'aa'], ['.|.', 'aa']);
    expect(close(b3)).toEqual([1, 0.75, 0.857143]);
    expect(close(boundary)).toEqual([0, 0, 0]);
  });

  test('a session counts as often as it is drawn', () => {
    const own = [agreementOf([0, 0], goldOf('aa')), agreementOf([0, 1], goldOf('aa'))];
    expect(scoresOf(own, [3, 1]).b3.r).toBeCloseTo((6 + 1) / 8);
    expect(scoresOf(own, [0, 0]).b3).toEqual({ p: 0, r: 0, f1: 0 });
  });
});

/** The definitions as they are written down, each operation compared with each other. */
function byDefinition(cuts: readonly number[], gold: readonly number[]) {
  const n = gold.length;
  const group = cuts.map((_, at) => cuts.slice(1, at + 1).filter(cut => cut === 1).length);
  const others = (of: readonly number[], at: number) => of.flatMap((code, other) => (code === of[at] ? [other] : []));
  let [p, r] = [0, 0];
  for (let at = 0; at < n; at++) {
    const [mine, theirs] = [others(group, at), others(gold, at)];
    const both = mine.filter(other => theirs.includes(other)).length;
    p += both / mine.length / n;
    r += both / theirs.length / n;
  }
  const changes = (of: readonly number[]) => of.flatMap((code, at) => (at > 0 && code !== of[at - 1] ? [at] : []));
  const [found, real] = [changes(group), changes(gold)];
  return { p, r, hits: found.filter(at => real.includes(at)).length, found, real, near: mostPairs(found, real) };
}

/** The most pairs at most one apart, by trying all. */
function mostPairs(found: readonly number[], real: readonly number[]): number {
  const [first, ...rest] = found;
  if (first === undefined) return 0;
  const paired = real
    .filter(at => Math.abs(at - first) <= 1)
    .map(
      at =>
        1 +
        mostPairs(
          rest,
          real.filter(other => other !== at),
        ),
    );
  return Math.max(mostPairs(rest, real), ...paired);
}

test('the scores are those of the definitions, whatever is cut', () => {
  const session = fc
    .integer({ min: 1, max: 12 })
    .chain(n =>
      fc.tuple(
        fc.array(fc.integer({ min: 0, max: 1 }), { minLength: n, maxLength: n }),
        fc.array(fc.integer({ min: 0, max: 3 }), { minLength: n, maxLength: n }),
      ),
    );
  fc.assert(
    fc.property(session, ([cuts, gold]) => {
      const { b3, boundary, near } = scoresOf([agreementOf(cuts, gold)]);
      const twin = byDefinition(cuts, gold);
      const share = (part: number, of: number) => (of === 0 ? 0 : part / of);
      expect(b3.p).toBeCloseTo(twin.p, 9);
      expect(b3.r).toBeCloseTo(twin.r, 9);
      expect(boundary.p).toBeCloseTo(share(twin.hits, twin.found.length), 9);
      expect(boundary.r).toBeCloseTo(share(twin.hits, twin.real.length), 9);
      expect(near.p).toBeCloseTo(share(twin.near, twin.found.length), 9);
      expect(near.r).toBeCloseTo(share(twin.near, twin.real.length), 9);
    }),
    { numRuns: 500 },
  );
});
