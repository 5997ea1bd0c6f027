import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * A second opinion on a generated history: counts by the plainest code that follows the rules of the two formats, and
 * shares nothing with the readers or with the generators. Whole files in memory, so for small histories only.
 */
export interface Count {
  sessions: number;
  subagents: number;
  prompts: number;
  calls: number;
  tool_calls: number;
  /** Sums over all calls, by model: [calls, input, cache read, cache write, output, reasoning]. */
  models: Record<string, number[]>;
}

// biome-ignore lint/suspicious/noExplicitAny: any JSON
type Row = any;

function* rowsBelow(folder: string): Generator<Row[]> {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith('.jsonl')) continue;
    const lines = readFileSync(path.join(entry.parentPath, entry.name), 'utf8').split('\n');
    yield lines.filter(line => line !== '' && complete(line)).map(line => JSON.parse(line));
  }
}

/** False for the half-written last line of a file. */
function complete(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

function add(models: Count['models'], model: string, amounts: readonly number[]): void {
  const before = models[model] ?? [0, 0, 0, 0, 0, 0];
  models[model] = before.map((sum, at) => sum + (amounts[at] ?? 0));
}

export function countClaude(home: string): Count {
  const answers = new Map<string, { model: string; session: string; usage: number[] }>();
  const sessions = new Set<string>();
  const subagents = new Set<string>();
  const prompts = new Set<string>();
  const tools = new Set<string>();
  const totals = new Map<string, Row>();
  for (const rows of rowsBelow(path.join(home, '.claude'))) {
    for (const row of rows) {
      if (row.type === 'cost-state') totals.set(row.sessionId, row.modelUsage);
      if (row.type !== 'user' && row.type !== 'assistant') continue;
      if (row.agentId) subagents.add(row.agentId);
      else sessions.add(row.sessionId);
      const { content } = row.message;
      const typed = typeof content === 'string' && !row.isMeta && !row.isCompactSummary && !row.isSidechain;
      if (row.type === 'user' && typed) prompts.add(row.uuid);
      if (row.type !== 'assistant' || row.message.model === '<synthetic>') continue;
      for (const block of content) if (block.type === 'tool_use') tools.add(block.id);
      const u = row.message.usage;
      const usage = [1, u.input_tokens, u.cache_read_input_tokens, u.cache_creation_input_tokens, u.output_tokens, 0];
      answers.set(row.message.id, { model: row.message.model, session: row.sessionId, usage });
    }
  }
  const models: Count['models'] = {};
  for (const { model, usage } of answers.values()) add(models, model, usage);
  let unseen = 0;
  for (const [session, modelUsage] of totals) {
    for (const [model, total] of Object.entries<Row>(modelUsage)) {
      const seen: Count['models'] = {};
      for (const each of answers.values()) if (each.session === session) add(seen, each.model, each.usage);
      const [, input = 0, read = 0, written = 0, output = 0] = seen[model] ?? [];
      const rest = [
        total.inputTokens - input,
        total.cacheReadInputTokens - read,
        total.cacheCreationInputTokens - written,
        total.outputTokens - output,
      ];
      if (rest.every(tokens => tokens === 0)) continue;
      unseen++;
      add(models, model, [1, ...rest]);
    }
  }
  const calls = answers.size + unseen;
  return {
    sessions: sessions.size,
    subagents: subagents.size,
    prompts: prompts.size,
    calls,
    tool_calls: tools.size,
    models,
  };
}

export function countCodex(home: string): Count {
  const count: Count = { sessions: 0, subagents: 0, prompts: 0, calls: 0, tool_calls: 0, models: {} };
  for (const rows of rowsBelow(path.join(home, '.codex'))) {
    const child = rows.some(row => row.payload?.parent_thread_id);
    if (child) count.subagents++;
    else count.sessions++;
    const recorded = rows.some(row => row.type === 'token_usage_record');
    let model = 'unknown';
    let total = -1;
    for (const { type, payload } of rows) {
      if (type === 'turn_context') model = payload.model;
      const said = payload.type === 'user_message' || payload.item?.type === 'UserMessage';
      if (said && !child) count.prompts++;
      if (/^(function_call|custom_tool_call|web_search_call)$/.test(payload.type)) count.tool_calls++;
      let usage: Row;
      if (type === 'token_usage_record') usage = payload.usage;
      if (
        !recorded &&
        payload.type === 'token_count' &&
        payload.info &&
        payload.info.total_token_usage.total_tokens !== total
      ) {
        total = payload.info.total_token_usage.total_tokens;
        usage = payload.info.last_token_usage;
      }
      if (!usage) continue;
      count.calls++;
      const cached = usage.cached_input_tokens;
      const reasoning = usage.reasoning_output_tokens;
      add(count.models, model, [1, usage.input_tokens - cached, cached, 0, usage.output_tokens - reasoning, reasoning]);
    }
  }
  return count;
}

/** An entry of a truth.json in the same form. */
export function countOf(agent: Row): Count {
  const { sessions, subagents, prompts, calls, tool_calls } = agent;
  const models = Object.fromEntries(
    Object.entries<Row>(agent.models).map(([model, m]) => [
      model,
      [m.calls, m.input, m.cache_read, m.cache_write, m.output, m.reasoning],
    ]),
  );
  return { sessions, subagents, prompts, calls, tool_calls, models };
}
