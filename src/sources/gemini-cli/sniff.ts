import type { Head } from '../reader.ts';
import { isObject, listOf, type Obj } from '../shapes.ts';

/**
 * A header `{sessionId, projectHash}`, a message of the agent, or a document of such. A pretty-printed document has no
 * records: the head gives it whole, or (where it was not parsed) its name tells.
 */
export function sniff(head: Head): boolean {
  if (isDocument(head.document)) return true;
  if (head.records.some(record => isObject(record) && (isDocument(record) || isHeader(record) || isAnswer(record)))) {
    return true;
  }
  if (head.document !== undefined || head.records.some(isObject)) return false;
  return /[\\/]chats[\\/]session-[^\\/]*\.json$/.test(head.path);
}

function isHeader(record: Obj): boolean {
  return typeof record.sessionId === 'string' && typeof record.projectHash === 'string' && !('type' in record);
}

function isDocument(value: unknown): boolean {
  if (!isObject(value) || typeof value.sessionId !== 'string' || !Array.isArray(value.messages)) return false;
  return (
    typeof value.projectHash === 'string' ||
    listOf(value.messages).some(message => isObject(message) && (isAnswer(message) || hasTokens(message)))
  );
}

function isAnswer(record: Obj): boolean {
  return record.type === 'gemini' && typeof record.id === 'string';
}

function hasTokens({ tokens }: Obj): boolean {
  return isObject(tokens) && typeof tokens.thoughts === 'number' && typeof tokens.cached === 'number';
}
