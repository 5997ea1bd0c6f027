import type { Head } from '../reader.ts';
import { isObject } from '../shapes.ts';
import { isHistory } from './paths.ts';

/** A document of messages with the agent's role in its session; where it was not parsed, its name tells. */
export function sniff(head: Head): boolean {
  if (isConversation(head.document) || head.records.some(isConversation)) return true;
  return head.document === undefined && !head.records.some(isObject) && isHistory(head.path);
}

function isConversation(value: unknown): boolean {
  return (
    isObject(value) &&
    Array.isArray(value.messages) &&
    typeof value.sessionId === 'string' &&
    typeof value.agent === 'string' &&
    isObject(value.origin)
  );
}
