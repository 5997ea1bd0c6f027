import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chance } from '../../src/profile/chance.ts';
import { compare } from '../../src/profile/diff.ts';
import { sideOf } from '../support/sides.ts';

/**
 * The same intervals the slow way: sums of whole frames over a list of drawn sessions, from folded text alone. Draws
 * are those of the real one, since equal chance is no law but a contract (equal input, equal bytes).
 */
function slow(a: Record<string, number>[], b: Record<string, number>[], seed: number, draws: number) {
  const random = chance(seed);
  const drawn = (units: number) =>
    Array.from({ length: draws }, () => Array.from({ length: units }, () => Math.floor(random() * units)));
  const [fromA, fromB] = [drawn(a.length), drawn(b.length)];
  return (frame: string): [number, number] => {
    const sum = (side: Record<string, number>[], picks: number[]) =>
      picks.reduce((total, at) => total + (side[at]?.[frame] ?? 0), 0);
    const changes = fromA.map((picks, r) => sum(b, fromB[r]!) - sum(a, picks)).sort((x, y) => x - y);
    return [changes[Math.floor(draws * 0.025)]!, changes[draws - 1 - Math.floor(draws * 0.025)]!];
  };
}

const names = ['p', 'q', 'r', 's', 't', 'u', 'v', 'w'];
const text = (sessions: Record<string, number>[]) =>
  sessions
    .map(
      (frames, at) =>
        `${names[at]} ${Object.entries(frames)
          .map(([name, value]) => `a:${name} ${value}`)
          .join(' | ')}`,
    )
    .join('\n');

describe('the bootstrap', () => {
  test('gives what drawing sessions and adding them up gives', () => {
    const session = fc.record({ x: fc.integer({ min: 1, max: 900 }), y: fc.integer({ min: 1, max: 50 }) });
    const side = fc.array(session, { minLength: 4, maxLength: 8 });
    fc.assert(
      fc.property(side, side, (a, b) => {
        const { intervals, frames } = compare(sideOf(text(a)), sideOf(text(b)), { noise: 0 });
        const expected = slow(a, b, intervals!.seed, intervals!.resamples);
        frames.forEach(({ value }, id) => {
          expect([intervals!.frames.low[id], intervals!.frames.high[id]]).toEqual(expected(value));
        });
      }),
      { numRuns: 20 },
    );
  });

  test('holds the true change about as often as it says', () => {
    const random = chance(7);
    const wait = () => 1 + Math.floor(-100 * Math.log(1 - random()));
    let held = 0;
    const tries = 300;
    for (let i = 0; i < tries; i++) {
      const sides = [100, 100].map(() => Array.from({ length: 40 }, (_, s) => `s${s} a:x ${wait()}`).join('\n'));
      const { intervals } = compare(sideOf(sides[0]!), sideOf(sides[1]!), { noise: 0 });
      if (intervals!.nodes.low[0]! <= 0 && intervals!.nodes.high[0]! >= 0) held++;
    }
    // 95 % of 300 is 285; three standard deviations of such a count are 11, and skewed values cost a percentile interval some.
    expect(held / tries).toBeGreaterThan(0.9);
    expect(held / tries).toBeLessThan(0.985);
  });

  test('normalised, looks at shares in every draw', () => {
    // The sessions differ much in size and not at all in shares: nothing is uncertain.
    const side = (factor: number) =>
      names.map((name, at) => `${name} a:x ${10 * (at + 1) * factor} | a:y ${30 * (at + 1) * factor}`).join('\n');
    const { intervals } = compare(sideOf(side(1)), sideOf(side(5)), { normalize: true, noise: 0 });
    expect([...intervals!.frames.low, ...intervals!.frames.high].map(end => Math.round(end * 1e6) + 0)).toEqual([
      0, 0, 0, 0,
    ]);
  });

  test('stacks of 3,000 levels are no trouble', () => {
    const path = Array.from({ length: 3000 }, (_, i) => `a:${i}`).join(';');
    const side = names.map(name => `${name} ${path} 5`).join('\n');
    const { intervals } = compare(sideOf(side), sideOf(side));
    expect([intervals!.nodes.low.at(-1), intervals!.nodes.high.at(-1)]).toEqual([0, 0]);
  });
});
