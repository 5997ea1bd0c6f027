import type { Pair } from '../otlp/encode.ts';
import { OWN, OWN_FLAGS, OWN_PREFIX } from '../otlp/own-names.ts';
import { Flag } from '../trace/flags.ts';
import { Kind } from '../trace/kinds.ts';
import { type Exported, shownValue } from './exported.ts';

export function text(key: string, stringValue: string): Pair {
  return { key, value: { stringValue } };
}

export function integer(key: string, value: number | bigint): Pair {
  return { key, value: { intValue: String(value) } };
}

/** Fields that the conventions have no name for go out under our own. */
const FIELDS = [
  'command',
  'status',
  'event',
  'effect',
  'file',
  'domain',
  'process',
  'unsafe',
  'skill',
  'mcp_server',
  'branch',
  'agent_version',
  'call',
] as const;

/** The attributes of a call, tool call, effect or event. */
export function attributesOfRow(exported: Exported, row: number): Pair[] {
  const { ops } = exported.trace;
  const kind = ops.kind.get(row);
  const pairs: Pair[] = [];
  const put = (key: string, field: string) => {
    const value = shownValue(exported, field, row);
    if (value !== '') pairs.push(text(key, value));
  };
  if (kind === Kind.call) {
    pairs.push(text('gen_ai.operation.name', 'chat'));
    put('gen_ai.response.model', 'model');
  }
  if (kind === Kind.tool) {
    pairs.push(text('gen_ai.operation.name', 'execute_tool'));
    put('gen_ai.tool.name', 'tool');
  }
  put('error.type', 'error');
  for (const field of FIELDS) {
    if (field === 'call' && kind !== Kind.call) continue;
    put(OWN_PREFIX + field, field);
  }
  pairs.push(...usageOf(exported, row));
  for (const [flag, key] of Object.entries(OWN_FLAGS)) {
    const wanted = flag === 'waits' ? Flag.waits | Flag.replayed : Flag[flag as keyof typeof OWN_FLAGS];
    if (ops.has(row, wanted)) pairs.push({ key, value: { boolValue: true } });
  }
  return pairs;
}

/**
 * Usage as the conventions count it: cached input is a part of the input, reasoning a part of the output. The total proves
 * that to readers who know of exporters that count otherwise. Nothing where the usage is unknown.
 */
function usageOf({ trace }: Exported, row: number): Pair[] {
  const { tokens } = trace.ops;
  const read = tokens.cache_read_tokens.get(row);
  const hour = tokens.cache_write_1h_tokens.get(row);
  const written = tokens.cache_write_5m_tokens.get(row) + hour;
  const input = tokens.input_tokens.get(row) + read + written;
  const reasoning = tokens.reasoning_tokens.get(row);
  const output = tokens.output_tokens.get(row) + reasoning;
  if (input + output === 0) return [];
  const { cost } = trace;
  const columns = cost ? [cost.input, cost.cacheRead, cost.cacheWrite, cost.output, cost.reasoning] : [];
  const nanoDollars = columns.reduce((sum, column) => sum + column.get(row), 0);
  return [
    integer('gen_ai.usage.input_tokens', input),
    integer('gen_ai.usage.output_tokens', output),
    ...(read > 0 ? [integer('gen_ai.usage.cache_read.input_tokens', read)] : []),
    ...(written > 0 ? [integer('gen_ai.usage.cache_creation.input_tokens', written)] : []),
    ...(hour > 0 ? [integer(OWN.hourWrites, hour)] : []),
    ...(reasoning > 0 ? [integer('gen_ai.usage.reasoning.output_tokens', reasoning)] : []),
    integer('gen_ai.usage.total_tokens', input + output),
    ...(nanoDollars > 0 ? [integer('agentpprof.cost_nano_usd', nanoDollars)] : []),
  ];
}
