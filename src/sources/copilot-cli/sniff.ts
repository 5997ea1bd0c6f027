import type { Head } from '../reader.ts';
import { isObject, type Obj } from '../shapes.ts';

const TYPE = /^(session|user|assistant|tool|system|hook|subagent)\.[a-z_]+$/;

/** Events `{type, data, id, timestamp, parentId}` that chain by their ids. */
export function sniff(head: Head): boolean {
  return head.records.some(record => isObject(record) && isEvent(record));
}

function isEvent(record: Obj): boolean {
  return (
    typeof record.type === 'string' &&
    TYPE.test(record.type) &&
    isObject(record.data) &&
    typeof record.id === 'string' &&
    (record.parentId === null || typeof record.parentId === 'string')
  );
}
