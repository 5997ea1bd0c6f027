import { CONTESTANTS } from '../evaluation/contestants.ts';
import { controlsFor } from '../evaluation/controls.ts';
import {
  type Contestant,
  evaluateSegments,
  goldSessions,
  type SegmentReport,
  type SegmentResult,
} from '../evaluation/segments.ts';
import { sequencesOf } from '../meaning/segmentation/steps.ts';
import type { TextKind } from '../trace/texts.ts';
import type { Trace } from '../trace/trace.ts';
import { UsageError } from '../trace/usage-error.ts';
import { readHistory } from './history.ts';
import type { HistoryFlags } from './options.ts';
import { drawTable } from './table.ts';

interface EvaluateSegmentsFlags extends HistoryFlags {
  gold: string;
  backend: string;
  hide: string[];
  folds: string;
  clusterBy?: string;
  draws: string;
  json?: boolean;
}

/** Texts that segmenters read. */
const TEXTS: readonly TextKind[] = ['prompt', 'call', 'command'];

export async function evaluateSegmentsCommand(flags: EvaluateSegmentsFlags): Promise<void> {
  const contestants = contestantsOf(flags.backend);
  const trial = { folds: integerOf(flags.folds, '--folds', 2), draws: integerOf(flags.draws, '--draws', 1) };
  const history = await readHistory(flags, { texts: TEXTS });
  const { trace, rows } = history;
  checkField(trace, flags.gold, '--gold');
  if (flags.clusterBy !== undefined) checkField(trace, flags.clusterBy, '--cluster-by');
  for (const hidden of flags.hide) checkField(trace, hidden, '--hide');
  const sequences = sequencesOf(trace, rows, new Set([flags.gold, ...flags.hide]));
  const sessions = goldSessions(trace, sequences, flags.gold, flags.clusterBy);
  if (sessions.length === 0)
    throw new UsageError(`--gold: no selected operation has a value of the field ${JSON.stringify(flags.gold)}.`);
  const folds = Math.min(trial.folds, new Set(sessions.map(session => session.cluster)).size);
  const everyone = [...contestants, ...controlsFor(contestants)];
  // With a single session nothing is left to train on.
  const able = folds < 2 ? everyone.filter(({ labelFree }) => labelFree) : everyone;
  const report = await evaluateSegments(sessions, able, { ...trial, folds });
  process.stdout.write(flags.json ? `${JSON.stringify(facts(report), null, 2)}\n` : text(report, trial.draws, folds));
}

function contestantsOf(names: string): Contestant[] {
  const known = CONTESTANTS.map(({ backend }) => backend).join(', ');
  const asked = names.split(',').map(name => name.trim());
  return [...new Set(asked)].map(name => {
    const found = CONTESTANTS.find(({ backend }) => backend === name);
    if (!found) throw new UsageError(`--backend: there is no segmenter ${JSON.stringify(name)}. Segmenters: ${known}.`);
    return found;
  });
}

function checkField(trace: Trace, name: string, flag: string): void {
  if (!trace.names().includes(name))
    throw new UsageError(
      `${flag}: there is no field ${JSON.stringify(name)}. Known fields: ${trace.names().join(', ')}.`,
    );
}

export function integerOf(text: string, flag: string, least: number): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < least)
    throw new UsageError(`${flag}: wants a whole number of at least ${least}, not ${JSON.stringify(text)}.`);
  return number;
}

/** Contract: agentpprof.evaluate.segments/1. */
function facts(report: SegmentReport): Record<string, unknown> {
  return {
    schema: 'agentpprof.evaluate.segments/1',
    operations: report.operations,
    sessions: report.sessions,
    gold_groups: report.goldGroups,
    results: report.results.map(result => ({
      backend: result.backend,
      label_free: result.labelFree,
      groups: result.groups,
      b3: { ...result.b3, f1_interval: result.intervals.b3 },
      boundary: { ...result.boundary, f1_interval: result.intervals.boundary },
      boundary_near: { ...result.near },
    })),
  };
}

function text(report: SegmentReport, draws: number, folds: number): string {
  const share = (value: number) => value.toFixed(3);
  const interval = ([low, high]: [number, number]) => `${share(low)}-${share(high)}`;
  const row = (result: SegmentResult) => [
    `${result.backend}${result.labelFree ? '' : ' *'}`,
    String(result.groups),
    ...[result.b3.p, result.b3.r, result.b3.f1].map(share),
    interval(result.intervals.b3),
    ...[result.boundary.p, result.boundary.r, result.boundary.f1].map(share),
    interval(result.intervals.boundary),
    share(result.near.f1),
  ];
  const head = ['segmenter', 'groups', 'B3 P', 'R', 'F1', '95 %', 'boundary P', 'R', 'F1', '95 %', 'near F1'];
  const lines = drawTable(
    head.map((title, at) => ({ title, right: at > 0 })),
    report.results.map(row),
  );
  const trained = report.results.some(({ labelFree }) => !labelFree)
    ? `* saw labels: ${folds} folds, each scored by what the others taught\n`
    : '';
  return `${report.operations} operations of ${report.sessions} sessions in ${report.goldGroups} gold groups; intervals by ${draws} resamples of ${report.clusters} clusters\n${lines}${trained}`;
}
