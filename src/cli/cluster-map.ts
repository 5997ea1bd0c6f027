import { readFileSync } from 'node:fs';
import { type VMeasure, vMeasure } from '../evaluation/labels.ts';
import { counted } from '../trace/counted.ts';
import { type LabelFact, parseLabels } from '../trace/labels.ts';
import { UsageError } from '../trace/usage-error.ts';
import { keep } from './cluster.ts';
import type { ClusterFlags } from './cluster-flags.ts';
import { type ClusterRun, runClusters } from './cluster-run.ts';
import { percent } from './cluster-words.ts';
import { drawTable } from './table.ts';
import { warn } from './terminal.ts';

interface MapFlags extends ClusterFlags {
  field?: string;
  json?: boolean;
}

/** A category in one piece has this share of its units in one cluster; so has a cluster that is of one category. */
const ONE_PIECE = 0.6;

interface Part {
  readonly name: string;
  readonly units: number;
  readonly share: number;
}

interface Side {
  readonly name: string;
  readonly units: number;
  /** How it lies on the other side, the largest part first. */
  readonly parts: readonly Part[];
}

/** Lays a person's own categories beside the clusters. */
export async function clusterMap(file: string, flags: MapFlags): Promise<void> {
  const facts = categoryFacts(file, flags.field);
  const run = await runClusters(flags, { includePreviews: false });
  keep(run, flags);
  const categories = categoriesOf(run, facts);
  const known = categories.flatMap((category, unit) => (category === undefined ? [] : [{ category, unit }]));
  if (known.length === 0)
    throw new UsageError(
      `cluster map: ${file} names none of the ${run.units.length} ${run.kind}s; agentpprof sessions lists their names.`,
    );
  const labelOf = (unit: number) => [...run.clusters, run.noise].find(({ units }) => units.includes(unit))?.label ?? '';
  const clusters = known.map(({ unit }) => labelOf(unit));
  const golds = known.map(({ category }) => category);
  const agreement = vMeasure(golds, clusters);
  const [byCategory, byCluster] = [sidesOf(golds, clusters), sidesOf(clusters, golds)];
  if (flags.json) {
    process.stdout.write(`${JSON.stringify(jsonOf(run, known.length, agreement, byCategory, byCluster), null, 2)}\n`);
    return;
  }
  process.stdout.write(drawn(byCategory, byCluster, agreement, known.length, run));
}

function categoryFacts(file: string, field: string | undefined): LabelFact[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`cluster map: cannot read ${file} (${(error as NodeJS.ErrnoException).code}).`);
  }
  const facts = parseLabels(text, file, 'cluster map');
  const fields = [...new Set(facts.map(fact => fact.field))];
  if (field !== undefined && !fields.includes(field))
    throw new UsageError(`--field: ${file} has no field ${JSON.stringify(field)}. Its fields: ${fields.join(', ')}.`);
  if (field === undefined && fields.length > 1)
    throw new UsageError(`cluster map: ${file} has several fields, name one with --field: ${fields.join(', ')}.`);
  return facts.filter(fact => fact.field === (field ?? fields[0]));
}

function categoriesOf(run: ClusterRun, facts: readonly LabelFact[]): (string | undefined)[] {
  const { trace, pseudonyms, redactor } = run.history;
  const ids = run.units.map(({ session }) => trace.ops.sessions.all[session]?.id ?? '');
  const bySession = new Map<string, string>();
  const lost = new Set<string>();
  const exact = new Set(ids);
  for (const { session, value } of facts) {
    const found = exact.has(session) ? [session] : pseudonyms.find(session, ids);
    for (const id of found) bySession.set(id, value);
    if (found.length === 0) lost.add(session);
  }
  if (lost.size > 0)
    warn(
      `cluster map: not among those that were clustered: ${counted(lost.size, 'session')} of the file||| those that were clustered`,
    );
  return ids.map(id => {
    const category = bySession.get(id);
    return category === undefined ? undefined : redactor.frame('category', category);
  });
}

function sidesOf(names: readonly string[], others: readonly string[]): Side[] {
  const table = new Map<string, Map<string, number>>();
  names.forEach((name, at) => {
    const row = table.get(name) ?? new Map<string, number>();
    table.set(name, row.set(others[at] as string, (row.get(others[at] as string) ?? 0) + 1));
  });
  return [...table]
    .map(([name, row]) => {
      const units = [...row.values()].reduce((sum, n) => sum + n, 0);
      const parts = [...row]
        .map(([other, n]) => ({ name: other, units: n, share: n / units }))
        .sort((a, b) => b.units - a.units || (a.name < b.name ? -1 : 1));
      return { name, units, parts };
    })
    .sort((a, b) => b.units - a.units || (a.name < b.name ? -1 : 1));
}

const torn = ({ parts, units }: Side): boolean => units > 1 && (parts[0]?.share ?? 1) < ONE_PIECE;

function drawn(
  byCategory: readonly Side[],
  byCluster: readonly Side[],
  { homogeneity, completeness, v }: VMeasure,
  known: number,
  run: ClusterRun,
): string {
  const table = (sides: readonly Side[], title: string, other: string, broken: string) =>
    drawTable(
      [
        { title, widest: 32 },
        { title: run.kind, right: true },
        { title: `largest ${other}`, widest: 32 },
        { title: 'share', right: true },
        { title: other === 'category' ? 'categories' : 'clusters', right: true },
        { title: '' },
      ],
      sides.map(side => [
        side.name,
        String(side.units),
        side.parts[0]?.name ?? '',
        percent(side.parts[0]?.share ?? 0),
        String(side.parts.length),
        torn(side) ? broken : '',
      ]),
    );
  return [
    table(byCategory, 'category', 'cluster', 'torn apart'),
    table(byCluster, 'cluster', 'category', 'mixed'),
    `${known.toLocaleString('en-US')} of ${run.units.length.toLocaleString('en-US')} ${run.kind}s have a category; noise counts as a cluster`,
    `V-measure ${v.toFixed(3)}: clusters are of one category ${homogeneity.toFixed(3)}, categories are in one cluster ${completeness.toFixed(3)}`,
    '',
  ].join('\n');
}

function jsonOf(
  run: ClusterRun,
  known: number,
  agreement: VMeasure,
  byCategory: readonly Side[],
  byCluster: readonly Side[],
) {
  return {
    schema: 'agentpprof.cluster-map/1',
    unit: run.kind,
    units: run.units.length,
    categorised: known,
    v_measure: agreement.v,
    homogeneity: agreement.homogeneity,
    completeness: agreement.completeness,
    categories: byCategory.map(side => ({
      category: side.name,
      units: side.units,
      torn: torn(side),
      clusters: side.parts,
    })),
    clusters: byCluster.map(side => ({
      cluster: side.name,
      units: side.units,
      mixed: torn(side),
      categories: side.parts,
    })),
  };
}
