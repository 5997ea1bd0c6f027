import { seededRandom } from '../text/hash.ts';

/**
 * Which gaps to cut, given how likely each is a boundary. No constant says how many: imagined truths are drawn from
 * the probabilities, and of all thresholds that one is taken whose cuts agree best with them on average, in the mean of
 * B-cubed F1 and boundary F1. So a session whose evidence is weak everywhere is still cut where it is least weak, and
 * one where nothing stands out is left whole.
 */
export interface Decoded {
  /** 1 for each step that begins a segment; that of step 0 is 0. */
  readonly cuts: Uint8Array;
  /** Gaps at least this likely are cut. */
  readonly threshold: number;
}

const SEED = 12;
const MOST_THRESHOLDS = 28;
/** Steps over all drawn truths; longer sessions need fewer draws for the same certainty. */
const DRAWN_STEPS = 60_000;
const MOST_DRAWS = 24;
const LEAST_DRAWS = 4;

export function decode(probability: Float64Array): Decoded {
  const n = probability.length;
  const truths = draw(probability);
  let best: Decoded & { readonly utility: number } = { utility: -1, threshold: 1, cuts: new Uint8Array(n) };
  for (const threshold of thresholdsOf(probability)) {
    const cuts = cutAt(probability, threshold);
    let utility = 0;
    for (const truth of truths) utility += agreement(cuts, truth);
    if (utility > best.utility) best = { utility, threshold, cuts };
  }
  return { cuts: best.cuts, threshold: best.threshold };
}

export function cutAt(probability: ArrayLike<number>, threshold: number): Uint8Array {
  const cuts = new Uint8Array(probability.length);
  for (let at = 1; at < cuts.length; at++) if ((probability[at] as number) >= threshold) cuts[at] = 1;
  return cuts;
}

/** From "cut nothing" down, at shares of the gaps that grow by a sixth. */
function thresholdsOf(probability: Float64Array): number[] {
  const sorted = probability.slice(1).sort().reverse();
  const found = [2];
  for (let share = 0.01; share < 1 && found.length < MOST_THRESHOLDS; share *= 7 / 6) {
    const threshold = sorted[Math.floor(share * sorted.length)];
    if (threshold !== undefined && threshold > 0 && threshold !== found.at(-1)) found.push(threshold);
  }
  return found;
}

function draw(probability: Float64Array): Uint8Array[] {
  const n = probability.length;
  const draws = Math.max(LEAST_DRAWS, Math.min(MOST_DRAWS, Math.floor(DRAWN_STEPS / Math.max(1, n))));
  const random = seededRandom(SEED);
  return Array.from({ length: draws }, () => {
    const cuts = new Uint8Array(n);
    for (let at = 1; at < n; at++) if (random() < (probability[at] as number)) cuts[at] = 1;
    return cuts;
  });
}

/** B-cubed F1 + boundary F1 of two ways to cut one session. Both are symmetric here, for all groups are stretches. */
function agreement(one: Uint8Array, other: Uint8Array): number {
  const n = one.length;
  let [p, r, hits, ones, others] = [0, 0, 0, 0, 0];
  let begin = 0;
  let oneBegin = 0;
  let otherBegin = 0;
  // Stretches where both agree on the groups: each counts its square over the size of either group.
  let waitOne = 0;
  let waitOther = 0;
  for (let at = 1; at <= n; at++) {
    const cutOne = at === n || one[at] === 1;
    const cutOther = at === n || other[at] === 1;
    if (!cutOne && !cutOther) continue;
    const square = (at - begin) ** 2;
    waitOne += square;
    waitOther += square;
    begin = at;
    if (cutOne) {
      p += waitOne / (at - oneBegin);
      waitOne = 0;
      oneBegin = at;
    }
    if (cutOther) {
      r += waitOther / (at - otherBegin);
      waitOther = 0;
      otherBegin = at;
    }
    if (at === n) break;
    if (cutOne) ones++;
    if (cutOther) others++;
    if (cutOne && cutOther) hits++;
  }
  const boundary = ones + others === 0 ? 1 : (2 * hits) / (ones + others);
  return (2 * p * r) / (n * (p + r)) + boundary;
}
