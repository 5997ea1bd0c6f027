import { type Keep, WHOLE } from '../../ingest/keep.ts';

const ID = 200;
const WORD = 60;
const PATH = 4096;

/** A failing command's exit code stands behind its output, which the clients cut at about 50 KB. */
const OUTPUT = 64 << 10;

/** Thinking, signatures, diffs, summaries and system prompts have no key here. */
export const KEEP: Keep = {
  keys: {
    type: WORD,
    id: ID,
    parentId: ID,
    timestamp: WORD,
    version: 0,
    cwd: PATH,
    parentSession: PATH,
    provider: ID,
    modelId: ID,
    model: ID,
    customType: ID,
    data: { keys: { toolCallId: ID, startedAt: WORD }, text: 0 },
    agent: ID,
    task: WHOLE,
    message: {
      keys: {
        role: WORD,
        timestamp: 0,
        model: ID,
        responseId: ID,
        stopReason: WORD,
        errorMessage: 2000,
        toolCallId: ID,
        toolName: ID,
        isError: 0,
        usage: {
          keys: {
            input: 0,
            output: 0,
            cacheRead: 0,
            cacheWrite: 0,
            totalTokens: 0,
            reasoning: 0,
            reasoningTokens: 0,
          },
        },
        content: {
          keys: { type: WORD, text: WHOLE, id: ID, name: ID, arguments: WHOLE },
          text: OUTPUT,
        },
      },
    },
  },
};
