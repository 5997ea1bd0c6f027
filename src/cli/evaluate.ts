import { CONTESTANTS } from '../evaluation/contestants.ts';
import { controlsFor } from '../evaluation/controls.ts';
import {
  type Contestant,
  evaluateSegments,
  goldSessions,
  type SegmentReport,
  type SegmentResult,
} from '../evaluation/segments.ts';
import { type Judged, judgedScore, parseVerdicts } from '../evaluation/verdicts.ts';
import { leavesOf } from '../meaning/segmentation/marks.ts';
import { nodesOf } from '../meaning/segmentation/nodes.ts';
import { sequencesOf } from '../meaning/segmentation/steps.ts';
import { readMarks, type StoredMarks, segmentsNow } from '../meaning/segmentation/stored-marks.ts';
import { counted } from '../trace/counted.ts';
import type { TextKind } from '../trace/texts.ts';
import type { Trace } from '../trace/trace.ts';
import { UsageError } from '../trace/usage-error.ts';
import { readHistory, readText } from './history.ts';
import { readableMarks } from './marks.ts';
import type { HistoryFlags } from './options.ts';
import { print, sessionsWith } from './segment.ts';
import { drawTable } from './table.ts';

interface EvaluateSegmentsFlags extends HistoryFlags {
  gold?: string;
  marks?: string;
  verdicts?: string;
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
  const contestants = contestantsOf(flags);
  const trial = {
    folds: integerOf(flags.folds, '--folds', 2, 1000),
    draws: integerOf(flags.draws, '--draws', 1, MOST_DRAWS),
  };
  const { trace, rows } = await readHistory(flags, { texts: TEXTS });
  for (const hidden of flags.hide) checkField(trace, hidden, '--hide');
  if (flags.verdicts !== undefined) return judge(flags, trace, rows, contestants);
  const { gold } = flags;
  if (gold === undefined)
    throw new UsageError('--gold: name the field with the gold groups, or give --verdicts of segment review.');
  checkField(trace, gold, '--gold');
  if (flags.clusterBy !== undefined) checkField(trace, flags.clusterBy, '--cluster-by');
  const sequences = sequencesOf(trace, rows, new Set([gold, ...flags.hide]));
  const sessions = goldSessions(trace, sequences, gold, flags.clusterBy);
  if (sessions.length === 0)
    throw new UsageError(`--gold: no selected operation has a value of the field ${JSON.stringify(gold)}.`);
  const folds = Math.min(trial.folds, new Set(sessions.map(session => session.cluster)).size);
  const bound = contestants(trace);
  const everyone = [...bound, ...controlsFor(bound)];
  // With a single session nothing is left to train on.
  const able = folds < 2 ? everyone.filter(({ labelFree }) => labelFree) : everyone;
  const report = await evaluateSegments(sessions, able, { ...trial, folds });
  process.stdout.write(flags.json ? `${JSON.stringify(facts(report), null, 2)}\n` : text(report, trial.draws, folds));
}

/** Boundaries at the gaps that a person judged. */
async function judge(
  flags: EvaluateSegmentsFlags,
  trace: Trace,
  rows: Iterable<number>,
  contestants: (trace: Trace) => Contestant[],
): Promise<void> {
  const file = flags.verdicts as string;
  const verdicts = parseVerdicts(readText(file, '--verdicts'), file);
  const sessions = sessionsWith(trace, rows, new Set(flags.hide));
  const results: ({ readonly backend: string } & Judged)[] = [];
  for (const { backend, labelFree, cut } of contestants(trace)) {
    if (!labelFree) throw new UsageError(`--verdicts: ${backend} must be trained; verdicts are too few for that.`);
    const cuts = await cut(
      sessions.map(({ sequence }) => sequence),
      [],
    );
    results.push({ backend, ...judgedScore(sessions, cuts, verdicts) });
  }
  print(
    flags.json,
    { schema: 'agentpprof.evaluate-verdicts/1', verdicts: verdicts.size, results },
    results.map(
      ({ backend, judged, p, r, f1 }) =>
        `${backend}: ${counted(judged, 'gap')} judged, boundary P ${p.toFixed(3)} R ${r.toFixed(3)} F1 ${f1.toFixed(3)}`,
    ),
  );
}

/** The segmenters that flags name; `marks` needs the trace to find its nodes. Throws UsageError. */
function contestantsOf({ backend: names, marks }: EvaluateSegmentsFlags): (trace: Trace) => Contestant[] {
  const known = [...CONTESTANTS.map(({ backend }) => backend), MARKS].join(', ');
  const asked = [...new Set(names.split(',').map(name => name.trim()))];
  const found = asked.map(name => {
    const contestant = CONTESTANTS.find(({ backend }) => backend === name);
    if (!contestant && name !== MARKS)
      throw new UsageError(`--backend: there is no segmenter ${JSON.stringify(name)}. Segmenters: ${known}.`);
    return contestant;
  });
  const stored = asked.includes(MARKS) ? readMarks(readableMarks(marks)) : undefined;
  if (stored?.sessions.size === 0)
    throw new UsageError('--backend marks: no marks are kept; segment run makes them, or --marks FILE names them.');
  return trace => found.map(each => each ?? marksContestant(trace, stored as StoredMarks));
}

const MARKS = 'marks';

/** What anybody marked: a model, a program, a person. It saw no gold if whoever made it hid the field. */
function marksContestant(trace: Trace, stored: StoredMarks): Contestant {
  return {
    backend: MARKS,
    labelFree: true,
    cut: sequences =>
      sequences.map(({ session, steps }) => {
        const nodes = nodesOf(
          trace.ops,
          session,
          steps.flatMap(step => step.rows),
        );
        const marks = stored.sessions.get(nodes.key);
        const begins = new Set(leavesOf((marks && segmentsNow(marks, nodes)) ?? []).map(({ begin }) => begin));
        let node = 0;
        return Uint8Array.from(steps, step => {
          const cut = step.rows.some((_, at) => begins.has(node + at)) ? 1 : 0;
          node += step.rows.length;
          return cut;
        });
      }),
  };
}

function checkField(trace: Trace, name: string, flag: string): void {
  if (!trace.names().includes(name))
    throw new UsageError(
      `${flag}: there is no field ${JSON.stringify(name)}. Known fields: ${trace.names().join(', ')}.`,
    );
}

/** Beyond this an interval does not move any more; it only takes longer. */
export const MOST_DRAWS = 1_000_000;

export function integerOf(text: string, flag: string, least: number, most = Number.MAX_SAFE_INTEGER): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < least)
    throw new UsageError(`${flag}: wants a whole number of at least ${least}, not ${JSON.stringify(text)}.`);
  if (number > most) throw new UsageError(`${flag}: ${text} is more than the ${most} that make sense.`);
  return number;
}

/** Contract: agentpprof.evaluate-segments/1. */
function facts(report: SegmentReport): Record<string, unknown> {
  return {
    schema: 'agentpprof.evaluate-segments/1',
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
    ? `* saw labels: ${counted(folds, 'fold')}, each scored by what the others taught\n`
    : '';
  return `${counted(report.operations, 'operation')} of ${counted(report.sessions, 'session')} in ${counted(report.goldGroups, 'gold group')}; intervals by ${counted(draws, 'resample')} of ${counted(report.clusters, 'cluster')}\n${lines}${trained}`;
}
