import { type ClusterOptions, DEFAULTS } from '../clusters/pipeline.ts';
import { UNIT_KINDS, type UnitKind } from '../clusters/units.ts';
import { UsageError } from '../trace/usage-error.ts';
import type { HistoryFlags, MeaningFlags } from './options.ts';

export interface ClusterFlags extends HistoryFlags, MeaningFlags {
  unit: string;
  sample?: string;
  keepOdd?: boolean;
  failedWhen: string[];
  method: string;
  minClusterSize?: string;
  minSamples: string;
  selection: string;
  clusters?: string;
  neighbors: string;
  minDist: string;
  components: string;
  seed: string;
  embedModelDir?: string;
  repeats?: string;
}

export interface ClusterAsked {
  readonly kind: UnitKind;
  readonly sample: number | undefined;
  /** Undefined for as many as the number of units allows. */
  readonly repeats: number | undefined;
  readonly options: ClusterOptions;
}

/** The flags, checked before anything is read. Throws UsageError. */
export function readClusterFlags(flags: ClusterFlags): ClusterAsked {
  if (flags.embedModelDir !== undefined && flags.embedUrl !== undefined)
    throw new UsageError('--embed-model-dir: and --embed-url both name where vectors come from; give one of them.');
  const minDist = Number(flags.minDist);
  if (!(minDist >= 0 && minDist <= 1))
    throw new UsageError(`--min-dist: ${JSON.stringify(flags.minDist)} is not between 0 and 1.`);
  return {
    kind: oneOf(UNIT_KINDS, flags.unit, '--unit'),
    sample: flags.sample === undefined ? undefined : whole(flags.sample, 1, '--sample'),
    repeats: flags.repeats === undefined ? undefined : whole(flags.repeats, 0, '--repeats'),
    options: {
      ...DEFAULTS,
      method: oneOf(['hdbscan', 'kmeans'] as const, flags.method, '--method'),
      selection: oneOf(['eom', 'leaf'] as const, flags.selection, '--selection'),
      k: clustersOf(flags),
      minClusterSize:
        flags.minClusterSize === undefined ? undefined : whole(flags.minClusterSize, 2, '--min-cluster-size'),
      minSamples: whole(flags.minSamples, 1, '--min-samples'),
      neighbours: whole(flags.neighbors, 2, '--neighbors'),
      minDist,
      components: whole(flags.components, 2, '--components'),
      seed: whole(flags.seed, 0, '--seed'),
    },
  };
}

function clustersOf({ clusters, method }: ClusterFlags): number {
  if (clusters === undefined) return DEFAULTS.k;
  const k = whole(clusters, 2, '--clusters');
  if (method !== 'kmeans')
    throw new UsageError(`--clusters: ${method} finds by itself how many there are; add --method kmeans.`);
  return k;
}

export function whole(text: string, least: number, flag: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < least || text.trim() === '')
    throw new UsageError(`${flag}: ${JSON.stringify(text)} is not a whole number of at least ${least}.`);
  return number;
}

function oneOf<T extends string>(known: readonly T[], text: string, flag: string): T {
  const found = known.find(each => each === text);
  if (found === undefined)
    throw new UsageError(`${flag}: there is no ${JSON.stringify(text)}. Write ${known.join(', ')}.`);
  return found;
}
