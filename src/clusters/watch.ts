import { differenceOf, type Rate, rateOf } from './interval.ts';
import { NOISE_LABEL } from './terms.ts';

/** What a run saw of its clusters, for the next one to compare with. */
export interface WatchState {
  readonly schema: 'agentpprof.cluster-watch-state/1';
  readonly clusters: readonly WatchedCluster[];
}

export interface WatchedCluster {
  /** The name that the cluster keeps from run to run. */
  readonly label: string;
  /** Units by key: whether they failed, null where nobody knows. */
  readonly units: Readonly<Record<string, boolean | null>>;
}

/** A cluster of this run under its lasting name. */
export interface Matched extends WatchedCluster {
  /** Index into the clusters given. */
  readonly at: number;
  /** The cluster of the last run that it continues. */
  readonly before: WatchedCluster | undefined;
}

export interface Jump {
  readonly label: string;
  /** Failure rates of what the last run saw and of what is new since. */
  readonly before: Rate;
  readonly since: Rate;
  readonly low: number;
  readonly high: number;
}

/** A cluster goes on in the one that holds this share of the units that both runs know. */
const LEAST_SHARED = 0.5;

export function readState(text: string): WatchState | undefined {
  try {
    const value = JSON.parse(text) as WatchState;
    return value?.schema === 'agentpprof.cluster-watch-state/1' && Array.isArray(value.clusters) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Gives clusters the names that they had in the last run, by the units that both runs have; each name goes on once. */
export function matchClusters(state: WatchState | undefined, clusters: readonly WatchedCluster[]): Matched[] {
  const known = new Set(clusters.flatMap(({ units }) => Object.keys(units)));
  const pairs = clusters.flatMap(({ units }, at) =>
    (state?.clusters ?? []).flatMap((before, from) => {
      const old = Object.keys(before.units).filter(key => known.has(key));
      const shared = old.filter(key => Object.hasOwn(units, key)).length;
      // Noise is what is in no cluster: it goes on as itself alone.
      if (before.label === NOISE_LABEL || clusters[at]?.label === NOISE_LABEL)
        return before.label === clusters[at]?.label ? [{ at, from, shared }] : [];
      const share = old.length === 0 ? 0 : shared / old.length;
      return share >= LEAST_SHARED ? [{ at, from, shared }] : [];
    }),
  );
  pairs.sort((a, b) => b.shared - a.shared || a.at - b.at || a.from - b.from);
  const [taken, from] = [new Map<number, number>(), new Set<number>()];
  for (const pair of pairs) {
    if (taken.has(pair.at) || from.has(pair.from)) continue;
    taken.set(pair.at, pair.from);
    from.add(pair.from);
  }
  const lasting = new Set([...taken.values()].map(each => state?.clusters[each]?.label));
  return clusters.map((cluster, at) => {
    const before = state?.clusters[taken.get(at) ?? -1];
    if (before) return { ...cluster, label: before.label, at, before };
    let { label } = cluster;
    for (let n = 2; lasting.has(label); n++) label = `${cluster.label} ${n}`;
    lasting.add(label);
    return { ...cluster, label, at, before: undefined };
  });
}

/** Clusters whose units since the last run fail more often than those before, by more than the interval of the difference. */
export function jumpsOf(clusters: readonly Matched[]): Jump[] {
  return clusters.flatMap(({ label, units, before }) => {
    if (!before) return [];
    const earlier = rateIn(Object.values(before.units));
    const since = rateIn(
      Object.entries(units).flatMap(([key, failed]) => (Object.hasOwn(before.units, key) ? [] : [failed])),
    );
    const change = differenceOf(earlier, since);
    return change && change.low > 0 ? [{ label, before: earlier, since, low: change.low, high: change.high }] : [];
  });
}

function rateIn(outcomes: readonly (boolean | null)[]): Rate {
  const known = outcomes.filter(failed => failed !== null);
  return rateOf(known.filter(failed => failed).length, known.length);
}
