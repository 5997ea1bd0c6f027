import { countOf } from '../shapes.ts';
import { type Reported, totalOf } from '../usage.ts';
import type { Attributes } from './attributes.ts';

/**
 * Under which names spans report what a response used, the newest first: GenAI conventions since 1.27, before them
 * `prompt_tokens`, pydantic-ai's `details`, OpenInference's `llm.token_count`, OpenLLMetry's `llm.usage`, the AI SDK's.
 */
const NAMES = {
  input: [
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.prompt_tokens',
    'llm.token_count.prompt',
    'llm.usage.prompt_tokens',
    'ai.usage.inputTokens',
    'ai.usage.promptTokens',
    'ai.usage.tokens',
  ],
  output: [
    'gen_ai.usage.output_tokens',
    'gen_ai.usage.completion_tokens',
    'llm.token_count.completion',
    'llm.usage.completion_tokens',
    'ai.usage.outputTokens',
    'ai.usage.completionTokens',
  ],
  total: ['gen_ai.usage.total_tokens', 'llm.usage.total_tokens', 'llm.token_count.total', 'ai.usage.totalTokens'],
  cacheRead: [
    'gen_ai.usage.cache_read.input_tokens',
    'gen_ai.usage.cache_read_input_tokens',
    'gen_ai.usage.cached_input_tokens',
    'gen_ai.usage.details.cache_read_tokens',
    'gen_ai.usage.details.cache_read_input_tokens',
    'gen_ai.usage.details.cached_tokens',
    'llm.token_count.prompt_details.cache_read',
    'llm.usage.cache_read_input_tokens',
    'ai.usage.cachedInputTokens',
  ],
  cacheWrite: [
    'gen_ai.usage.cache_creation.input_tokens',
    'gen_ai.usage.cache_creation_input_tokens',
    'gen_ai.usage.details.cache_write_tokens',
    'gen_ai.usage.details.cache_creation_input_tokens',
    'llm.token_count.prompt_details.cache_write',
    'llm.usage.cache_creation_input_tokens',
  ],
  reasoning: [
    'gen_ai.usage.reasoning.output_tokens',
    'gen_ai.usage.reasoning_tokens',
    'gen_ai.usage.output_tokens.reasoning',
    'gen_ai.usage.details.reasoning_tokens',
    'gen_ai.usage.details.thoughts_tokens',
    'llm.token_count.completion_details.reasoning',
    'llm.usage.reasoning_tokens',
    'ai.usage.reasoningTokens',
  ],
} as const;

/** What a span says was used; undefined if it says nothing. */
export function usageOf(attributes: Attributes): Reported | undefined {
  const count = (names: readonly string[]) => countOf(numberOf(attributes, names));
  const used = {
    input: count(NAMES.input),
    cacheRead: count(NAMES.cacheRead),
    cacheWrite: count(NAMES.cacheWrite),
    output: count(NAMES.output),
    reasoning: count(NAMES.reasoning),
    extra: 0,
    total: totalOf(numberOf(attributes, NAMES.total)),
  };
  return used.input + used.cacheRead + used.cacheWrite + used.output + used.reasoning > 0 ? used : undefined;
}

/** Counts come as numbers or as strings of digits. */
function numberOf(attributes: Attributes, names: readonly string[]): number {
  for (const name of names) {
    const value = attributes.get(name);
    const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
    if (typeof number === 'number' && number >= 0) return number;
  }
  return 0;
}
