import { readFileSync } from 'node:fs';
import { UsageError } from '../../trace/usage-error.ts';
import { type Annotation, AnnotationFault, type Ordered, type Segment, segmentsIn } from './marks.ts';
import { writePrivately } from './private-file.ts';

/** What is kept of one session's marks. */
export interface StoredSession {
  /** Who made them, with its version. */
  readonly backend: string;
  /** How many nodes the session had, and which was the last. */
  readonly nodes: number;
  readonly last: string;
  readonly marks: Annotation;
}

/** Applied marks by session, and names that a person wants otherwise. */
export interface StoredMarks {
  readonly sessions: Map<string, StoredSession>;
  readonly names: Map<string, string>;
}

const SCHEMA = 'agentpprof.marks/1';

/** Marks of a file; none where it is not there. Throws UsageError for a file that is something else. */
export function readMarks(file: string): StoredMarks {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { sessions: new Map(), names: new Map() };
    throw new UsageError(`--marks: cannot read ${file}: ${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}.`);
  }
  let value: { schema?: unknown; sessions?: unknown; names?: unknown } | null;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError(`--marks: ${file} is not JSON. Move it away; agentpprof segment run makes marks anew.`);
  }
  if (value?.schema !== SCHEMA || typeof value.sessions !== 'object')
    throw new UsageError(`--marks: ${file} holds no marks (its schema is not ${SCHEMA}).`);
  return {
    sessions: new Map(Object.entries(value.sessions as Record<string, StoredSession>)),
    names: new Map(Object.entries((value.names ?? {}) as Record<string, string>)),
  };
}

export function writeMarks(file: string, { sessions, names }: StoredMarks): void {
  const sorted = <T>(map: ReadonlyMap<string, T>) => Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
  const text = JSON.stringify({ schema: SCHEMA, names: sorted(names), sessions: sorted(sessions) }, null, 1);
  writePrivately(file, `${text}\n`);
}

/**
 * The segments that stored marks give a session as it is now. Nodes that came since belong to the last segment. Where
 * nodes are gone that marks name (a file was rewritten), the marks no longer fit and there are none.
 */
export function segmentsNow(stored: StoredSession, session: Ordered): Segment[] | undefined {
  try {
    return segmentsIn(stored.marks, [session]).get(session.key);
  } catch (error) {
    if (error instanceof AnnotationFault) return undefined;
    throw error;
  }
}

/** True where nothing came since the marks were made. */
export function isCurrent(stored: StoredSession, { ids }: Ordered): boolean {
  return stored.nodes === ids.length && stored.last === ids.at(-1);
}
