import type { Sequence, Step } from '../steps.ts';

/**
 * Recurrence: actions that often follow each other belong together. Directed adjacent pairs of actions are counted
 * over all sessions; a gap whose pair has a low normalised pointwise mutual information is a boundary.
 */
type ActionOf = (step: Step) => string;

const byAction: ActionOf = step => step.action;
/** What tells steps of one action apart: subcommand, first object's kind of file. */
const byDetail: ActionOf = step => {
  const object = step.objects[0] ?? '';
  const extension = object.match(/\.[A-Za-z][A-Za-z0-9]{0,7}$/)?.[0] ?? '';
  return `${step.detail} ${extension}`;
};

/** NPMI of each adjacent pair of the sequences, with left and right marginals of the same sample. */
class PairScores {
  private readonly pairs = new Map<string, Map<string, number>>();
  private readonly left = new Map<string, number>();
  private readonly right = new Map<string, number>();
  private total = 0;
  private readonly actionOf: ActionOf;

  constructor(sequences: readonly Sequence[], actionOf: ActionOf) {
    this.actionOf = actionOf;
    for (const { steps } of sequences) {
      for (let at = 1; at < steps.length; at++) {
        const a = actionOf(steps[at - 1] as Step);
        const b = actionOf(steps[at] as Step);
        let row = this.pairs.get(a);
        if (!row) this.pairs.set(a, (row = new Map()));
        row.set(b, (row.get(b) ?? 0) + 1);
        this.left.set(a, (this.left.get(a) ?? 0) + 1);
        this.right.set(b, (this.right.get(b) ?? 0) + 1);
        this.total++;
      }
    }
  }

  /** -1 for a pair that was never seen. */
  score(before: Step, after: Step): number {
    const a = this.actionOf(before);
    const b = this.actionOf(after);
    const count = this.pairs.get(a)?.get(b) ?? 0;
    if (count === 0) return -1;
    const p = count / this.total;
    if (p === 1) return 1;
    const expected = ((this.left.get(a) as number) / this.total) * ((this.right.get(b) as number) / this.total);
    return Math.log(p / expected) / -Math.log(p);
  }

  same(before: Step, after: Step): boolean {
    return this.actionOf(before) === this.actionOf(after);
  }
}

const MOST_ROUNDS = 100;

/** The midpoint between the centres of one-dimensional two-means, started at the ends; ties go to the low centre. */
export function twoMeansCutoff(scores: readonly number[]): number {
  if (scores.length === 0) return 0;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const score of scores) {
    if (score < low) low = score;
    if (score > high) high = score;
  }
  for (let round = 0; round < MOST_ROUNDS; round++) {
    let [lowSum, lowCount, highSum, highCount] = [0, 0, 0, 0];
    for (const score of scores) {
      if (Math.abs(score - low) <= Math.abs(score - high)) {
        lowSum += score;
        lowCount++;
      } else {
        highSum += score;
        highCount++;
      }
    }
    const [nextLow, nextHigh] = [lowCount ? lowSum / lowCount : low, highCount ? highSum / highCount : high];
    if (nextLow === low && nextHigh === high) break;
    low = nextLow;
    high = nextHigh;
  }
  return (low + high) / 2;
}

/** Scores below the cutoff are boundaries; changing pairs may have a lower cutoff of their own. */
interface Cutoffs {
  readonly all: number;
  readonly changing: number;
}

function cutoffsOf(sequences: readonly Sequence[], scores: PairScores): Cutoffs {
  const all: number[] = [];
  const changing: number[] = [];
  for (const { steps } of sequences) {
    for (let at = 1; at < steps.length; at++) {
      const [before, after] = [steps[at - 1] as Step, steps[at] as Step];
      const score = scores.score(before, after);
      all.push(score);
      if (!scores.same(before, after)) changing.push(score);
    }
  }
  const cutoff = twoMeansCutoff(all);
  return { all: cutoff, changing: changing.length === 0 ? cutoff : Math.min(cutoff, twoMeansCutoff(changing)) };
}

function cutsBelow(sequence: Sequence, scores: PairScores, cutoffs: Cutoffs): Uint8Array {
  const { steps } = sequence;
  const cuts = new Uint8Array(steps.length);
  for (let at = 1; at < steps.length; at++) {
    const [before, after] = [steps[at - 1] as Step, steps[at] as Step];
    const cutoff = scores.same(before, after) ? cutoffs.all : cutoffs.changing;
    if (scores.score(before, after) < cutoff) cuts[at] = 1;
  }
  return cuts;
}

/** Recurrence with one resolution of actions. */
export function recurrence(sequences: readonly Sequence[]): Uint8Array[] {
  const scores = new PairScores(sequences, byAction);
  const cutoffs = cutoffsOf(sequences, scores);
  return sequences.map(sequence => cutsBelow(sequence, scores, cutoffs));
}

/** With a detailed action key beside: it may take boundaries away, never add one. */
export function recurrenceMulti(sequences: readonly Sequence[]): Uint8Array[] {
  const coarse = recurrence(sequences);
  const scores = new PairScores(sequences, byDetail);
  const cutoffs = cutoffsOf(sequences, scores);
  return sequences.map((sequence, s) => {
    const fine = cutsBelow(sequence, scores, cutoffs);
    return (coarse[s] as Uint8Array).map((cut, at) => (cut === 1 && fine[at] === 1 ? 1 : 0));
  });
}

/** Calibrated: one cutoff for all pairs. Scores of the gaps come from the sessions themselves, the cutoff from others. */
export function recurrenceAt(sequences: readonly Sequence[], cutoff: number): Uint8Array[] {
  const scores = new PairScores(sequences, byAction);
  return sequences.map(sequence => cutsBelow(sequence, scores, { all: cutoff, changing: cutoff }));
}

/** Cutoffs worth trying: between all distinct scores of these sessions, or evenly many of them. */
export function cutoffCandidates(sequences: readonly Sequence[], most: number): number[] {
  const scores = new PairScores(sequences, byAction);
  const found = new Set<number>();
  for (const { steps } of sequences)
    for (let at = 1; at < steps.length; at++) found.add(scores.score(steps[at - 1] as Step, steps[at] as Step));
  const sorted = [...found].sort((a, b) => a - b);
  const middles = sorted.map((score, at) => (at === 0 ? score - 1 : (score + (sorted[at - 1] as number)) / 2));
  const all = [...middles, (sorted.at(-1) ?? 0) + 1];
  const step = Math.max(1, Math.ceil(all.length / most));
  return all.filter((_, at) => at % step === 0);
}
