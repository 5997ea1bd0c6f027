import { auto } from '../meaning/segmentation/backends/auto.ts';
import { type Labelled, learned, train } from '../meaning/segmentation/backends/learned.ts';
import {
  cutoffCandidates,
  recurrence,
  recurrenceAt,
  recurrenceMulti,
} from '../meaning/segmentation/backends/recurrence.ts';
import { native, rules } from '../meaning/segmentation/backends/rules.ts';
import type { Sequence } from '../meaning/segmentation/steps.ts';
import { scoresOf } from './agreement.ts';
import { agreementAt, type Contestant, type GoldSession } from './segments.ts';

/** The segmenters that can be evaluated without a server or a program of somebody's, by name. */
export const CONTESTANTS: readonly Contestant[] = [
  { backend: 'auto', labelFree: true, cut: sequences => sequences.map(({ steps }) => auto(steps).cuts) },
  { backend: 'native', labelFree: true, cut: sequences => sequences.map(({ steps }) => native(steps)) },
  { backend: 'rules', labelFree: true, cut: sequences => sequences.map(({ steps }) => rules(steps)) },
  { backend: 'recurrence', labelFree: true, cut: recurrence },
  { backend: 'recurrence-multi', labelFree: true, cut: recurrenceMulti },
  { backend: 'recurrence-calibrated', labelFree: false, cut: calibrated },
  {
    backend: 'learned',
    labelFree: false,
    cut: (sequences, training) => {
      const model = train(training.map(labelled));
      return sequences.map(({ steps }) => learned(model, steps).cuts);
    },
  },
];

const MOST_CUTOFFS = 60;

/** The cutoff with the best B-cubed F1 on the sessions of the other folds. */
function calibrated(sequences: readonly Sequence[], training: readonly GoldSession[]): Uint8Array[] {
  const known = training.map(({ sequence }) => sequence);
  let best = { f1: -1, cutoff: 0 };
  for (const cutoff of cutoffCandidates(known, MOST_CUTOFFS)) {
    const cuts = recurrenceAt(known, cutoff);
    const { b3 } = scoresOf(training.map((session, at) => agreementAt(session, cuts[at] as Uint8Array)));
    if (b3.f1 > best.f1) best = { f1: b3.f1, cutoff };
  }
  return recurrenceAt(sequences, best.cutoff);
}

/** Whether something new begins before each step, as the gold of its operations says; 2 where it does not say. */
export function labelled({ sequence, gold, step }: GoldSession): Labelled {
  const truth = new Uint8Array(sequence.steps.length).fill(2);
  for (let at = 1; at < gold.length; at++) {
    if (step[at] !== step[at - 1]) truth[step[at] as number] = gold[at] === gold[at - 1] ? 0 : 1;
  }
  return { steps: sequence.steps, truth };
}
