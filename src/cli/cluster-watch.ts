import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Gauge, openMetrics } from '../clusters/metrics.ts';
import { assignmentDirectory } from '../clusters/stored.ts';
import { type Jump, jumpsOf, type Matched, matchClusters, readState, type WatchState } from '../clusters/watch.ts';
import { cacheDirectory, writeWhole } from '../store/place.ts';
import { UsageError } from '../trace/usage-error.ts';
import { keep } from './cluster.ts';
import type { ClusterFlags } from './cluster-flags.ts';
import { type ClusterRun, type Named, runClusters, TooFewError } from './cluster-run.ts';
import { percent } from './cluster-words.ts';
import { checkOutput, writeOutput } from './output.ts';
import { warn } from './terminal.ts';

interface WatchFlags extends ClusterFlags {
  output?: string;
  state?: string;
  json?: boolean;
}

/** What `cluster watch` ends with when a failure rate jumped. */
const JUMPED = 3;

/** Clusters, compares with the last run, writes metrics, remembers. A jump is told once: then it is what the next run knows. */
export async function clusterWatch(flags: WatchFlags): Promise<void> {
  const output = flags.output ?? '-';
  checkOutput(output);
  if (flags.state !== undefined) checkOutput(flags.state, '--state');
  if (flags.state === undefined && flags.cache === false)
    throw new UsageError('cluster watch: with --no-cache nothing is remembered; give --state FILE.');
  const before = stateBefore(flags);
  let run: ClusterRun;
  try {
    run = await runClusters(flags, { includePreviews: false });
  } catch (error) {
    // In a quiet week the old numbers must not stand as if they were new.
    if (error instanceof TooFewError && output !== '-') writeOutput(output, sink => sink(openMetrics([])));
    throw error;
  }
  const named = [...run.clusters, run.noise];
  const matched = matchClusters(
    before,
    named.map(cluster => ({ label: cluster.label, units: outcomesOf(run, cluster) })),
  );
  const jumps = jumpsOf(matched);
  const lasting = named.map((cluster, at) => ({ ...cluster, label: matched[at]?.label ?? cluster.label }));
  keep({ ...run, clusters: lasting.slice(0, -1), noise: lasting.at(-1) as Named }, flags);
  const metrics = openMetrics(gaugesOf(run, named, matched, jumps));
  if (!flags.json || output !== '-') writeOutput(output, sink => sink(metrics));
  if (flags.json) process.stdout.write(`${JSON.stringify(jsonOf(run, matched, jumps), null, 2)}\n`);
  remember(flags, {
    schema: 'agentpprof.cluster-watch-state/1',
    clusters: matched.map(({ label, units }) => ({ label, units })),
  });
  for (const { label, before: earlier, since } of jumps)
    warn(
      `cluster ${label}: failed ${percent(since.rate ?? 0)} of ${since.whole} new ${run.kind}s, ${percent(earlier.rate ?? 0)} of ${earlier.whole} before. See: agentpprof --where 'cluster=${label}' --view failures`,
    );
  if (jumps.length > 0) process.exitCode = JUMPED;
}

function outcomesOf(run: ClusterRun, { units }: Named): Record<string, boolean | null> {
  return Object.fromEntries(units.map(unit => [run.units[unit]?.key ?? '', run.facts[unit]?.failed ?? null]));
}

function stateBefore(flags: WatchFlags): WatchState | undefined {
  let text: string;
  try {
    text = readFileSync(
      flags.state ?? join(assignmentDirectory(cacheDirectory(process.env, homedir())), STATE),
      'utf8',
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new UsageError(`--state: cannot read ${flags.state} (${(error as NodeJS.ErrnoException).code}).`);
  }
  const state = readState(text);
  if (!state) warn('cluster watch: what the last run remembered cannot be read; this run begins anew');
  return state;
}

const STATE = 'watch.json';

function remember(flags: WatchFlags, state: WatchState): void {
  const text = `${JSON.stringify(state)}\n`;
  if (flags.state !== undefined) writeOutput(flags.state, sink => sink(text));
  else writeWhole(assignmentDirectory(cacheDirectory(process.env, homedir())), STATE, sink => sink(Buffer.from(text)));
}

function gaugesOf(
  run: ClusterRun,
  named: readonly Named[],
  matched: readonly Matched[],
  jumps: readonly Jump[],
): Gauge[] {
  const gauge = (name: string, help: string, of: (cluster: Named) => number | undefined, unit?: string): Gauge => ({
    name: `agentpprof_cluster_${name}`,
    help,
    ...(unit === undefined ? {} : { unit }),
    values: matched.flatMap(({ label, at }) => {
      const value = of(named[at] as Named);
      return value === undefined ? [] : [{ labels: { cluster: label }, value }];
    }),
  });
  const jumped = new Set(jumps.map(({ label }) => label));
  return [
    gauge('units', `${run.kind}s in the cluster`, ({ units }) => units.length),
    gauge('share_ratio', `Share of all ${run.kind}s`, ({ share }) => share, 'ratio'),
    gauge('tokens', 'Tokens of the cluster', ({ tokens }) => tokens),
    gauge('cost_dollars', 'Cost of the cluster', ({ nanoDollars }) => nanoDollars / 1e9, 'dollars'),
    gauge('active_seconds', 'Active time of the cluster', ({ active }) => active / 1e9, 'seconds'),
    gauge('duration_mean_seconds', `Mean wall time of a ${run.kind}`, ({ duration }) => duration.mean / 1e6, 'seconds'),
    gauge('failed', `Failed ${run.kind}s`, ({ failures }) => failures.part),
    gauge('failure_ratio', 'Share that failed', ({ failures }) => failures.rate, 'ratio'),
    gauge(
      'failure_low_ratio',
      'Lower bound of it, 95 %',
      ({ failures }) => (failures.rate === undefined ? undefined : failures.low),
      'ratio',
    ),
    gauge(
      'failure_high_ratio',
      'Upper bound of it, 95 %',
      ({ failures }) => (failures.rate === undefined ? undefined : failures.high),
      'ratio',
    ),
    {
      name: 'agentpprof_cluster_jumped',
      help: '1 where the failure rate since the last run is beyond its interval',
      values: matched.map(({ label }) => ({ labels: { cluster: label }, value: jumped.has(label) ? 1 : 0 })),
    },
  ];
}

function jsonOf(run: ClusterRun, matched: readonly Matched[], jumps: readonly Jump[]) {
  return {
    schema: 'agentpprof.cluster-watch/1',
    unit: run.kind,
    units: run.units.length,
    failed_when: run.outcome.said,
    clusters: matched.map(({ label, units, before }) => ({
      label,
      units: Object.keys(units).length,
      known_before: before !== undefined,
    })),
    jumps: jumps.map(({ label, before, since, low, high }) => ({
      label,
      before: { failed: before.part, known: before.whole, rate: before.rate ?? null },
      since: { failed: since.part, known: since.whole, rate: since.rate ?? null },
      difference_low: low,
      difference_high: high,
    })),
  };
}
