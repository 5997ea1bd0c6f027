import { countUnknown } from '../ledger.ts';
import { countOf, isObject, NOTHING, type Obj, objectOf, textOf } from '../shapes.ts';
import type { Context } from './context.ts';
import type { StreamState } from './state.ts';

/**
 * What `claude -p --output-format stream-json` prints, as the rows a transcript would have. Messages have the same
 * shape there, but `session_id` and `parent_tool_use_id` (the call that spawned the subagent who speaks) instead of
 * `sessionId` and `agentId`, mostly no times, and no prompt. An answer's rows hold the usage that was known when
 * it began; its last counts come with `message_delta` events (if these were asked for), and the run's with `result`.
 */

/** Types that tell nothing of operations. */
const SILENT: ReadonlySet<string> = new Set([
  'rate_limit_event',
  'tool_progress',
  'tool_use_summary',
  'auth_status',
  'prompt_suggestion',
  'control_request',
  'control_response',
  'control_cancel_request',
  'keep_alive',
]);

const SILENT_SYSTEM: ReadonlySet<string> = new Set([
  'hook_started',
  'hook_progress',
  'hook_response',
  'status',
  'thinking_tokens',
  'task_started',
  'task_progress',
  'task_updated',
  'task_notification',
  'session_state_changed',
  'files_persisted',
  'local_command_output',
]);

const OF_STREAMS: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', 'result', 'stream_event', ...SILENT]);

/** Some transcripts repeat `sessionId` as `session_id`; a stream never has the former. */
export function isStreamed(record: Obj): boolean {
  return typeof record.session_id === 'string' && record.sessionId === undefined && OF_STREAMS.has(record.type);
}

/** For telling whose a file is. Qwen Code, Amp, Cursor and Droid print streams of the same outline. */
export function isTellingStream(records: readonly unknown[]): boolean {
  const all = records.filter(isObject);
  if (all.some(record => 'qwen_code_version' in record || textOf(record.session_id).startsWith('T-'))) return false;
  return all.some(record => {
    if (!isStreamed(record)) return false;
    if (record.type === 'system') {
      return record.subtype === 'init' && ('claude_code_version' in record || Array.isArray(record.mcp_servers));
    }
    if (record.type === 'result') return 'total_cost_usd' in record && 'duration_api_ms' in record;
    return 'parent_tool_use_id' in record && (isObject(record.message) || isObject(record.event));
  });
}

export function freshStream(): StreamState {
  return { cwd: '', version: '', model: '', answers: new Map(), spent: undefined };
}

/** A record of a stream as rows of a transcript: none, one, or (`result`) several. */
export function rowsOf(context: Context, record: Obj): Obj[] {
  context.state.stream ??= freshStream();
  const { stream } = context.state;
  switch (record.type) {
    case 'user':
    case 'assistant':
      return [{ ...placed(stream, record), type: record.type, message: record.message, ...resultOf(record) }];
    case 'system':
      return systemRows(context, stream, record);
    case 'stream_event':
      return eventRows(stream, record);
    case 'result':
      return resultRows(stream, record);
    default:
      return [];
  }
}

function placed({ cwd, version }: StreamState, record: Obj): Obj {
  const agent = textOf(record.parent_tool_use_id);
  return {
    sessionId: record.session_id,
    uuid: record.uuid,
    timestamp: record.timestamp,
    cwd,
    version,
    entrypoint: 'stream-json',
    ...(agent === '' ? {} : { isSidechain: true, agentId: agent }),
  };
}

function resultOf({ tool_use_result: result }: Obj): Obj {
  return result === undefined ? NOTHING : { toolUseResult: result };
}

function systemRows(context: Context, stream: StreamState, record: Obj): Obj[] {
  const subtype = textOf(record.subtype);
  if (subtype === 'init') {
    stream.cwd = textOf(record.cwd);
    stream.version = textOf(record.claude_code_version);
    stream.model = textOf(record.model);
    return [];
  }
  const base = { ...placed(stream, record), type: 'system' };
  if (subtype === 'compact_boundary') {
    return [{ ...base, subtype, compactMetadata: { durationMs: objectOf(record.compact_metadata).duration_ms } }];
  }
  if (subtype === 'api_retry') {
    const error = { status: record.error_status, type: record.error };
    return [{ ...base, subtype: 'api_error', retryInMs: record.retry_delay_ms, error }];
  }
  if (!SILENT_SYSTEM.has(subtype)) countUnknown(context.ledger, `system ${subtype.slice(0, 60)}`.trim());
  return [];
}

/** `message_start` names the answer and its first counts, `message_delta` has the last ones and no name. */
function eventRows(stream: StreamState, record: Obj): Obj[] {
  const event = objectOf(record.event);
  const speaker = textOf(record.parent_tool_use_id);
  if (event.type === 'message_start') {
    const { id, model, usage } = objectOf(event.message);
    stream.answers.set(speaker, { id: textOf(id), model: textOf(model), usage: objectOf(usage) });
    return [];
  }
  if (event.type !== 'message_delta') return [];
  const answer = stream.answers.get(speaker);
  if (answer === undefined || answer.id === '' || !isObject(event.usage)) return [];
  const usage = { ...answer.usage };
  for (const [name, value] of Object.entries(event.usage)) if (value !== null) usage[name] = value;
  const message = { id: answer.id, model: answer.model, stop_reason: objectOf(event.delta).stop_reason, usage };
  return [{ ...placed(stream, record), uuid: undefined, type: 'assistant', message }];
}

/** The end of a run: what it used in all, by model; before `modelUsage` only of the model it was started with. */
function resultRows(stream: StreamState, record: Obj): Obj[] {
  const base = { ...placed(stream, record), uuid: undefined };
  const rows: Obj[] = [];
  const totals = isObject(record.modelUsage) ? record.modelUsage : spentBy(stream, record.usage);
  if (totals !== undefined) rows.push({ ...base, type: 'cost-state', modelUsage: totals });
  if (/^error/.test(textOf(record.subtype))) {
    const type = textOf(record.subtype).replaceAll('_', '-');
    rows.push({ ...base, type: 'system', subtype: 'error', error: { type } });
  }
  return rows;
}

const COUNTS = {
  inputTokens: 'input_tokens',
  cacheReadInputTokens: 'cache_read_input_tokens',
  cacheCreationInputTokens: 'cache_creation_input_tokens',
  outputTokens: 'output_tokens',
} as const;

/** `usage` is that of one result, of which a conversation over standard input has several. */
function spentBy(stream: StreamState, usage: unknown): Obj | undefined {
  if (!isObject(usage) || stream.model === '') return undefined;
  const before = stream.spent;
  stream.spent = Object.fromEntries(
    Object.entries(COUNTS).map(([name, written]) => [name, (before?.[name] ?? 0) + countOf(usage[written])]),
  );
  return { [stream.model]: stream.spent };
}
