import { type Keep, type Keys, WHOLE } from '../../ingest/keep.ts';

const ID = 200;
const WORD = 60;

const COUNTS: Readonly<Record<string, Keep>> = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

const METRICS: Keys = { keys: {}, rest: { keys: { usage: { keys: COUNTS } } } };

const CONTEXT: Keys = { keys: { cwd: 4096, branch: 255 } };

/** How a command ended stands behind its output in versions that do not say it apart. */
const OUTPUT = 64 << 10;

/**
 * One rule for the data of all events. The system prompt, encrypted reasoning, `detailedContent`, telemetry and what
 * hooks were given have no key here; `transformedContent` is the prompt with the client's additions.
 */
const DATA: Keys = {
  keys: {
    sessionId: ID,
    copilotVersion: WORD,
    selectedModel: ID,
    newModel: ID,
    chosenModel: ID,
    model: ID,
    context: CONTEXT,
    cwd: 4096,
    branch: 255,
    // user.message, assistant.message
    content: WHOLE,
    source: ID,
    apiCallId: ID,
    outputTokens: 0,
    toolRequests: { keys: { toolCallId: ID, name: ID, arguments: WHOLE, mcpServerName: ID } },
    parentToolCallId: ID,
    // session.usage_record
    usage: {
      keys: {
        ...COUNTS,
        model: ID,
        duration: 0,
        apiCallId: ID,
        parentToolCallId: ID,
        initiator: WORD,
      },
    },
    // tool.execution_*
    toolCallId: ID,
    toolName: ID,
    mcpServerName: ID,
    arguments: WHOLE,
    success: 0,
    shellExecution: { keys: { exitCode: 0 } },
    result: { keys: { content: OUTPUT }, text: OUTPUT },
    error: { keys: { message: 2000, code: WORD }, text: 2000 },
    // subagent.started
    agentName: ID,
    agentType: ID,
    // hook.*
    hookInvocationId: ID,
    // session.error
    errorType: WORD,
    statusCode: 0,
    // session.compaction_complete
    compactionTokensUsed: { keys: { ...COUNTS, input: 0, output: 0, cachedInput: 0, model: ID, duration: 0 } },
    requestId: ID,
    // session.shutdown
    sessionStartTime: WORD,
    modelMetrics: METRICS,
    accountingSnapshot: { keys: { modelMetrics: METRICS, sessionStartTime: WORD } },
  },
};

export const KEEP: Keep = {
  keys: { type: WORD, id: ID, parentId: ID, timestamp: WORD, agentId: ID, data: DATA },
};
