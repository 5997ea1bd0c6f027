import type { Head } from '../reader.ts';
import { type Fields, fieldsOf } from './fields.ts';
import { isDocumentPath } from './paths.ts';

const ENVELOPES: ReadonlySet<unknown> = new Set([
  'session_meta',
  'response_item',
  'event_msg',
  'turn_context',
  'token_usage_record',
  'compacted',
  'world_state',
]);

const ITEMS: ReadonlySet<unknown> = new Set([
  'message',
  'function_call',
  'function_call_output',
  'reasoning',
  'local_shell_call',
]);

/** True for rollouts of all three ages: by their records, or by name for an indented document, whose lines are none. */
export function isRollout(head: Head): boolean {
  if (isDocumentPath(head.path) && !head.records.some(record => fieldsOf(record))) return true;
  return head.records.some((value, index) => {
    const record = fieldsOf(value);
    if (!record) return false;
    if (ENVELOPES.has(record.type) && fieldsOf(record.payload)) return true;
    if (fieldsOf(record.session) && Array.isArray(record.items)) return isDocument(record);
    return index === 0 && isBareHeader(record, head.records.slice(1));
  });
}

function isDocument(record: Fields): boolean {
  const session = fieldsOf(record.session);
  return typeof session?.id === 'string' && 'instructions' in session;
}

/** `{id, timestamp, instructions, git}`, alone or with items that only Codex writes without an envelope. */
function isBareHeader(record: Fields, rest: readonly unknown[]): boolean {
  if (record.type !== undefined || typeof record.id !== 'string' || typeof record.timestamp !== 'string') return false;
  if (!('instructions' in record) && !('git' in record)) return false;
  return rest.every(value => {
    const item = fieldsOf(value);
    return (
      item !== undefined && (item.record_type !== undefined || ITEMS.has(item.type) || typeof item.type === 'string')
    );
  });
}
