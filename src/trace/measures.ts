/** Measures: named additive non-negative integers with a unit. Token kinds are disjoint. */
export interface Measure {
  readonly name: string;
  readonly unit: 'count' | 'nanoseconds' | 'microusd';
}

/** The token kinds an operation row stores; 5-minute and 1-hour cache writes are kept apart because their prices differ. */
export const TOKEN_COLUMNS = [
  'input_tokens',
  'cache_read_tokens',
  'cache_write_5m_tokens',
  'cache_write_1h_tokens',
  'output_tokens',
  'reasoning_tokens',
] as const;
export type TokenColumn = (typeof TOKEN_COLUMNS)[number];
export type Tokens = Record<TokenColumn, number>;

export function noTokens(): Tokens {
  return Object.fromEntries(TOKEN_COLUMNS.map(name => [name, 0])) as Tokens;
}

/** The sample types of every profile, always all of them in this order, so that two profiles can be subtracted. */
export const MEASURES: readonly Measure[] = [
  { name: 'operations', unit: 'count' },
  { name: 'files', unit: 'count' },
  { name: 'network', unit: 'count' },
  { name: 'errors', unit: 'count' },
  { name: 'input_tokens', unit: 'count' },
  { name: 'cache_read_tokens', unit: 'count' },
  { name: 'cache_write_tokens', unit: 'count' },
  { name: 'output_tokens', unit: 'count' },
  { name: 'reasoning_tokens', unit: 'count' },
  { name: 'time', unit: 'nanoseconds' },
  { name: 'cost', unit: 'microusd' },
  { name: 'tokens', unit: 'count' },
];
