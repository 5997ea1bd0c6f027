import type { Sequence } from '../meaning/segmentation/steps.ts';
import { seededRandom } from '../meaning/text/hash.ts';
import { scoresOf } from './agreement.ts';
import { agreementAt, type Contestant, type GoldSession } from './segments.ts';

/** Ways to cut that understand nothing: what any segmenter must be better than. */
const UNIFORM = [2, 3, 4, 5, 6, 7, 8, 10, 15] as const;
const RANDOM_SEED = 3;

export function controlsFor(contestants: readonly Contestant[]): Contestant[] {
  const free = (backend: string, cut: (sequence: Sequence) => Uint8Array): Contestant => ({
    backend,
    labelFree: true,
    cut: sequences => sequences.map(cut),
  });
  return [
    free('always-boundary', ({ steps }) => new Uint8Array(steps.length).fill(1)),
    free('never-boundary', ({ steps }) => new Uint8Array(steps.length)),
    free('action-change', ({ steps }) =>
      Uint8Array.from(steps, (step, at) => (at > 0 && step.action !== steps[at - 1]?.action ? 1 : 0)),
    ),
    ...UNIFORM.map(every => free(`uniform-${every}`, sequence => uniform(sequence, every))),
    { backend: 'uniform-trained', labelFree: false, cut: uniformTrained },
    ...contestants.map(contestant => ({
      backend: `random-like-${contestant.backend}`,
      labelFree: contestant.labelFree,
      cut: async (sequences: readonly Sequence[], training: readonly GoldSession[]) => {
        const like = await contestant.cut(sequences, training);
        return sequences.map((sequence, at) => scattered(sequence.steps.length, like[at] as Uint8Array, at));
      },
    })),
  ];
}

function uniform({ steps }: Sequence, every: number): Uint8Array {
  return Uint8Array.from(steps, (_, at) => (at % every === 0 ? 1 : 0));
}

/** The length whose cuts have the best B-cubed F1 on the sessions of the other folds. */
function uniformTrained(sequences: readonly Sequence[], training: readonly GoldSession[]): Uint8Array[] {
  let best = { f1: -1, every: 1 };
  for (let every = 1; every <= 40; every++) {
    const { b3 } = scoresOf(training.map(session => agreementAt(session, uniform(session.sequence, every))));
    if (b3.f1 > best.f1) best = { f1: b3.f1, every };
  }
  return sequences.map(sequence => uniform(sequence, best.every));
}

/** As many cuts, at places that chance chooses. */
function scattered(steps: number, like: Uint8Array, seed: number): Uint8Array {
  let left = like.reduce((sum, cut, at) => sum + (at > 0 ? cut : 0), 0);
  const random = seededRandom(RANDOM_SEED + seed);
  const cuts = new Uint8Array(steps);
  for (let at = 1; at < steps; at++) {
    if (random() * (steps - at) >= left) continue;
    cuts[at] = 1;
    left--;
  }
  return cuts;
}
