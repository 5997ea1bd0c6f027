import type { Sequence } from '../meaning/segmentation/steps.ts';
import { seededRandom } from '../meaning/text/hash.ts';
import type { Trace } from '../trace/trace.ts';
import { type Agreement, agreementOf, type Scores, scoresOf } from './agreement.ts';
import { bootstrap } from './bootstrap.ts';

/** A session whose operations have gold groups. */
export interface GoldSession {
  readonly sequence: Sequence;
  /** Code of the gold group of each operation that has one, in the order of the session. */
  readonly gold: Uint32Array;
  /** The step that each of those operations belongs to. */
  readonly step: Uint32Array;
  /** What resampling takes together: sessions of equal cluster. */
  readonly cluster: string;
}

/** Sessions with at least one operation that has a value of the gold field; the others are left out. */
export function goldSessions(
  trace: Trace,
  sequences: readonly Sequence[],
  gold: string,
  clusterBy: string | undefined,
): GoldSession[] {
  return sequences.flatMap(sequence => {
    const codes = new Map<string, number>();
    const values: number[] = [];
    const steps: number[] = [];
    sequence.steps.forEach((step, at) => {
      for (const row of step.rows) {
        const value = trace.value(gold, row);
        if (value === '') continue;
        let code = codes.get(value);
        if (code === undefined) codes.set(value, (code = codes.size));
        values.push(code);
        steps.push(at);
      }
    });
    if (values.length === 0) return [];
    const first = sequence.steps[0]?.rows[0] as number;
    const cluster = (clusterBy === undefined ? '' : trace.value(clusterBy, first)) || `session ${sequence.session}`;
    return [{ sequence, gold: Uint32Array.from(values), step: Uint32Array.from(steps), cluster }];
  });
}

/** Agreement of cuts between steps with the gold of a session. */
export function agreementAt({ gold, step }: GoldSession, cuts: ArrayLike<number>): Agreement {
  const own = new Uint8Array(gold.length);
  for (let at = 1; at < gold.length; at++) {
    // Between two operations with gold may lie steps without: any cut on the way parts them.
    for (let between = (step[at - 1] as number) + 1; between <= (step[at] as number); between++)
      if (cuts[between] === 1) own[at] = 1;
  }
  return agreementOf(own, gold);
}

/** Cuts of each session, by somebody who sees no gold, or only that of the sessions given for training. */
export type Cutter = (
  sessions: readonly Sequence[],
  training: readonly GoldSession[],
) => Promise<Uint8Array[]> | Uint8Array[];

/** One cutter under its name. One that needs training is scored by cross-validation over clusters. */
export interface Contestant {
  readonly backend: string;
  readonly labelFree: boolean;
  readonly cut: Cutter;
}

export interface SegmentResult extends Scores {
  readonly backend: string;
  readonly labelFree: boolean;
  readonly groups: number;
  readonly intervals: { readonly b3: [number, number]; readonly boundary: [number, number] };
}

export interface SegmentReport {
  readonly operations: number;
  readonly sessions: number;
  readonly goldGroups: number;
  readonly clusters: number;
  readonly results: readonly SegmentResult[];
}

export interface Trial {
  readonly folds: number;
  readonly draws: number;
}

export async function evaluateSegments(
  sessions: readonly GoldSession[],
  contestants: readonly Contestant[],
  trial: Trial,
): Promise<SegmentReport> {
  const names = [...new Set(sessions.map(session => session.cluster))].sort();
  const clusters = sessions.map(session => names.indexOf(session.cluster));
  const folds = foldsOf(names.length, trial.folds);
  const agreements: Agreement[][] = [];
  for (const contestant of contestants) {
    const cuts = contestant.labelFree
      ? await contestant.cut(
          sessions.map(({ sequence }) => sequence),
          [],
        )
      : await crossValidated(
          sessions,
          clusters.map(cluster => folds[cluster] as number),
          contestant.cut,
        );
    agreements.push(sessions.map((session, at) => agreementAt(session, cuts[at] as Uint8Array)));
  }
  const measured = bootstrap(clusters, trial.draws, weights =>
    Object.fromEntries(
      agreements.flatMap((own, at) => {
        const { b3, boundary } = scoresOf(own, weights);
        return [
          [`${at} b3`, b3.f1],
          [`${at} boundary`, boundary.f1],
        ];
      }),
    ),
  );
  return {
    operations: sessions.reduce((sum, { gold }) => sum + gold.length, 0),
    sessions: sessions.length,
    goldGroups: sessions.reduce((sum, { gold }) => sum + new Set(gold).size, 0),
    clusters: names.length,
    results: contestants.map(({ backend, labelFree }, at) => ({
      backend,
      labelFree,
      groups: (agreements[at] as Agreement[]).reduce((sum, { predicted }) => sum + predicted + 1, 0),
      ...scoresOf(agreements[at] as Agreement[]),
      intervals: {
        b3: measured[`${at} b3`] as [number, number],
        boundary: measured[`${at} boundary`] as [number, number],
      },
    })),
  };
}

const SEED = 11;

/** A fold for each cluster, all of nearly the same size, by chance from a fixed seed. */
function foldsOf(clusters: number, folds: number): number[] {
  const random = seededRandom(SEED);
  const order = Array.from({ length: clusters }, (_, at) => ({ at, key: random() })).sort((a, b) => a.key - b.key);
  const fold = new Array<number>(clusters);
  order.forEach(({ at }, rank) => {
    fold[at] = rank % folds;
  });
  return fold;
}

async function crossValidated(sessions: readonly GoldSession[], folds: readonly number[], cut: Cutter) {
  const cuts = new Array<Uint8Array>(sessions.length);
  for (const fold of new Set(folds)) {
    const held = sessions.flatMap((_, at) => (folds[at] === fold ? [at] : []));
    const training = sessions.filter((_, at) => folds[at] !== fold);
    const made = await cut(
      held.map(at => (sessions[at] as GoldSession).sequence),
      training,
    );
    held.forEach((at, which) => {
      cuts[at] = made[which] as Uint8Array;
    });
  }
  return cuts;
}
