import type { Flame, PagePoints } from '../clusters/page/content.ts';
import { clusterPage } from '../clusters/page/page.ts';
import type { Report } from '../clusters/report.ts';
import { displayName, displayText } from '../formats/names.ts';
import { microDollars } from '../money/round.ts';
import { fold } from '../profile/fold.ts';
import { stackColumns } from '../profile/stack-spec.ts';
import { treeOf } from '../profile/tree.ts';
import { sessionName } from './cluster-report.ts';
import type { ClusterRun, Named } from './cluster-run.ts';
import { notesOf } from './cluster-words.ts';
import { ID_FRAMES } from './ids.ts';
import { VERSION } from './version.ts';

/** Parts of a flame graph below this share of it are not drawn, so they are not in the file. */
const THINNEST = 0.001;
const STACK = ['prompt', 'task', 'call', 'tool', 'command', 'error'];

/** The report as a page. */
export function pageReport(run: ClusterRun, report: Report): string {
  const listed = report.clusters.map(({ id }) => [...run.clusters, run.noise].find(each => each.id === id) as Named);
  return clusterPage({
    version: VERSION,
    report,
    notes: notesOf(report).map(displayText),
    points: pointsOf(run, listed),
    flames: listed.map(cluster => flameOf(run, cluster)),
  });
}

function pointsOf(run: ClusterRun, listed: readonly Named[]): PagePoints {
  const { map, probabilities } = run.clustered;
  const units = listed.flatMap(({ id, units: own }) => own.map(unit => ({ unit, id }))).sort((a, b) => a.unit - b.unit);
  const each = <T>(of: (unit: number) => T): T[] => units.map(({ unit }) => of(unit));
  const place = (unit: number, axis: number) => Number((map.cells[2 * unit + axis] as number).toFixed(3));
  return {
    x: each(unit => place(unit, 0)),
    y: each(unit => place(unit, 1)),
    cluster: units.map(({ id }) => id),
    session: each(unit => sessionName(run, unit)),
    tokens: each(unit => run.facts[unit]?.tokens ?? 0),
    duration: each(unit => Math.round((run.facts[unit]?.wall ?? 0) / 1000)),
    tools: each(unit => run.facts[unit]?.tools ?? 0),
    failed: each(unit => {
      const failed = run.facts[unit]?.failed;
      return failed === undefined ? -1 : Number(failed);
    }),
    probability: each(unit => Number((probabilities[unit] as number).toFixed(3))),
  };
}

/** Operations are the width: every agent records them, and tools have no tokens. */
function flameOf(run: ClusterRun, cluster: Named): Flame {
  const { trace, redactor, pseudonyms } = run.history;
  const rows = Uint32Array.from(cluster.units.flatMap(unit => run.units[unit]?.rows ?? [])).sort();
  const measure = 'operations';
  const profile = fold(trace, rows, {
    view: measure,
    measure,
    ...stackColumns(trace, STACK, 'cluster'),
    labels: [],
    evidence: 0,
    comments: [],
    roundCost: microDollars,
    shown: (kind, value) => (ID_FRAMES.has(kind) ? pseudonyms.of(kind, value) : redactor.frame(kind, value)),
  });
  const tree = treeOf(profile, { measure });
  const whole = Number(tree.total[0] ?? 0n);
  const names: string[] = [];
  const nameIds = new Map<string, number>();
  const flame = { measure, names, parent: [] as number[], name: [] as number[], value: [] as number[] };
  const placed = new Map<number, number>();
  tree.total.forEach((total, node) => {
    const value = Number(total);
    const parent = node === 0 ? 0 : placed.get(profile.nodes.parent[node] as number);
    if (parent === undefined || (node > 0 && (value === 0 || value < THINNEST * whole))) return;
    const name =
      node === 0
        ? 'all'
        : displayName(profile.frames[profile.nodes.frame[node] as number] as { kind: string; value: string });
    let id = nameIds.get(name);
    if (id === undefined) nameIds.set(name, (id = names.push(name) - 1));
    placed.set(node, flame.parent.length);
    flame.parent.push(parent);
    flame.name.push(id);
    flame.value.push(value);
  });
  return flame;
}
