import type { Head } from '../reader.ts';
import { isObject, type Obj } from '../shapes.ts';

const TYPES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'tool_result', 'system']);

/** Rows like Claude Code's, but with `message.parts` (there: `content`) or a `systemPayload`. */
export function sniff(head: Head): boolean {
  return head.records.some(record => isObject(record) && isRow(record));
}

function isRow(record: Obj): boolean {
  if (typeof record.uuid !== 'string' || typeof record.sessionId !== 'string' || !TYPES.has(record.type)) return false;
  return record.type === 'system'
    ? typeof record.subtype === 'string' && isObject(record.systemPayload)
    : isObject(record.message) && Array.isArray(record.message.parts);
}
