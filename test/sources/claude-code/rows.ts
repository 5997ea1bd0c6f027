/** Rows as Claude Code writes them, in few words. Times are seconds after 2026-01-02T10:00:00Z. */
export type Row = Record<string, unknown>;

const DAY = Date.UTC(2026, 0, 2, 10);

export function at(seconds: number): string {
  return new Date(DAY + seconds * 1000).toISOString();
}

export function secondsOf(micros: number): number {
  return (micros / 1000 - DAY) / 1000;
}

let count = 0;

function base(type: string, seconds: number, more: Row): Row {
  return {
    parentUuid: null,
    isSidechain: false,
    userType: 'external',
    cwd: '/work/shop',
    sessionId: 's1',
    version: '2.1.100',
    gitBranch: 'main',
    type,
    uuid: `row-${++count}`,
    timestamp: at(seconds),
    ...more,
  };
}

/** A user row with words. */
export function says(seconds: number, content: unknown, more: Row = {}): Row {
  return base('user', seconds, { message: { role: 'user', content }, ...more });
}

export interface Usage {
  in?: number;
  read?: number;
  write?: number;
  w5?: number;
  w1h?: number;
  out?: number;
  think?: number;
  iterations?: unknown[];
}

export function usage(u: Usage): Row {
  const split = u.w5 !== undefined || u.w1h !== undefined;
  return {
    input_tokens: u.in ?? 0,
    cache_read_input_tokens: u.read ?? 0,
    cache_creation_input_tokens: u.write ?? (u.w5 ?? 0) + (u.w1h ?? 0),
    output_tokens: u.out ?? 0,
    ...(split
      ? { cache_creation: { ephemeral_5m_input_tokens: u.w5 ?? 0, ephemeral_1h_input_tokens: u.w1h ?? 0 } }
      : {}),
    ...(u.think === undefined ? {} : { output_tokens_details: { thinking_tokens: u.think } }),
    ...(u.iterations === undefined ? {} : { iterations: u.iterations }),
  };
}

/** An assistant row: part of the answer `id`. `content` as a string is one text block. */
export function answers(
  seconds: number,
  id: string | undefined,
  content: unknown,
  u: Usage | undefined = { in: 5, out: 50 },
  more: Row = {},
): Row {
  const { stop = 'end_turn', model = 'claude-a', ...rest } = more;
  return base('assistant', seconds, {
    message: {
      ...(id === undefined ? {} : { id }),
      role: 'assistant',
      type: 'message',
      model,
      content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
      stop_reason: stop,
      ...(u === undefined ? {} : { usage: usage(u) }),
    },
    requestId: `req-${id}`,
    ...rest,
  });
}

export function uses(id: string, name: string, input: unknown = {}): Row {
  return { type: 'tool_use', id, name, input };
}

/** A user row that answers the tool call `id`. `error` makes it a failure with that text. */
export function returns(seconds: number, id: string, toolUseResult: unknown = {}, more: Row = {}): Row {
  const { content = 'ok', is_error, ...rest } = more;
  return base('user', seconds, {
    message: {
      role: 'user',
      content: [{ tool_use_id: id, type: 'tool_result', content, ...(is_error === undefined ? {} : { is_error }) }],
    },
    toolUseResult,
    ...rest,
  });
}

export function fails(seconds: number, id: string, text: string, more: Row = {}): Row {
  return returns(seconds, id, `Error: ${text}`, { content: text, is_error: true, ...more });
}

export function system(seconds: number, subtype: string, more: Row = {}): Row {
  return base('system', seconds, { subtype, ...more });
}

export function attaches(seconds: number, attachment: Row, more: Row = {}): Row {
  return base('attachment', seconds, { attachment, ...more });
}

export function queues(seconds: number, operation: string, content?: unknown): Row {
  return {
    type: 'queue-operation',
    operation,
    timestamp: at(seconds),
    sessionId: 's1',
    ...(content === undefined ? {} : { content }),
  };
}

export interface Totals {
  in?: number;
  out?: number;
  think?: number;
  read?: number;
  write?: number;
  w1h?: number;
}

export function costState(models: Record<string, Totals>, sessionId = 's1'): Row {
  const modelUsage: Row = {};
  for (const [model, t] of Object.entries(models)) {
    modelUsage[model] = {
      inputTokens: t.in ?? 0,
      outputTokens: t.out ?? 0,
      thinkingTokens: t.think ?? 0,
      cacheReadInputTokens: t.read ?? 0,
      cacheCreationInputTokens: t.write ?? 0,
      cacheCreationEphemeral1hInputTokens: t.w1h ?? 0,
      costUSD: 0.1,
    };
  }
  return { type: 'cost-state', sessionId, modelUsage };
}
