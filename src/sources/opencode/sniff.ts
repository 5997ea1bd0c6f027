import { Database, isDatabase } from '../database.ts';
import type { Head } from '../reader.ts';
import { isObject, listOf, objectOf } from '../shapes.ts';

/** A message of the JSON storage, or an export. Each is the only value of its file. */
export function sniff({ records, document }: Head): boolean {
  const value = document ?? (records.length === 1 ? records[0] : undefined);
  return isMessage(value) || isExport(value);
}

function isMessage(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.id === 'string' &&
    typeof value.sessionID === 'string' &&
    (value.role === 'user' || value.role === 'assistant') &&
    typeof objectOf(value.time).created === 'number'
  );
}

function isExport(value: unknown): boolean {
  if (!isObject(value) || !isObject(value.info) || typeof value.info.id !== 'string') return false;
  return (
    Array.isArray(value.messages) &&
    listOf(value.messages).every(each => isMessage(objectOf(each).info)) &&
    (value.messages.length > 0 || typeof value.info.directory === 'string')
  );
}

/** Only the tables tell: other agents keep SQLite databases too, and a young one has all of them in its log. */
export function sniffDatabase(path: string): boolean {
  if (!isDatabase(path)) return false;
  try {
    const database = new Database(path);
    try {
      return database.read(query => {
        const columns = query(
          "select m.name as t, c.name as c from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table'",
        );
        const has = (table: string, column: string) => columns.some(({ t, c }) => t === table && c === column);
        return (
          has('message', 'session_id') && has('message', 'data') && has('part', 'message_id') && has('part', 'data')
        );
      });
    } finally {
      database.close();
    }
  } catch {
    return false;
  }
}
