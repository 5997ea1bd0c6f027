import { hashKey } from '../../trace/keys.ts';
import type { Operations } from '../../trace/operations.ts';

/**
 * The nodes of one session: its operations in time, each under an id that stays the same when the transcript grows. The
 * id is the operation's own recorded identity, or, where none was recorded, its number among such in the session.
 */
export interface SessionNodes {
  /** Names the session in ids and in stored marks: a hash of agent and id. */
  readonly key: string;
  readonly session: number;
  readonly rows: readonly number[];
  readonly ids: readonly string[];
}

/** First letter of an id, by kind. */
const LETTERS = ['s', 'p', 'c', 't', 'e', 'v'] as const;

/** `rows` of the session in time, as `rowsBySession` gives them. */
export function nodesOf(ops: Operations, session: number, rows: readonly number[]): SessionNodes {
  const key = sessionKey(ops, session);
  let nameless = 0;
  const taken = new Set<string>();
  const ids = rows.map(row => {
    const letter = LETTERS[ops.kind.get(row)] ?? 'x';
    const own = ops.key.has(row)
      ? `${letter}${hex(ops.key.high[row] as number)}${hex(ops.key.low[row] as number)}`
      : `${letter}${nameless++}`;
    // Two operations of one identity that are no copies of each other: the second is told by its place.
    let id = `${key}.${own}`;
    for (let again = 2; taken.has(id); again++) id = `${key}.${own}-${again}`;
    taken.add(id);
    return id;
  });
  return { key, session, rows, ids };
}

export function sessionKey(ops: Operations, session: number): string {
  const { agent, id } = ops.sessions.all[session] as { agent: string; id: string };
  const { high, low } = hashKey(`${agent}\u0000${id}`);
  return `${hex(high)}${hex(low)}`.slice(0, 12);
}

const hex = (lane: number): string => lane.toString(16).padStart(8, '0');

/** The session of a node id. */
export function sessionOfId(id: string): string {
  return id.slice(0, id.indexOf('.'));
}
