import { seededRandom } from '../meaning/text/hash.ts';

/** A difference of means with the middle 95 % of its bootstrap. */
export interface PairedDifference {
  readonly difference: number;
  readonly low: number;
  readonly high: number;
}

const DRAWS = 10_000;

/**
 * Mean of `b - a` over pairs, with a bootstrap interval over pairs (10,000 draws, percentiles). The same pairs and seed give
 * the same interval. Undefined without pairs.
 */
export function pairedDifference(
  pairs: readonly (readonly [a: number, b: number])[],
  seed: number,
): PairedDifference | undefined {
  if (pairs.length === 0) return undefined;
  const random = seededRandom(seed);
  const changes = Float64Array.from(pairs, ([a, b]) => b - a);
  const means = new Float64Array(DRAWS);
  for (let draw = 0; draw < DRAWS; draw++) {
    let sum = 0;
    for (let i = 0; i < changes.length; i++) sum += changes[Math.floor(random() * changes.length)] as number;
    means[draw] = sum / changes.length;
  }
  means.sort();
  return {
    difference: changes.reduce((sum, change) => sum + change, 0) / changes.length,
    low: means[Math.floor(0.025 * DRAWS)] as number,
    high: means[Math.ceil(0.975 * DRAWS) - 1] as number,
  };
}
