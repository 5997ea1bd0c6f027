import { driftOf } from '../clusters/drift.ts';
import { type Example, type Report, type ReportedCluster, reportedRate } from '../clusters/report.ts';
import { TEMPLATE_VERSION } from '../clusters/text/template.ts';
import { microDollars } from '../money/round.ts';
import { UsageError } from '../trace/usage-error.ts';
import type { ClusterRun, Named } from './cluster-run.ts';
import type { History } from './history.ts';
import { ID_FRAMES } from './ids.ts';

export interface ReportOptions {
  readonly minSize: number;
  readonly previews: boolean;
  readonly by: string | undefined;
  readonly keptOdd: boolean;
}

/** Of an example's text, in characters. */
const LONGEST_PREVIEW = 300;

/** What leaves: numbers, labels, names that frames may show, pseudonyms; text of prompts only where it was asked for. */
export function reportOf(run: ClusterRun, options: ReportOptions): Report {
  const { units, clustered, stability, noise, history } = run;
  const listed = run.clusters.filter(({ units: own }) => own.length >= options.minSize);
  const hidden = run.clusters.filter(cluster => !listed.includes(cluster));
  const shownNoise = noise.units.length >= Math.max(1, options.minSize) ? [noise] : [];
  const costs = microDollars([...listed, ...shownNoise].map(({ nanoDollars }) => BigInt(Math.round(nanoDollars))));
  const { method, k, minSamples, selection, neighbours, minDist, components, seed } = run.options;
  return {
    schema: 'agentpprof.clusters/1',
    unit: run.kind,
    units: units.length,
    eligible: run.eligible,
    odd: Object.fromEntries(run.odd),
    kept_odd: options.keptOdd,
    noise: { units: noise.units.length, share: noise.share },
    failed_when: run.outcome.said,
    embedding: run.embedding,
    template: TEMPLATE_VERSION,
    options: {
      method,
      ...(method === 'kmeans'
        ? { clusters: k }
        : { min_cluster_size: clustered.minClusterSize, min_samples: minSamples, selection }),
      neighbors: neighbours,
      min_dist: minDist,
      components,
      seed,
    },
    stability: { repeats: stability.repeats, adjusted_rand: numberOrNull(stability.overall) },
    narrowed: history.narrowed,
    clusters: [...listed, ...shownNoise].map((cluster, at) => reported(run, cluster, Number(costs[at]), options)),
    hidden: {
      clusters: hidden.length,
      units: hidden.reduce((sum, { units: own }) => sum + own.length, 0),
    },
    ...(options.by === undefined ? {} : { by: driftBy(run, options.by, [...listed, ...shownNoise]) }),
  };
}

function reported(run: ClusterRun, cluster: Named, cost: number, { previews }: ReportOptions): ReportedCluster {
  const example = (unit: number): Example => {
    const { redactor } = run.history;
    const session = sessionName(run, unit);
    // Redacted first and cut afterwards: half a secret has no shape.
    return previews
      ? { session, text: redactor.text(run.texts[unit] as string).slice(0, LONGEST_PREVIEW) }
      : { session };
  };
  const { duration } = cluster;
  return {
    id: cluster.id,
    label: cluster.label,
    units: cluster.units.length,
    share: cluster.share,
    tokens: cluster.tokens,
    token_share: cluster.tokenShare,
    cost_microusd: cost,
    cost_share: cluster.costShare,
    active_ns: cluster.active,
    active_share: cluster.activeShare,
    duration_ns: { mean: Math.round(duration.mean * 1000), p95: duration.p95 * 1000 },
    tokens_each: cluster.tokensEach,
    calls_each: cluster.callsEach,
    tool_calls_each: cluster.toolsEach,
    failures: reportedRate(cluster.failures),
    stability: numberOrNull(cluster.stability),
    terms: cluster.terms,
    tools: cluster.tools,
    files: cluster.files,
    central: cluster.central.map(example),
    edge: cluster.edge.map(example),
  };
}

function numberOrNull(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}

/** The pseudonym of the session that a unit is, or is a part of. */
export function sessionName({ history, units }: ClusterRun, unit: number): string {
  const { trace, pseudonyms } = history;
  return pseudonyms.of('session', trace.ops.sessions.all[units[unit]?.session ?? -1]?.id ?? '');
}

/** `version` is what people call it. */
const ALIASES: Readonly<Record<string, string>> = { version: 'agent_version' };

/** Throws UsageError for a field that there is not. */
export function checkField({ trace }: History, name: string, flag: string): void {
  if (!trace.field(ALIASES[name] ?? name))
    throw new UsageError(
      `${flag}: there is no field ${JSON.stringify(name)}. Known fields: ${trace.names().join(', ')}.`,
    );
}

/** The value of a field for each unit: that of its first operation which has one, in the form that may be shown. */
export function valuesOf(run: ClusterRun, name: string): string[] {
  const { trace, redactor, pseudonyms } = run.history;
  const field = ALIASES[name] ?? name;
  return run.units.map(({ rows }) => {
    for (const row of rows) {
      const value = trace.value(field, row);
      if (value !== '') return ID_FRAMES.has(field) ? pseudonyms.of(field, value) : redactor.frame(field, value);
    }
    return '';
  });
}

function driftBy(run: ClusterRun, field: string, clusters: readonly Named[]) {
  return driftOf({
    field,
    periods: valuesOf(run, field),
    starts: run.facts.map(({ start }) => start),
    failed: run.facts.map(({ failed }) => failed),
    clusters,
  });
}
