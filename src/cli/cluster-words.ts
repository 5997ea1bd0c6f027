import type { Drift, Report, ReportedCluster, ReportedRate } from '../clusters/report.ts';
import { words } from '../formats/units.ts';
import { counted } from '../trace/counted.ts';
import { type Column, drawTable } from './table.ts';

/** Above this share of noise the clusters say little of the whole. */
const MUCH_NOISE = 0.3;

/** `18 % (12-26)` with the interval; nothing where nobody knows how a unit ended. */
export function rateWords({ rate, low, high }: ReportedRate): string {
  if (rate === null) return 'unknown';
  return `${percent(rate)} (${Math.round(100 * low)}-${Math.round(100 * high)})`;
}

export function percent(share: number): string {
  return share > 0 && share < 0.01 ? '< 1 %' : `${Math.round(100 * share)} %`;
}

const COLUMNS: readonly Column[] = [
  { title: '#', right: true },
  { title: 'cluster', widest: 24 },
  { title: 'size', right: true },
  { title: 'share', right: true },
  { title: 'tokens', right: true },
  { title: 'cost', right: true },
  { title: 'active', right: true },
  { title: 'duration', right: true },
  { title: 'p95', right: true },
  { title: 'tools', right: true },
  { title: 'failed (95 %)', right: true },
  { title: 'stable', right: true },
];

/** The cells of a cluster's row, for tables of any kind. */
function cellsOfCluster(cluster: ReportedCluster): string[] {
  const { tokens, token_share, cost_microusd, active_share, duration_ns } = cluster;
  const time = (ns: number) => (ns === 0 ? '' : words(BigInt(Math.round(ns)), 'nanoseconds'));
  return [
    cluster.id === 0 ? '' : String(cluster.id),
    cluster.label,
    cluster.units.toLocaleString('en-US'),
    percent(cluster.share),
    tokens === 0 ? '' : percent(token_share),
    cost_microusd === 0 ? '' : words(BigInt(cost_microusd), 'microusd'),
    cluster.active_ns === 0 ? '' : percent(active_share),
    time(duration_ns.mean),
    time(duration_ns.p95),
    cluster.tool_calls_each.mean.toFixed(1),
    rateWords(cluster.failures),
    cluster.stability === null ? '' : cluster.stability.toFixed(2),
  ];
}

/** The table of clusters without columns of which nothing is known. */
export function filledColumns(report: Report): {
  readonly titles: readonly string[];
  readonly rows: readonly string[][];
} {
  const rows = report.clusters.map(cellsOfCluster);
  const filled = COLUMNS.map((_, at) => rows.length === 0 || rows.some(row => row[at] !== ''));
  return {
    titles: COLUMNS.flatMap(({ title }, at) => (filled[at] ? [title] : [])),
    rows: rows.map(row => row.filter((_, at) => filled[at])),
  };
}

/** The summary of a terminal. */
export function terminalReport(report: Report): string {
  const { titles, rows } = filledColumns(report);
  const lines = [
    drawTable(
      COLUMNS.filter(({ title }) => titles.includes(title)),
      rows,
    ).trimEnd(),
    '',
  ];
  for (const cluster of report.clusters) {
    if (cluster.id === 0) continue;
    lines.push(`${cluster.id} ${cluster.label}: ${[...cluster.terms].join(', ')}`);
    const examples = cluster.central.map(({ session }) => session);
    if (examples.length > 0) lines.push(`   typical: ${[...new Set(examples)].join(', ')}`);
    for (const { session, text } of [...cluster.central, ...cluster.edge])
      if (text !== undefined) lines.push(`   ${session}: ${text.replace(/\s+/g, ' ').slice(0, 160)}`);
  }
  if (report.by) lines.push('', driftTable(report.by).trimEnd());
  lines.push('', ...notesOf(report));
  return `${lines.join('\n')}\n`;
}

/** What a reader must know beside the numbers. */
export function notesOf(report: Report): string[] {
  const { units, unit, eligible, noise, odd, hidden, stability } = report;
  const many = (n: number) => `${n.toLocaleString('en-US')} ${unit}${n === 1 ? '' : 's'}`;
  const notes = [
    `${many(units)}${units < eligible ? `, a sample of ${eligible.toLocaleString('en-US')}` : ''}; vectors from ${report.embedding}`,
    `failed means: ${report.failed_when}`,
    ...(stability.adjusted_rand === null
      ? []
      : [
          `stable: adjusted Rand index over ${counted(stability.repeats, 'repeat')} on four fifths of the ${unit}s, 1 = the same every time; as a whole ${stability.adjusted_rand.toFixed(2)}`,
        ]),
  ];
  if (noise.units > 0) notes.push(`noise: ${many(noise.units)} (${percent(noise.share)}) are in no cluster`);
  if (noise.share > MUCH_NOISE)
    notes.push(
      'more than 30 % noise: the clusters are only the dense part. Try --min-samples 2, a larger selection, --selection leaf, or --method kmeans to place everything',
    );
  if (report.clusters.every(({ id }) => id === 0) && hidden.clusters === 0)
    notes.push(
      `no clusters: these ${unit}s are all alike or all different at this size; try a smaller --min-cluster-size`,
    );
  const oddities = Object.entries(odd).map(([why, n]) => `${n.toLocaleString('en-US')} ${why}`);
  if (oddities.length > 0)
    notes.push(
      report.kept_odd
        ? `odd ${unit}s kept: ${oddities.join(', ')}`
        : `odd ${unit}s left out: ${oddities.join(', ')}; --keep-odd keeps them`,
    );
  if (hidden.clusters > 0)
    notes.push(`not shown: ${counted(hidden.clusters, 'cluster')} below --min-size with ${many(hidden.units)}`);
  if (report.narrowed.length > 0) notes.push(`narrowed to: ${report.narrowed.join(', ')}`);
  return notes;
}

function driftTable(by: Drift): string {
  const columns: Column[] = [
    { title: '#', right: true },
    { title: 'cluster', widest: 24 },
    ...by.periods.map(({ period, units }) => ({ title: `${period} (${units})`, right: true, widest: 26 })),
  ];
  return drawTable(
    columns,
    by.clusters.map(({ id, label, periods }) => [
      id === 0 ? '' : String(id),
      label,
      ...periods.map(
        ({ share, change }) => `${change === 'same' || change === '' ? '' : `${change} `}${percent(share)}`,
      ),
    ]),
  );
}
