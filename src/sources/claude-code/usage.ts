import { countOf, isObject, listOf, type Obj, objectOf, textOf } from '../shapes.ts';

/** Tokens of one inference. The kinds are disjoint; `output` is without `reasoning`. */
export interface Usage {
  input: number;
  cacheRead: number;
  write5m: number;
  write1h: number;
  output: number;
  reasoning: number;
}

export interface Spent {
  /** What the answer's own model used. */
  readonly own: Usage;
  /** Inferences of other models inside the same answer (a fallback, an advisor), by model. */
  readonly others: ReadonlyMap<string, Usage> | undefined;
  /** The 5-minute and 1-hour parts do not add up to the cache writes; the total was kept. */
  readonly splitDisagrees: boolean;
}

export function outputOf(usage: Usage): number {
  return usage.output + usage.reasoning;
}

export function totalOf(usage: Usage): number {
  return usage.input + usage.cacheRead + usage.write5m + usage.write1h + usage.output + usage.reasoning;
}

/**
 * `message.usage`. With more than one entry in `iterations` the entries are what was billed, each with its own model,
 * and the top level is one of them or their sum: the entries are taken unless they say less. Undefined if there is no
 * usage at all.
 */
export function readUsage(value: unknown, model: string): Spent | undefined {
  if (!isObject(value)) return undefined;
  const own = tokensOf(value);
  const splitDisagrees = disagrees(value);
  const iterations = listOf(value.iterations);
  if (iterations.length < 2) return { own, others: undefined, splitDisagrees };
  const byModel = new Map<string, Usage>([[model, none()]]);
  let billed = 0;
  for (const iteration of iterations) {
    const entry = objectOf(iteration);
    const name = textOf(entry.model) || model;
    const spent = tokensOf(entry);
    billed += totalOf(spent);
    byModel.set(name, sum(byModel.get(name) ?? none(), spent));
  }
  if (billed < totalOf(own)) return { own, others: undefined, splitDisagrees };
  const summed = byModel.get(model) as Usage;
  byModel.delete(model);
  // Entries do not tell thinking apart; the top level does.
  if (summed.reasoning === 0) moveToReasoning(summed, own.reasoning);
  return { own: summed, others: byModel, splitDisagrees };
}

function tokensOf(usage: Obj): Usage {
  const split = objectOf(usage.cache_creation);
  const hour = countOf(split.ephemeral_1h_input_tokens);
  const written = countOf(usage.cache_creation_input_tokens) || hour + countOf(split.ephemeral_5m_input_tokens);
  const write1h = Math.min(hour, written);
  const tokens: Usage = {
    input: countOf(usage.input_tokens),
    cacheRead: countOf(usage.cache_read_input_tokens),
    write5m: written - write1h,
    write1h,
    output: countOf(usage.output_tokens),
    reasoning: 0,
  };
  const details = usage.output_tokens_details;
  if (isObject(details)) moveToReasoning(tokens, countOf(details.thinking_tokens));
  return tokens;
}

/** `output_tokens` includes thinking; where the agent tells how much, it is shown apart and the sum stays. */
function moveToReasoning(tokens: Usage, thinking: number): void {
  const moved = Math.min(thinking, tokens.output);
  tokens.output -= moved;
  tokens.reasoning += moved;
}

function disagrees(usage: Obj): boolean {
  if (!isObject(usage.cache_creation)) return false;
  const split = usage.cache_creation;
  const parts = countOf(split.ephemeral_5m_input_tokens) + countOf(split.ephemeral_1h_input_tokens);
  const whole = countOf(usage.cache_creation_input_tokens);
  return whole > 0 && parts !== whole;
}

function none(): Usage {
  return { input: 0, cacheRead: 0, write5m: 0, write1h: 0, output: 0, reasoning: 0 };
}

function sum(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    cacheRead: a.cacheRead + b.cacheRead,
    write5m: a.write5m + b.write5m,
    write1h: a.write1h + b.write1h,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
  };
}
