import { type Keep, type Keys, WHOLE } from '../../ingest/keep.ts';

const ID = 200;
const WORD = 60;

/** A result is a list of these, or one of them as JSON in a string, which a cut would break. */
const RESULT: Keys = {
  keys: { type: WORD, text: 4096, query: WORD, result: 4096, error: 4096, success: 0 },
  text: WHOLE,
};

/** Thinking has no key here. */
const BLOCK: Keys = {
  keys: {
    type: WORD,
    text: WHOLE,
    id: ID,
    name: ID,
    input: WHOLE,
    tool_use_id: ID,
    is_error: 0,
    content: RESULT,
  },
  text: WHOLE,
};

/** The system prompt has no key here. */
export const KEEP: Keep = {
  keys: {
    version: WORD,
    agent: WORD,
    sessionId: ID,
    origin: { keys: { mode: WORD, sessionId: ID, parentThreadId: ID, subagent: ID, version: WORD } },
    messages: {
      keys: {
        id: ID,
        role: WORD,
        ts: 0,
        content: BLOCK,
        modelInfo: { keys: { id: ID } },
        metrics: { keys: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 } },
        metadata: { keys: { displayOnly: 0, displayRole: WORD } },
      },
    },
  },
};
