import { differenceOf, type Rate, rateOf } from '../clusters/interval.ts';
import { type PairedDifference, pairedDifference } from '../clusters/paired.ts';
import { reportedRate } from '../clusters/report.ts';
import type { Unit } from '../clusters/units.ts';
import { words } from '../formats/units.ts';
import { compileConditions, type Predicate } from '../selection/where.ts';
import { counted } from '../trace/counted.ts';
import { UsageError } from '../trace/usage-error.ts';
import { keep } from './cluster.ts';
import type { ClusterFlags } from './cluster-flags.ts';
import { checkField, valuesOf } from './cluster-report.ts';
import { type ClusterRun, runClusters } from './cluster-run.ts';
import { percent, rateWords } from './cluster-words.ts';
import type { History } from './history.ts';
import { drawTable } from './table.ts';

interface CompareFlags extends ClusterFlags {
  by: string;
  task?: string;
  json?: boolean;
}

type Interval = { readonly difference: number; readonly low: number; readonly high: number };

interface Row {
  readonly id: number;
  readonly label: string;
  readonly share: readonly [Rate, Rate];
  readonly shareChange: Interval | undefined;
  readonly failures: readonly [Rate, Rate];
  readonly failureChange: Interval | undefined;
  readonly tokens: readonly [number, number];
}

/** Clusters both versions together, so that a cluster is the same behaviour in each, and compares them in it. */
export async function clusterCompare(a: string, b: string, flags: CompareFlags): Promise<void> {
  const sides = [conditionOf(a, flags.by), conditionOf(b, flags.by)] as const;
  if (sides[0] === sides[1]) throw new UsageError('cluster compare: A and B are the same.');
  let inside: readonly [Predicate, Predicate] | undefined;
  let side: number[] = [];
  const sideOf = (unit: Unit): number => {
    const [first, second] = (inside as readonly [Predicate, Predicate]).map(each => unit.rows.some(each));
    return first === second ? -1 : first ? 0 : 1;
  };
  const run = await runClusters(flags, {
    includePreviews: false,
    prepare: async (history: History) => {
      if (flags.task !== undefined) checkField(history, flags.task, '--task');
      const [first, second] = await Promise.all(
        sides.map(each => compileConditions(history.trace, [each], 'cluster compare')),
      );
      inside = [first as Predicate, second as Predicate];
    },
    keep: unit => sideOf(unit) >= 0,
  });
  side = run.units.map(sideOf);
  for (const at of [0, 1] as const)
    if (!side.includes(at)) throw new UsageError(`cluster compare: no ${run.kind} meets ${JSON.stringify(sides[at])}.`);
  keep(run, flags);
  const rows = [...run.clusters, ...(run.noise.units.length > 0 ? [run.noise] : [])].map(cluster =>
    rowOf(run, cluster, side),
  );
  const whole = rowOf(run, { id: -1, label: 'all', units: run.units.map((_, unit) => unit) }, side);
  const paired = flags.task === undefined ? undefined : pairsOf(run, side, flags.task);
  if (flags.json) process.stdout.write(`${JSON.stringify(jsonOf(run, [a, b], rows, whole, paired), null, 2)}\n`);
  else process.stdout.write(drawn(run, [a, b], rows, whole, paired));
}

/** A condition as for --where, or a value of the field --by; `version` is what people call `agent_version`. */
function conditionOf(text: string, by: string): string {
  return /^[^\s=!~>]+\s*(?:!=|!~|=|~|>)/.test(text) ? text : `${by === 'version' ? 'agent_version' : by}=${text}`;
}

function rowOf(
  run: ClusterRun,
  { id, label, units }: { readonly id: number; readonly label: string; readonly units: readonly number[] },
  side: readonly number[],
): Row {
  const own = [0, 1].map(at => units.filter(unit => side[unit] === at)) as [number[], number[]];
  const sizes = [0, 1].map(at => side.filter(each => each === at).length);
  const share = own.map((each, at) => rateOf(each.length, sizes[at] as number)) as [Rate, Rate];
  const failures = own.map(each => {
    const known = each.filter(unit => run.facts[unit]?.failed !== undefined);
    return rateOf(known.filter(unit => run.facts[unit]?.failed).length, known.length);
  }) as [Rate, Rate];
  const tokens = own.map(each =>
    each.length === 0 ? 0 : each.reduce((sum, unit) => sum + (run.facts[unit]?.tokens ?? 0), 0) / each.length,
  ) as [number, number];
  return {
    id,
    label,
    share,
    shareChange: differenceOf(...share),
    failures,
    failureChange: differenceOf(...failures),
    tokens,
  };
}

interface Paired {
  readonly tasks: number;
  readonly failures: PairedDifference | undefined;
  readonly tokens: PairedDifference | undefined;
  readonly calls: PairedDifference | undefined;
}

/** Tasks that both did, each one pair: the means of its units on either side. */
function pairsOf(run: ClusterRun, side: readonly number[], field: string): Paired {
  const tasks = valuesOf(run, field);
  const groups = new Map<string, [number[], number[]]>();
  tasks.forEach((task, unit) => {
    if (task === '') return;
    const group = groups.get(task) ?? [[], []];
    (group[side[unit] as 0 | 1] as number[]).push(unit);
    groups.set(task, group);
  });
  const both = [...groups.values()].filter(([a, b]) => a.length > 0 && b.length > 0);
  const pairs = (of: (unit: number) => number | undefined) =>
    both.flatMap(group => {
      const means = group.map(units => {
        const values = units.map(of).filter(value => value !== undefined);
        return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
      });
      return means[0] === undefined || means[1] === undefined ? [] : [[means[0], means[1]] as const];
    });
  const { seed } = run.options;
  const failed = (unit: number) => {
    const known = run.facts[unit]?.failed;
    return known === undefined ? undefined : Number(known);
  };
  return {
    tasks: both.length,
    failures: pairedDifference(pairs(failed), seed),
    tokens: pairedDifference(
      pairs(unit => run.facts[unit]?.tokens),
      seed,
    ),
    calls: pairedDifference(
      pairs(unit => run.facts[unit]?.calls),
      seed,
    ),
  };
}

const points = (share: number) => `${share > 0 ? '+' : ''}${Math.round(100 * share)}`;

/** `+12 points (3 to 21)`; a star where the interval excludes 0. */
function changeWords(change: Interval | undefined): string {
  if (!change) return '';
  const { difference, low, high } = change;
  return `${points(difference)} (${points(low)} to ${points(high)})${low > 0 || high < 0 ? ' *' : ''}`;
}

function drawn(
  run: ClusterRun,
  names: readonly [string, string],
  rows: readonly Row[],
  whole: Row,
  paired: Paired | undefined,
): string {
  const count = (value: number) => (value === 0 ? '' : words(BigInt(Math.round(value)), 'count'));
  const table = drawTable(
    [
      { title: '#', right: true },
      { title: 'cluster', widest: 24 },
      ...['share A', 'share B', 'change', 'failed A', 'failed B', 'change', 'tokens A', 'tokens B'].map(title => ({
        title,
        right: true,
      })),
    ],
    [...rows, whole].map(row => [
      row.id > 0 ? String(row.id) : '',
      row.label,
      ...row.share.map(({ part, rate }) => `${percent(rate ?? 0)} (${part})`),
      row.id === -1 ? '' : changeWords(row.shareChange),
      ...row.failures.map(rate => rateWords(reportedRate(rate))),
      changeWords(row.failureChange),
      ...row.tokens.map(count),
    ]),
  );
  const lines = [
    `A: ${names[0]}   B: ${names[1]}`,
    table.trimEnd(),
    '',
    `changes in points with 95 % intervals; * where the interval excludes 0. Of ${counted(rows.length, 'cluster')} about one in twenty has a star by chance`,
    `failed means: ${run.outcome.said}`,
  ];
  if (paired) {
    lines.push(
      `${counted(paired.tasks, 'task')} that both did, in pairs (bootstrap over tasks): failed ${changeWords(paired.failures)}`,
    );
    for (const name of ['tokens', 'calls'] as const) {
      const change = paired[name];
      if (change)
        lines.push(
          `  ${name} each: ${Math.round(change.difference).toLocaleString('en-US')} (${Math.round(change.low).toLocaleString('en-US')} to ${Math.round(change.high).toLocaleString('en-US')})`,
        );
    }
  }
  return `${lines.join('\n')}\n`;
}

function jsonOf(
  run: ClusterRun,
  names: readonly [string, string],
  rows: readonly Row[],
  whole: Row,
  paired: Paired | undefined,
) {
  const row = ({ id, label, share, shareChange, failures, failureChange, tokens }: Row) => ({
    ...(id >= 0 ? { id } : {}),
    label,
    units: share.map(({ part }) => part),
    share: share.map(({ rate }) => rate ?? 0),
    share_change: shareChange ?? null,
    failures: failures.map(reportedRate),
    failure_change: failureChange ?? null,
    tokens_each: tokens,
  });
  return {
    schema: 'agentpprof.cluster-compare/1',
    unit: run.kind,
    a: names[0],
    b: names[1],
    failed_when: run.outcome.said,
    clusters: rows.map(row),
    all: row(whole),
    ...(paired
      ? {
          paired: {
            tasks: paired.tasks,
            failures: paired.failures ?? null,
            tokens: paired.tokens ?? null,
            calls: paired.calls ?? null,
          },
        }
      : {}),
  };
}
