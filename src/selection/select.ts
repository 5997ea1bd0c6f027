import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { Flag } from '../trace/flags.ts';
import type { Session } from '../trace/sessions.ts';
import type { Trace } from '../trace/trace.ts';
import { UsageError } from '../trace/usage-error.ts';
import { compileConditions, type Predicate } from './where.ts';

/** What a person narrowed the history to; the same for every command. Empty means everything. */
export interface Selection {
  readonly agents: readonly string[];
  readonly projectRoots: readonly string[];
  readonly sessionIds: readonly string[];
  readonly branches: readonly string[];
  readonly models: readonly string[];
  /** Microseconds since the epoch; inclusive. */
  readonly since: number | undefined;
  readonly until: number | undefined;
  readonly where: readonly string[];
  /** Tells whether a selector a person wrote means a session id (pseudonym, real id, or a prefix of either). */
  readonly matchesSession: (selector: string, id: string) => boolean;
}

/** The rows a selection keeps, in row order; copies are never among them. */
export async function select(trace: Trace, selection: Selection): Promise<Uint32Array> {
  const { ops } = trace;
  const sessions = acceptedSessions(trace, selection);
  const conditions = await compileConditions(trace, selection.where);
  const branch = valueIn(trace, 'branch', selection.branches);
  const model = valueIn(trace, 'model', selection.models);
  const { since, until } = selection;
  if (!sessions && !conditions && !branch && !model && since === undefined && until === undefined)
    return uncopied(trace);
  const rows = new Uint32Array(ops.length);
  let count = 0;
  for (let row = 0; row < ops.length; row++) {
    if (ops.has(row, Flag.copy)) continue;
    if (sessions && sessions[ops.session.get(row)] === 0) continue;
    if (since !== undefined || until !== undefined) {
      const start = ops.start.get(row);
      if (start === 0 || (since !== undefined && start < since) || (until !== undefined && start > until)) continue;
    }
    if (branch && !branch(row)) continue;
    if (model && !model(row)) continue;
    if (conditions && !conditions(row)) continue;
    rows[count++] = row;
  }
  return rows.slice(0, count);
}

/** All rows that are no copies. */
function uncopied({ ops }: Trace): Uint32Array {
  const flags = ops.flags.cells;
  const rows = new Uint32Array(ops.length);
  let count = 0;
  for (let row = 0; row < rows.length; row++)
    if (row >= flags.length || ((flags[row] as number) & Flag.copy) === 0) rows[count++] = row;
  return rows.subarray(0, count);
}

function valueIn(trace: Trace, field: string, values: readonly string[]): Predicate | undefined {
  if (values.length === 0) return undefined;
  const wanted = new Set(values);
  return row => wanted.has(trace.value(field, row));
}

/** One byte a session, or undefined where no condition speaks of sessions. A subagent goes with its main session. */
function acceptedSessions(trace: Trace, selection: Selection): Uint8Array | undefined {
  const { agents, projectRoots, sessionIds, matchesSession } = selection;
  if (agents.length === 0 && projectRoots.length === 0 && sessionIds.length === 0) return undefined;
  const sessions = trace.ops.sessions.all;
  const inProject = projectRoots.length > 0 ? projectFilter(projectRoots) : undefined;
  const accepted = new Uint8Array(sessions.length);
  sessions.forEach((session, at) => {
    const root = sessions[trace.links.root[at] as number] as Session;
    if (agents.length > 0 && !agents.includes(session.agent)) return;
    if (sessionIds.length > 0 && !sessionIds.some(id => matchesSession(id, session.id) || matchesSession(id, root.id)))
      return;
    if (inProject && !inProject(root)) return;
    accepted[at] = 1;
  });
  return accepted;
}

/** A root that exists here is compared with symlinks resolved; one that does not, as text. Directories below it count. */
function projectFilter(projectRoots: readonly string[]): (session: Session) => boolean {
  const wanted = new Set<string>();
  for (const root of projectRoots) {
    if (root === '') throw new UsageError('--project-root: the path is empty.');
    for (const form of [root, resolve(root), real(root)])
      wanted.add(form.length > 1 ? form.replace(/[\\/]+$/, '') : form);
  }
  return session =>
    [...(session.roots ?? []), session.cwd ?? ''].some(
      path => path !== '' && [...wanted].some(root => isAtOrBelow(path, root)),
    );
}

export function isAtOrBelow(path: string, root: string): boolean {
  return (
    path === root ||
    (path.startsWith(root) && (root.endsWith('/') || path[root.length] === '/' || path[root.length] === '\\'))
  );
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
