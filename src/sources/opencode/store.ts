import { statSync } from 'node:fs';
import { type Keep, WHOLE } from '../../ingest/keep.ts';
import { prune } from '../../ingest/prune.ts';
import type { Operations } from '../../trace/operations.ts';
import { Database, type Query, type Row } from '../database.ts';
import type { FileLedger } from '../ledger.ts';
import type { SourceFile } from '../reader.ts';
import { Scribe } from '../scribe.ts';
import { isObject, type Obj, textOf } from '../shapes.ts';
import { AGENT } from './agent.ts';
import { Chronicle, type Part, type SessionFacts } from './chronicle.ts';
import { MESSAGE, PART } from './keep.ts';

/**
 * Evidence in a database: `offset` is twice the row id, plus one for a row of `part` (without: of `message`), `bytes`
 * the length of its `data`.
 */
const placeOf = (rowid: number, isPart: boolean) => rowid * 2 + (isPart ? 1 : 0);

interface Message {
  readonly info: Obj;
  readonly offset: number;
  readonly bytes: number;
  readonly parts: readonly Part[];
}

/** Reads a database, a session at a time: a writer costs at most the reading of one session again. */
export function readDatabase(file: SourceFile, out: Operations, ledger: FileLedger): void {
  const database = new Database(file.path);
  try {
    ledger.bytes = statSync(file.path).size;
    const sessions = database.read(sessionsOf);
    if (sessions === undefined) {
      ledger.notes.push('the database has no tables of messages');
      return;
    }
    const scribe = new Scribe(AGENT, file, out, ledger);
    const chronicle = new Chronicle(scribe);
    for (const session of sessions) {
      const { messages, bad, rows } = database.read(query => messagesOf(query, session.id));
      ledger.lines += rows;
      ledger.badLines += bad;
      const strand = chronicle.session(session);
      for (const { info, offset, bytes, parts } of messages) {
        scribe.offset = offset;
        scribe.bytes = bytes;
        chronicle.message(strand, info, parts);
      }
    }
  } finally {
    database.close();
  }
}

/** All sessions in the order of their ids; undefined where there are no tables. Old versions lack some columns. */
function sessionsOf(query: Query): SessionFacts[] | undefined {
  const columns = (table: string) => query('select name from pragma_table_info(?)', [table]).map(({ name }) => name);
  if (!columns('message').includes('data') || !columns('part').includes('data')) return undefined;
  const there = columns('session');
  const wanted = ['id', 'parent_id', 'directory', 'version'].filter(name => there.includes(name));
  const sessions = new Map<string, SessionFacts>();
  if (wanted.includes('id')) {
    for (const row of query(`select ${wanted.join(', ')} from session`)) {
      const id = textOf(row.id);
      sessions.set(id, {
        id,
        parent: textOf(row.parent_id),
        directory: textOf(row.directory),
        version: textOf(row.version),
      });
    }
  }
  for (const row of query('select distinct session_id as id from message')) {
    const id = textOf(row.id);
    if (!sessions.has(id)) sessions.set(id, { id, parent: '', directory: '', version: '' });
  }
  return [...sessions.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function messagesOf(query: Query, session: string): { messages: Message[]; bad: number; rows: number } {
  const messages: Message[] = [];
  let bad = 0;
  let rows = 0;
  const parsed = (row: Row, keep: Keep): Obj | undefined => {
    rows++;
    const value = dataOf(row, keep);
    if (value === undefined) bad++;
    return value;
  };
  for (const row of query('select rowid as row, id, data from message where session_id = ? order by time_created, id', [
    session,
  ])) {
    const info = parsed(row, MESSAGE);
    const parts: Part[] = [];
    for (const part of query('select rowid as row, data from part where message_id = ? order by id', [
      textOf(row.id),
    ])) {
      const value = parsed(part, PART);
      if (value !== undefined) parts.push({ value, offset: placeOf(Number(part.row), true), bytes: lengthOf(part) });
    }
    if (info !== undefined) {
      messages.push({ info, offset: placeOf(Number(row.row), false), bytes: lengthOf(row), parts });
    }
  }
  return { messages, bad, rows };
}

/** Undefined for what is no JSON object, or nests so deep that nothing reads it. */
function dataOf(row: Row, keep: Keep): Obj | undefined {
  try {
    const value = prune(JSON.parse(textOf(row.data)), keep);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const lengthOf = (row: Row) => Buffer.byteLength(textOf(row.data));

/** The row that evidence names, as it is now; undefined if it is there no more. Throws IngestError as reading does. */
export function rowAt(path: string, offset: number): unknown {
  const table = offset % 2 === 1 ? 'part' : 'message';
  const database = new Database(path);
  try {
    const [row] = database.read(query => query(`select data from ${table} where rowid = ?`, [Math.floor(offset / 2)]));
    return row && dataOf(row, WHOLE);
  } finally {
    database.close();
  }
}
