import { type Keep, type Keys, WHOLE } from '../../ingest/keep.ts';

const ID = 200;
const WORD = 60;

/** The exit code of a command stands behind its output. */
const OUTPUT = 64 << 10;

/** A thought is a text part too, marked; it is not shown. */
const PART: Keys = {
  keys: {
    text: WHOLE,
    thought: 0,
    functionCall: { keys: { id: ID, name: ID, args: WHOLE } },
    functionResponse: {
      keys: { id: ID, name: ID, response: { keys: { output: OUTPUT, error: OUTPUT }, text: OUTPUT } },
    },
  },
  text: WHOLE,
};

const EVENT: Keys = {
  keys: {
    'event.name': WORD,
    'event.timestamp': WORD,
    response_id: ID,
    model: ID,
    duration_ms: 0,
    input_token_count: 0,
    output_token_count: 0,
    cached_content_token_count: 0,
    thoughts_token_count: 0,
    total_token_count: 0,
    subagent_id: ID,
    subagent_type: ID,
    call_id: ID,
    error_type: WORD,
    status_code: WORD,
  },
};

/** One rule for all record types. `compressedHistory`, snapshots and file contents have no key here. */
export const KEEP: Keep = {
  keys: {
    uuid: ID,
    sessionId: ID,
    timestamp: WORD,
    type: WORD,
    subtype: WORD,
    provenance: WORD,
    cwd: 4096,
    version: WORD,
    gitBranch: 255,
    model: ID,
    agentId: ID,
    agentName: ID,
    message: { keys: { role: WORD, parts: PART } },
    usageMetadata: {
      keys: {
        promptTokenCount: 0,
        candidatesTokenCount: 0,
        thoughtsTokenCount: 0,
        totalTokenCount: 0,
        cachedContentTokenCount: 0,
      },
    },
    toolCallResult: {
      keys: {
        callId: ID,
        status: WORD,
        errorType: WORD,
        executionStatus: WORD,
        durationMs: 0,
        resultDisplay: { keys: { exitCode: 0 }, text: 0 },
      },
    },
    systemPayload: { keys: { uiEvent: EVENT, displayText: WHOLE, phase: WORD } },
  },
};
