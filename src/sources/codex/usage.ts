import type { Operations } from '../../trace/operations.ts';
import { fieldsOf } from './fields.ts';

/**
 * Tokens as Codex writes them: `cached` and `written` are parts of `input`, `reasoning` is a part of `output`
 * (cached <= input and reasoning <= output in every row of the corpus).
 */
export interface Usage {
  readonly input: number;
  readonly cached: number;
  readonly written: number;
  readonly output: number;
  readonly reasoning: number;
}

/** Undefined where the value has neither an input nor an output count. */
export function usageOf(value: unknown): Usage | undefined {
  const fields = fieldsOf(value);
  if (!fields || (typeof fields.input_tokens !== 'number' && typeof fields.output_tokens !== 'number'))
    return undefined;
  return {
    input: count(fields.input_tokens),
    cached: count(fields.cached_input_tokens),
    written: count(fields.cache_write_input_tokens),
    output: count(fields.output_tokens),
    reasoning: count(fields.reasoning_output_tokens),
  };
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

/** `total_tokens` is left out: after a compaction it is an estimate of the context. */
export function sameUsage(a: Usage, b: Usage): boolean {
  return (
    a.input === b.input &&
    a.output === b.output &&
    a.cached === b.cached &&
    a.reasoning === b.reasoning &&
    a.written === b.written
  );
}

export function fell(after: Usage, before: Usage): boolean {
  return after.input + after.output < before.input + before.output;
}

/** No request costs nothing: the row after a compaction says 0 and means the context. */
export function isNothing(usage: Usage): boolean {
  return usage.input === 0 && usage.output === 0;
}

export function difference(after: Usage, before: Usage): Usage {
  const less = (a: number, b: number) => Math.max(0, a - b);
  return {
    input: less(after.input, before.input),
    cached: less(after.cached, before.cached),
    written: less(after.written, before.written),
    output: less(after.output, before.output),
    reasoning: less(after.reasoning, before.reasoning),
  };
}

export function vectorOf(usage: Usage): string {
  return `${usage.input},${usage.cached},${usage.written},${usage.output},${usage.reasoning}`;
}

/** Writes the disjoint kinds; their sum is input + output, whatever the parts claim. */
export function setTokens(out: Operations, row: number, usage: Usage): void {
  const cached = Math.min(usage.cached, usage.input);
  const written = Math.min(usage.written, usage.input - cached);
  const reasoning = Math.min(usage.reasoning, usage.output);
  out.tokens.input_tokens.set(row, usage.input - cached - written);
  out.tokens.cache_read_tokens.set(row, cached);
  out.tokens.cache_write_5m_tokens.set(row, written);
  out.tokens.output_tokens.set(row, usage.output - reasoning);
  out.tokens.reasoning_tokens.set(row, reasoning);
}
