import type { Head } from '../reader.ts';
import { isObject, type Obj } from '../shapes.ts';
import { isTellingStream } from './stream.ts';

/** Record types of no other agent, by a key that each has beside its session. */
const TELLING: ReadonlyMap<string, string> = new Map([
  ['summary', 'leafUuid'],
  ['file-history-snapshot', 'snapshot'],
  ['last-prompt', 'sessionId'],
  ['queue-operation', 'operation'],
  ['permission-mode', 'permissionMode'],
  ['mode', 'mode'],
  ['ai-title', 'aiTitle'],
  ['custom-title', 'customTitle'],
  ['agent-name', 'agentName'],
  ['bridge-session', 'bridgeSessionId'],
  ['worktree-state', 'worktreeSession'],
  ['relocated', 'relocatedCwd'],
  ['pr-link', 'prUrl'],
  ['atis-latch', 'atis'],
  ['api-request', 'querySource'],
  ['cost-state', 'modelUsage'],
  ['attachment', 'attachment'],
  ['progress', 'data'],
]);

/** True if one of a file's first records is of a transcript and none is clearly of something else. */
export function sniff(head: Head): boolean {
  return head.records.some(record => isObject(record) && isTranscript(record)) || isTellingStream(head.records);
}

function isTranscript(record: Obj): boolean {
  const { type } = record;
  if (typeof type !== 'string') return false;
  if (type === 'user' || type === 'assistant') return isConversation(record);
  if (type === 'system')
    return typeof record.uuid === 'string' && typeof record.isSidechain === 'boolean' && !('message' in record);
  const telling = TELLING.get(type);
  return (
    telling !== undefined &&
    Object.hasOwn(record, telling) &&
    (type === 'summary' || type === 'file-history-snapshot' || isOfSession(record))
  );
}

/** Qwen Code writes rows of the same outline with `message.parts`; Cursor has no session; the stream of `-p` no sessionId. */
function isConversation(record: Obj): boolean {
  const { message } = record;
  if (!isObject(message) || !isOfSession(record)) return false;
  return 'content' in message || 'usage' in message;
}

function isOfSession(record: Obj): boolean {
  return (
    typeof record.sessionId === 'string' || (typeof record.uuid === 'string' && typeof record.agentId === 'string')
  );
}
