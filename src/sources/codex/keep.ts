import { type Ends, type Keep, type Keys, WHOLE } from '../../ingest/keep.ts';

/**
 * What is looked at. Dropped on the way: instructions, world_state bodies, replacement_history (the history once
 * more), encrypted reasoning, images, the text of commands' output in events, diffs.
 */

/**
 * What is kept of a tool's result: its header stands at the beginning, and in results of the old shell tool, which are JSON
 * in a string, the exit code at the end.
 */
const RESULT: Ends = { head: 2400, tail: 256 };

const SHORT = 40;
const NAME = 200;

const TEXTS: Keys = { keys: { type: SHORT, text: WHOLE }, text: WHOLE };

const RESULTS: Keys = { keys: { type: SHORT, text: RESULT, content: RESULT, success: SHORT }, text: RESULT };

/** Keys are paths; of a change only its kind and target matter. In 2025 the kind was a key around the rest. */
const MOVED: Keys = { keys: { move_path: WHOLE } };
const CHANGES: Keys = {
  keys: { path: WHOLE, kind: SHORT },
  rest: { keys: { type: SHORT, move_path: WHOLE, add: MOVED, update: MOVED, delete: MOVED } },
};

const FAILURE: Keys = { keys: { codex_error_info: NAME, message: NAME } };

const ITEM: Keys = {
  keys: {
    type: SHORT,
    id: NAME,
    content: TEXTS,
    status: SHORT,
    exit_code: SHORT,
    changes: CHANGES,
    server: NAME,
    tool: NAME,
    success: SHORT,
    error: NAME,
    kind: SHORT,
    receiver_thread_ids: NAME,
    agent_thread_id: NAME,
    // Of streams.
    text: WHOLE,
    message: NAME,
    command: WHOLE,
    arguments: WHOLE,
    query: WHOLE,
    prompt: WHOLE,
  },
};

const PAYLOAD: Readonly<Record<string, Keep>> = {
  type: NAME,
  // Model input and output.
  id: NAME,
  role: SHORT,
  content: TEXTS,
  name: NAME,
  namespace: NAME,
  arguments: WHOLE,
  input: WHOLE,
  call_id: NAME,
  output: RESULTS,
  action: WHOLE,
  status: SHORT,
  internal_chat_message_metadata_passthrough: { keys: { content_item_kinds: NAME } },
  // Headers.
  session_id: NAME,
  timestamp: SHORT,
  cwd: WHOLE,
  originator: NAME,
  cli_version: SHORT,
  source: NAME,
  thread_source: SHORT,
  forked_from_id: NAME,
  parent_thread_id: NAME,
  agent_role: NAME,
  subagent_history_start_ordinal: SHORT,
  history_base: NAME,
  git: { keys: { branch: NAME } },
  // Turns and events.
  turn_id: NAME,
  thread_id: NAME,
  model: NAME,
  started_at: SHORT,
  message: WHOLE,
  kind: SHORT,
  images: SHORT,
  reason: NAME,
  info: { keys: { total_token_usage: SHORT, last_token_usage: SHORT } },
  exit_code: SHORT,
  success: SHORT,
  changes: CHANGES,
  invocation: { keys: { server: NAME, tool: NAME } },
  result: { keys: { Ok: { keys: { is_error: SHORT, isError: SHORT } }, Err: NAME }, text: NAME },
  new_thread_id: NAME,
  agent_thread_id: NAME,
  event_id: NAME,
  error: FAILURE,
  codex_error_info: NAME,
  saved_path: WHOLE,
  thread_settings: { keys: { model: NAME } },
  trigger_turn: SHORT,
  item: ITEM,
  started_at_ms: SHORT,
  completed_at_ms: SHORT,
  // Usage.
  response_id: NAME,
  usage: SHORT,
  thread_token_usage: SHORT,
};

export const KEEP: Keys = {
  keys: {
    ...PAYLOAD,
    ordinal: SHORT,
    payload: { keys: PAYLOAD },
    // The header of the files without envelope and the documents of the TypeScript client.
    record_type: SHORT,
    instructions: SHORT,
    session: { keys: { id: NAME, timestamp: SHORT } },
    items: { keys: PAYLOAD },
  },
};
