import { type Keep, type Keys, WHOLE } from '../../ingest/keep.ts';

const ID = 200;
const WORD = 60;

/** The exit code of a command stands behind its output, and nowhere else. */
const OUTPUT = 64 << 10;

/** Text, or parts of which only texts are read: `functionResponse` repeats what the tool call holds. */
const TEXT: Keys = { keys: { text: WHOLE }, text: WHOLE };

/** `description`, thoughts and file contents (`fileDiff`, `originalContent`, ...) have no key here. */
const TOOL_CALL: Keys = {
  keys: {
    id: ID,
    name: ID,
    displayName: ID,
    args: WHOLE,
    status: WORD,
    timestamp: WORD,
    agentId: ID,
    result: {
      keys: {
        functionResponse: { keys: { response: { keys: { output: OUTPUT, error: 2000 }, text: OUTPUT } } },
        text: OUTPUT,
      },
      text: OUTPUT,
    },
    resultDisplay: { keys: { isNewFile: 0 }, text: 0 },
  },
};

const MESSAGE: Readonly<Record<string, Keep>> = {
  id: ID,
  timestamp: WORD,
  type: WORD,
  model: ID,
  content: TEXT,
  parts: TEXT,
  tokens: { keys: { input: 0, output: 0, cached: 0, thoughts: 0, tool: 0, total: 0 } },
  toolCalls: TOOL_CALL,
};

const SESSION: Readonly<Record<string, Keep>> = {
  sessionId: ID,
  projectHash: ID,
  startTime: WORD,
  lastUpdated: WORD,
  kind: WORD,
  directories: 4096,
  messages: { keys: MESSAGE },
};

const COUNTS: Readonly<Record<string, Keep>> = {
  total_tokens: 0,
  input_tokens: 0,
  output_tokens: 0,
  cached: 0,
};

const STREAM: Readonly<Record<string, Keep>> = {
  session_id: ID,
  role: WORD,
  tool_id: ID,
  tool_name: ID,
  parameters: WHOLE,
  status: WORD,
  output: 2000,
  error: { keys: { type: WORD, message: 2000 }, text: 2000 },
  severity: WORD,
  stats: { keys: { ...COUNTS, models: { keys: {}, rest: { keys: COUNTS } } } },
};

/** One rule for headers, messages, patches, whole documents and events of streams. */
export const KEEP: Keep = {
  keys: { ...SESSION, ...MESSAGE, ...STREAM, $set: { keys: SESSION }, $rewindTo: ID },
};
