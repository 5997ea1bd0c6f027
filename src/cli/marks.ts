import { existsSync } from 'node:fs';
import type { Segment } from '../meaning/segmentation/marks.ts';
import { renamingOf } from '../meaning/segmentation/near-names.ts';
import { nodesOf, type SessionNodes, sessionKey } from '../meaning/segmentation/nodes.ts';
import { taskColumn } from '../meaning/segmentation/paths.ts';
import { rowsBySession } from '../meaning/segmentation/steps.ts';
import { readMarks, type StoredMarks, segmentsNow } from '../meaning/segmentation/stored-marks.ts';
import { usesOf } from '../meaning/segmentation/workspace.ts';
import type { Trace } from '../trace/trace.ts';
import { UsageError } from '../trace/usage-error.ts';
import { marksPath } from './marks-file.ts';

/** How far marks go, for summaries. */
export interface MarksSummary {
  readonly sessions: number;
  /** Sessions whose marks no longer fit their files. */
  readonly lost: number;
}

/** The file of marks that a flag names, or this user's own, for who only reads: a file that a flag names must be there. Throws UsageError. */
export function readableMarks(flag: string | undefined): string {
  if (flag !== undefined && !existsSync(flag))
    throw new UsageError(`--marks: there is no file ${flag}; segment run --marks FILE makes one.`);
  return marksPath(flag);
}

/** All rows of the sessions that are marked, as nodes. */
export function markedNodes(trace: Trace, marks: StoredMarks): SessionNodes[] {
  const { ops } = trace;
  const marked = ops.sessions.all.map((_, session) => marks.sessions.has(sessionKey(ops, session)));
  if (!marked.includes(true)) return [];
  const rows: number[] = [];
  for (let row = 0; row < ops.length; row++) if (marked[ops.session.get(row)]) rows.push(row);
  return [...rowsBySession(trace, rows)].map(([session, own]) => nodesOf(ops, session, own));
}

/** Gives the operations of marked sessions their field `task`. `false` is --no-marks. */
export function applyMarks(trace: Trace, flag: string | false | undefined): MarksSummary | undefined {
  if (flag === false) return undefined;
  const marks = readMarks(readableMarks(flag));
  if (marks.sessions.size === 0) return undefined;
  const fitting: [SessionNodes, Segment[]][] = [];
  let lost = 0;
  for (const nodes of markedNodes(trace, marks)) {
    const stored = marks.sessions.get(nodes.key);
    const segments = stored && segmentsNow(stored, nodes);
    if (segments) fitting.push([nodes, segments]);
    else lost++;
  }
  if (fitting.length === 0 && lost === 0) return undefined;
  const renaming = renamingOf(usesOf(fitting.map(([, segments]) => segments)), marks.names);
  trace.override('task', { column: taskColumn(fitting, renaming), through: 'tool' });
  return { sessions: fitting.length, lost };
}
