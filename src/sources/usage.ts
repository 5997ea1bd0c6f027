import { Flag } from '../trace/flags.ts';
import type { Operations } from '../trace/operations.ts';
import { countOf } from './shapes.ts';

/** How an agent's own counts overlap. What a rule does not include stands beside. */
export interface UsageRule {
  /** Cached input, read and written, is a part of the input count. */
  readonly inputIncludesCache: boolean;
  readonly outputIncludesReasoning: boolean;
}

/** Counts as an agent writes them, before any rule. */
export interface Reported {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
  /** Input of a further kind that stands beside all others (Gemini's tool prompts): it is uncached input. */
  readonly extra: number;
  /** The agent's own sum; undefined where it writes none. */
  readonly total: number | undefined;
}

/**
 * The normal form, one row an agent that tells kinds apart (traces: `spans/habits.ts`, by what each exporter proves). Measured against a provider that kept its own count; do not infer a rule from the
 * provider of a model.
 */
export const USAGE_RULES = {
  /** No total is written; 5-minute and 1-hour cache writes sum to the cache writes. */
  'claude-code': { inputIncludesCache: false, outputIncludesReasoning: true },
  /** `total_tokens = input + output`; cached <= input, reasoning <= output. Streams write no total. */
  codex: { inputIncludesCache: true, outputIncludesReasoning: true },
  /** `total = input + output + thoughts + tool`. */
  'gemini-cli': { inputIncludesCache: true, outputIncludesReasoning: false },
  /** `total = input + output`. */
  'qwen-code': { inputIncludesCache: true, outputIncludesReasoning: true },
  /** No total is written. */
  'copilot-cli': { inputIncludesCache: true, outputIncludesReasoning: true },
  /** No total is written, and no reasoning count. */
  cline: { inputIncludesCache: true, outputIncludesReasoning: true },
  /** `total = input + output + reasoning + cache`; 1.2 has reasoning in the output, which its total then shows. */
  opencode: { inputIncludesCache: false, outputIncludesReasoning: false },
  /** `totalInputTokens = input + cacheCreation + cacheRead`; no reasoning count. */
  amp: { inputIncludesCache: false, outputIncludesReasoning: true },
  /** `totalTokens = input + output + cacheRead + cacheWrite`. */
  pi: { inputIncludesCache: false, outputIncludesReasoning: true },
} as const satisfies Record<string, UsageRule>;

export const NO_USAGE: Reported = {
  input: 0,
  cacheRead: 0,
  cacheWrite: 0,
  output: 0,
  reasoning: 0,
  extra: 0,
  total: undefined,
};

/** A total as written: 0 or absent says nothing, because no answer costs nothing. */
export function totalOf(value: unknown): number | undefined {
  return countOf(value) || undefined;
}

/** The sum of all kinds under a rule: what the agent's own total must be. */
export function sumOf(used: Reported, rule: UsageRule): number {
  const cache = used.cacheRead + used.cacheWrite;
  const input = rule.inputIncludesCache ? Math.max(used.input, cache) : used.input + cache;
  const output = rule.outputIncludesReasoning ? Math.max(used.output, used.reasoning) : used.output + used.reasoning;
  return input + output + used.extra;
}

/** What is wrong with counts under a rule, in words without private text; '' if the identities hold. */
export function violation(used: Reported, rule: UsageRule): string {
  if (rule.inputIncludesCache && used.cacheRead + used.cacheWrite > used.input) return 'more cached input than input';
  if (rule.outputIncludesReasoning && used.reasoning > used.output) return 'more reasoning than output';
  const sum = sumOf(used, rule);
  return used.total !== undefined && used.total !== sum ? `a total of ${used.total} where the kinds sum to ${sum}` : '';
}

/** Writes the disjoint kinds of a call. All zeros leave the usage unknown: gateways that do not meter write them. */
export function setUsage(out: Operations, row: number, used: Reported, rule: UsageRule): void {
  const cache = used.cacheRead + used.cacheWrite;
  const { tokens } = out;
  tokens.input_tokens.set(row, (rule.inputIncludesCache ? Math.max(0, used.input - cache) : used.input) + used.extra);
  tokens.cache_read_tokens.set(row, used.cacheRead);
  tokens.cache_write_5m_tokens.set(row, used.cacheWrite);
  tokens.output_tokens.set(row, rule.outputIncludesReasoning ? Math.max(0, used.output - used.reasoning) : used.output);
  tokens.reasoning_tokens.set(row, used.reasoning);
  const known = sumOf(used, rule) > 0;
  out.flags.set(row, known ? out.flags.get(row) & ~Flag.unknownUsage : out.flags.get(row) | Flag.unknownUsage);
}
