import { type Keep, type Keys, WHOLE } from '../../ingest/keep.ts';

/** Identifiers, class names, short codes. */
const ID = 120;
const WORD = 60;

/** What a tool gave back is never stored; its first bytes tell the class of an error. */
const RESULT_TEXT: Keys = { keys: { type: WORD, text: 200 }, text: 200 };

/** Blocks typed or written as text. */
const TEXT: Keys = { keys: { type: WORD, text: WHOLE }, text: WHOLE };

const CACHE: Keys = { keys: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 } };
const SPENT: Readonly<Record<string, Keep>> = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation: CACHE,
  output_tokens_details: { keys: { thinking_tokens: 0 } },
};
const USAGE: Keys = { keys: { ...SPENT, iterations: { keys: { ...SPENT, model: ID } } } };

/** `thinking`, `signature` and image data have no key here and are dropped unread. */
const BLOCK: Keys = {
  keys: {
    type: WORD,
    text: WHOLE,
    id: ID,
    name: ID * 2,
    input: WHOLE,
    tool_use_id: ID,
    is_error: 0,
    content: RESULT_TEXT,
  },
  text: WHOLE,
};

const MESSAGE: Keys = { keys: { id: ID, model: ID, stop_reason: WORD, usage: USAGE, content: BLOCK } };

/** `stdout`, `file`, `originalFile`, `structuredPatch` and the like are the second copy of a result: dropped. */
const TOOL_USE_RESULT: Keys = {
  keys: {
    type: WORD,
    status: WORD,
    agentId: ID,
    agentType: ID,
    isAsync: 0,
    interrupted: 0,
    is_error: 0,
    durationMs: 0,
    durationSeconds: 0,
    totalDurationMs: 0,
    backgroundTaskId: ID,
  },
  text: 200,
};

const ORIGIN: Keys = { keys: { kind: WORD }, text: WORD };

const ERROR: Keys = {
  keys: {
    status: WORD,
    type: WORD,
    code: WORD,
    connection: { keys: { code: WORD } },
    error: { keys: { type: WORD, error: { keys: { type: WORD } } } },
  },
  text: WORD,
};

const COUNTER: Keys = {
  keys: {
    inputTokens: 0,
    outputTokens: 0,
    thinkingTokens: 0,
    cacheReadInputTokens: 0,
    cacheCreationInputTokens: 0,
    cacheCreationEphemeral1hInputTokens: 0,
  },
};

/**
 * What this reader wants of a record. One rule serves all record types, so a key is kept if any type needs it:
 * `api-request-shape.shape` and a prompt snapshot fall away whole, of an `api-request-blob` the message stays (its key
 * is the one of conversation rows) and is not read.
 */
export const KEEP: Keep = {
  keys: {
    type: WORD,
    subtype: WORD,
    uuid: ID,
    parentUuid: ID,
    timestamp: WORD,
    sessionId: ID,
    agentId: ID,
    cwd: 4096,
    version: WORD,
    gitBranch: 255,
    entrypoint: WORD,
    isSidechain: 0,
    isMeta: 0,
    isCompactSummary: 0,
    isVisibleInTranscriptOnly: 0,
    isApiErrorMessage: 0,
    apiErrorStatus: WORD,
    error: ERROR,
    promptSource: WORD,
    origin: ORIGIN,
    forkedFrom: { keys: { sessionId: ID } },
    message: MESSAGE,
    toolUseResult: TOOL_USE_RESULT,
    toolDenialKind: WORD,
    sourceToolUseID: ID,
    attributionSkill: ID,
    attributionAgent: ID,
    // system
    content: TEXT,
    durationMs: 0,
    compactMetadata: { keys: { trigger: WORD, durationMs: 0 } },
    retryInMs: 0,
    hookCount: 0,
    hookInfos: { keys: { durationMs: 0 } },
    hookErrors: 0,
    // attachment
    attachment: {
      keys: {
        type: WORD,
        prompt: TEXT,
        commandMode: WORD,
        origin: ORIGIN,
        source_uuid: ID,
        durationMs: 0,
        exitCode: 0,
      },
    },
    // progress
    data: {
      keys: {
        type: WORD,
        agentId: ID,
        message: {
          keys: { type: WORD, uuid: ID, timestamp: WORD, isMeta: 0, message: MESSAGE, toolUseResult: TOOL_USE_RESULT },
        },
      },
    },
    parentToolUseID: ID,
    // queue-operation
    operation: WORD,
    // api-request
    id: ID,
    requestRef: ID,
    // streams
    session_id: ID,
    parent_tool_use_id: ID,
    tool_use_result: TOOL_USE_RESULT,
    claude_code_version: WORD,
    model: ID,
    compact_metadata: { keys: { duration_ms: 0 } },
    error_status: WORD,
    retry_delay_ms: 0,
    usage: USAGE,
    event: {
      keys: {
        type: WORD,
        usage: USAGE,
        delta: { keys: { stop_reason: WORD } },
        message: { keys: { id: ID, model: ID, usage: USAGE } },
      },
    },
    // cost-state: one entry a model
    modelUsage: { keys: {}, rest: COUNTER },
  },
};
