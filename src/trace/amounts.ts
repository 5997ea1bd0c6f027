import { Flag } from './flags.ts';
import { Kind } from './kinds.ts';
import { MEASURES } from './measures.ts';
import type { Trace } from './trace.ts';

/**
 * What one operation contributes to each measure, in portions: the operation itself, each token kind of a call
 * (with its cost), the contact of a domain. Every portion carries a full vector of measures; the portions of an
 * operation add up to it. Whether a portion gets a frame of its own is the stack's business.
 */
export interface Amounts {
  readonly token: 'input' | 'cache_read' | 'cache_write' | 'output' | 'reasoning' | 'unknown' | undefined;
  readonly domain: boolean;
}

/** Called with one vector at a time, in the order of MEASURES; costs are nano-dollars here. The vector is reused. */
type Visit = (amount: Amounts, values: Float64Array) => void;

const AT = Object.fromEntries(MEASURES.map((measure, at) => [measure.name, at])) as Record<string, number>;
const WHOLE: Amounts = { token: undefined, domain: false };
const DOMAIN: Amounts = { token: undefined, domain: true };
const TOKENS = ['input', 'cache_read', 'cache_write', 'output', 'reasoning'] as const;
const TOKEN_AMOUNTS: readonly Amounts[] = TOKENS.map(token => ({ token, domain: false }));
const UNKNOWN_TOKENS: Amounts = { token: 'unknown', domain: false };

/** Where cost sits in the vectors: folded sums of it are nano-dollars until they are rounded once at the end. */
export const COST = AT.cost as number;

export function amountsOf(trace: Trace): (row: number, visit: Visit) => void {
  const { ops, times, cost } = trace;
  const vector = new Float64Array(MEASURES.length);
  const { field, tokens, kind, flags } = ops;
  const given = [...ops.given].filter(([name]) => AT[name] !== undefined && name !== 'tokens' && name !== 'time');
  const givenTokens = ops.given.get('tokens');
  const costs = cost ? [cost.input, cost.cacheRead, cost.cacheWrite, cost.output, cost.reasoning] : undefined;
  const error = field.status.find('error');
  const tokenCount = (row: number, at: number): number => {
    switch (at) {
      case 0:
        return tokens.input_tokens.get(row);
      case 1:
        return tokens.cache_read_tokens.get(row);
      case 2:
        return tokens.cache_write_5m_tokens.get(row) + tokens.cache_write_1h_tokens.get(row);
      case 3:
        return tokens.output_tokens.get(row);
      default:
        return tokens.reasoning_tokens.get(row);
    }
  };
  return (row, visit) => {
    const flag = flags.get(row);
    if ((flag & Flag.copy) !== 0) return;
    vector.fill(0);
    vector[AT.time as number] = times.time.get(row);
    if ((flag & Flag.given) !== 0) {
      for (const [name, column] of given) vector[AT[name] as number] = column.get(row);
      visit(WHOLE, vector);
    } else {
      const k = kind.get(row);
      vector[AT.operations as number] = k === Kind.prompt || k === Kind.call || k === Kind.tool ? 1 : 0;
      vector[AT.errors as number] =
        k !== Kind.effect && error !== undefined && field.status.codeAt(row) === error ? 1 : 0;
      vector[AT.files as number] = k === Kind.effect && field.file.codeAt(row) !== 0 ? 1 : 0;
      visit(WHOLE, vector);
      if (field.domain.codeAt(row) !== 0) {
        vector.fill(0);
        vector[AT.network as number] = 1;
        visit(DOMAIN, vector);
      }
    }
    let seen = 0;
    for (let at = 0; at < TOKENS.length; at++) {
      const count = tokenCount(row, at);
      const price = costs ? (costs[at] as NonNullable<typeof costs>[number]).get(row) : 0;
      if (count === 0 && price === 0) continue;
      seen += count;
      vector.fill(0);
      vector[(AT.input_tokens as number) + at] = count;
      vector[AT.tokens as number] = count;
      vector[COST] = price;
      visit(TOKEN_AMOUNTS[at] as Amounts, vector);
    }
    const all = givenTokens?.get(row) ?? 0;
    if (all > seen) {
      vector.fill(0);
      vector[AT.tokens as number] = all - seen;
      visit(UNKNOWN_TOKENS, vector);
    }
  };
}
