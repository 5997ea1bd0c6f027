import {
  type Annotation,
  AnnotationFault,
  annotationOf,
  type Segment,
  segmentsIn,
} from '../meaning/segmentation/marks.ts';
import { nodesOf, type SessionNodes } from '../meaning/segmentation/nodes.ts';
import { type MarkedSession, type StatusFact, statusOf } from '../meaning/segmentation/status.ts';
import { rowsBySession, type Sequence, sequencesOf } from '../meaning/segmentation/steps.ts';
import { readMarks, type StoredSession, segmentsNow, writeMarks } from '../meaning/segmentation/stored-marks.ts';
import { type Shown, traceNodes } from '../meaning/segmentation/trace-lines.ts';
import {
  ANNOTATION,
  readAnnotation,
  readTrace,
  renamingFor,
  sessionsOf,
  TRACE,
  writeAnnotation,
  writeStacks,
  writeTrace,
} from '../meaning/segmentation/workspace.ts';
import { counted } from '../trace/counted.ts';
import type { TextKind } from '../trace/texts.ts';
import type { Trace } from '../trace/trace.ts';
import { UsageError } from '../trace/usage-error.ts';
import { hintIfEmpty } from './empty.ts';
import { type History, readHistory, readText } from './history.ts';
import { marksPath } from './marks-file.ts';
import type { HistoryFlags } from './options.ts';

interface WorkspaceFlags {
  workspace: string;
  marks?: string;
  json?: boolean;
}

/** Texts that segmenters and people read. */
export const SEGMENT_TEXTS: readonly TextKind[] = ['prompt', 'call', 'command', 'result'];

/** A session as segmenters take it: its steps, and all its nodes. */
export interface SessionSteps {
  readonly sequence: Sequence;
  readonly nodes: SessionNodes;
}

/** Whole sessions: those of which something is selected. */
export function sessionsWith(trace: Trace, selected: Iterable<number>, hidden: ReadonlySet<string>): SessionSteps[] {
  const { ops } = trace;
  const wanted = new Uint8Array(ops.sessions.all.length);
  for (const row of selected) wanted[ops.session.get(row)] = 1;
  const rows: number[] = [];
  for (let row = 0; row < ops.length; row++) if (wanted[ops.session.get(row)] === 1) rows.push(row);
  const ordered = rowsBySession(trace, rows);
  return sequencesOf(trace, rows, hidden).map(sequence => ({
    sequence,
    nodes: nodesOf(ops, sequence.session, ordered.get(sequence.session) as number[]),
  }));
}

export function shownBy({ redactor, pseudonyms }: History): Shown {
  return {
    text: text => redactor.text(text),
    object: object => redactor.frame('file', object),
    session: id => pseudonyms.of('session', id),
  };
}

/** The selected sessions with the marks that are kept for them. */
async function markedHistory(flags: HistoryFlags & { marks?: string }, hidden: readonly string[]) {
  const history = await readHistory(flags, { texts: SEGMENT_TEXTS });
  hintIfEmpty(history);
  const sessions = sessionsWith(history.trace, history.rows, new Set(hidden));
  const marks = readMarks(marksPath(flags.marks));
  const segments = new Map<string, Segment[]>();
  for (const { nodes } of sessions) {
    const stored = marks.sessions.get(nodes.key);
    const own = stored && segmentsNow(stored, nodes);
    if (own) segments.set(nodes.key, own);
  }
  return { history, sessions, marks, segments };
}

export async function segmentExport(flags: HistoryFlags & WorkspaceFlags & { hide: string[] }): Promise<void> {
  const { history, sessions, marks, segments } = await markedHistory(flags, flags.hide);
  writeWorkspace(flags.workspace, history, sessions, segments, marks.names);
  const nodes = sessions.reduce((sum, session) => sum + session.nodes.ids.length, 0);
  print(
    flags.json,
    { schema: 'agentpprof.segment-export/1', sessions: sessions.length, nodes, marked: segments.size },
    [
      `${flags.workspace}: ${counted(nodes, 'node')} of ${counted(sessions.length, 'session')}, ${segments.size} of them marked`,
    ],
  );
}

/** The three files; annotation and stacks only of sessions that are marked. */
export function writeWorkspace(
  directory: string,
  history: History,
  sessions: readonly SessionSteps[],
  segments: ReadonlyMap<string, readonly Segment[]>,
  names: ReadonlyMap<string, string>,
): void {
  const nodes = traceNodes(
    history.trace,
    sessions.map(({ sequence, nodes: own }) => [sequence, own]),
    shownBy(history),
  );
  writeTrace(directory, nodes);
  const marks: Annotation = Object.assign(
    {},
    ...sessions.map(({ nodes: { key, ids } }) => annotationOf(segments.get(key) ?? [], ids)),
  );
  writeAnnotation(directory, marks);
  writeStacks(directory, nodes, segments, renamingFor(segments.values(), names));
}

export async function segmentApply(flags: WorkspaceFlags & { rename: string[] }): Promise<void> {
  const file = marksPath(flags.marks);
  const stored = readMarks(file);
  const nodes = readTrace(flags.workspace);
  const sessions = sessionsOf(nodes);
  const segments = checked(flags.workspace, () => segmentsIn(readAnnotation(flags.workspace), sessions));
  for (const rule of flags.rename) {
    const at = rule.indexOf('=');
    if (at < 1) throw new UsageError(`--rename: write OLD=NEW, not ${JSON.stringify(rule)}.`);
    stored.names.set(rule.slice(0, at), rule.slice(at + 1));
  }
  for (const { key, ids } of sessions) stored.sessions.set(key, storedOf('applied', segments.get(key) ?? [], ids));
  writeStacks(flags.workspace, nodes, segments, renamingFor(segments.values(), stored.names));
  writeMarks(file, stored);
  const marks = [...segments.values()].reduce((sum, own) => sum + countOf(own), 0);
  print(flags.json, { schema: 'agentpprof.segment-apply/1', sessions: sessions.length, marks }, [
    `kept: ${counted(marks, 'mark')} of ${counted(sessions.length, 'session')}; views show them as task frames`,
  ]);
}

/** A fault of the annotation is wrong usage; nothing was changed when it is told. */
function checked<T>(directory: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AnnotationFault)) throw error;
    throw new UsageError(
      `--workspace: ${directory}/${ANNOTATION}: ${error.message}. Nothing was changed; mend it against ${TRACE}.`,
    );
  }
}

export function storedOf(backend: string, segments: readonly Segment[], ids: readonly string[]): StoredSession {
  return { backend, nodes: ids.length, last: ids.at(-1) ?? '', marks: annotationOf(segments, ids) };
}

export function countOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, segment) => sum + 1 + countOf(segment.children), 0);
}

type StatusFlags = HistoryFlags & Omit<WorkspaceFlags, 'workspace'> & { workspace?: string; known?: string };

/** Of a workspace, or of the marks that are kept for the selected sessions. */
async function marksOf(flags: StatusFlags) {
  const { workspace } = flags;
  if (workspace === undefined) {
    const { sessions, segments } = await markedHistory(flags, []);
    return { sessions: sessions.map(({ nodes }) => nodes), segments };
  }
  const sessions = sessionsOf(readTrace(workspace));
  return { sessions, segments: checked(workspace, () => segmentsIn(readAnnotation(workspace), sessions)) };
}

export async function segmentStatus(flags: StatusFlags): Promise<void> {
  const { sessions, segments } = await marksOf(flags);
  const marked: MarkedSession[] = sessions.map(({ key, ids }) => ({
    key,
    nodes: ids.length,
    segments: segments.get(key) ?? [],
  }));
  const { names } = readMarks(marksPath(flags.marks));
  const known = flags.known === undefined ? new Set<string>() : knownFacts(flags.known);
  const all = statusOf(marked, renamingFor(segments.values(), names));
  const facts = all.filter(({ key, fingerprint }) => !known.has(`${key}\u0000${fingerprint}`));
  print(
    flags.json,
    { schema: 'agentpprof.segment-status/1', sessions: sessions.length, facts },
    facts.map(({ kind, says }) => `${kind.padEnd(11)} ${says}`),
  );
}

function knownFacts(file: string): Set<string> {
  try {
    const { facts } = JSON.parse(readText(file, '--known')) as { facts: StatusFact[] };
    return new Set(facts.map(({ key, fingerprint }) => `${key}\u0000${fingerprint}`));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`--known: ${file} is no status; agentpprof segment status --json makes one.`);
  }
}

export function print(json: boolean | undefined, facts: Record<string, unknown>, lines: readonly string[]): void {
  process.stdout.write(json ? `${JSON.stringify(facts, null, 2)}\n` : lines.map(line => `${line}\n`).join(''));
}
