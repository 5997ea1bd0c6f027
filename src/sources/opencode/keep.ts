import { type Keep, type Keys, WHOLE } from '../../ingest/keep.ts';

const ID = 200;
const WORD = 60;
const PATH = 4096;

/** Of results only what tells an outcome, and what a reader of texts asks for. */
const OUTPUT = 64 << 10;

const TIME: Keys = { keys: { created: 0, completed: 0, start: 0, end: 0 } };

export const TOKENS: Keys = {
  keys: { total: 0, input: 0, output: 0, reasoning: 0, cache: { keys: { read: 0, write: 0 } } },
};

const MODEL: Keys = { keys: { providerID: ID, modelID: ID } };

const INFO: Readonly<Record<string, Keep>> = {
  id: ID,
  sessionID: ID,
  role: WORD,
  time: TIME,
  parentID: ID,
  modelID: ID,
  providerID: ID,
  model: MODEL,
  agent: ID,
  mode: ID,
  path: { keys: { cwd: PATH, root: PATH }, text: PATH },
  tokens: TOKENS,
  finish: WORD,
  summary: { keys: {} },
  error: { keys: { name: WORD, data: { keys: { statusCode: 0 } } } },
};

/** Snapshots, diffs and previews of files have no key here; a `file` part may hold megabytes in its `url`. */
export const PART: Keys = {
  keys: {
    id: ID,
    messageID: ID,
    type: WORD,
    text: WHOLE,
    synthetic: 0,
    ignored: 0,
    auto: 0,
    tool: ID,
    callID: ID,
    prompt: WHOLE,
    description: ID,
    attempt: 0,
    error: { keys: { name: WORD, data: { keys: { statusCode: 0 } } } },
    tokens: TOKENS,
    time: TIME,
    state: {
      keys: {
        status: WORD,
        input: WHOLE,
        output: OUTPUT,
        error: 2000,
        time: TIME,
        metadata: { keys: { exit: 0, sessionId: ID, sessionID: ID, exists: 0, interrupted: 0 }, text: 0 },
      },
    },
  },
};

/** A message by itself, or an export: `{info, messages: [{info, parts}]}`. */
export const KEEP: Keep = {
  keys: {
    ...INFO,
    info: { keys: { ...INFO, version: WORD, directory: PATH } },
    version: WORD,
    directory: PATH,
    messages: { keys: { info: { keys: INFO }, parts: PART } },
  },
};

export const MESSAGE: Keys = { keys: INFO };
