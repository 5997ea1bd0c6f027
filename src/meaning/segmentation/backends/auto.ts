import { decode } from '../decode.ts';
import { evidenceOf, probabilities } from '../evidence.ts';
import type { Step } from '../steps.ts';

/** Where a session is cut, and how likely each cut is right. */
export interface Cutting {
  /** 1 for each step that begins a segment; what it says of step 0 means nothing. */
  readonly cuts: Uint8Array;
  /** Probability of a boundary before each step; absent where a backend has none. */
  readonly probability?: Float64Array;
}

/** The segmenter without labels: evidence inside the session, weighed, and as many cuts as the evidence asks for. */
export function auto(steps: readonly Step[]): Required<Cutting> {
  const probability = probabilities(evidenceOf(steps));
  return { cuts: decode(probability).cuts, probability };
}
