/**
 * Tariffs: what a token of each kind costs, by date and by the size of the call.
 *
 * Rates are nano-dollars per token. A price list speaks of US dollars per million tokens: 1 $/M = 1,000 nano-dollars a
 * token. A rate may have a fraction (0.0028 $/M is 2.8); only the product with a token count is rounded.
 */
export interface Rates {
  readonly input: number;
  readonly cacheRead: number;
  /** A cache write that lives five minutes, or whose life nobody recorded. */
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
  readonly output: number;
  readonly reasoning: number;
}

/** Applies to every token of a call whose whole input (uncached + cache read + cache written) is larger than `above`. */
export interface Tier {
  readonly above: number;
  readonly rates: Rates;
}

/** Prices of a stretch of time. The last window of a tariff that fits a call is its price; the first is the default. */
export interface Window {
  /** Start of validity, microseconds since the epoch. */
  readonly from?: number;
  /** Seconds of the UTC day, [from, to); a pair whose end is before its start runs over midnight. */
  readonly daily?: readonly [number, number];
  /** Ascending by `above`; the first has `above` = -1. */
  readonly tiers: readonly Tier[];
}

export interface Tariff {
  /** Who sells it: a provider of the bundled table, or `prices file`. */
  readonly provider: string;
  /** The entry of the price list that was taken. */
  readonly model: string;
  readonly windows: readonly Window[];
}

export interface PriceTable {
  /** Library version and hash of the overrides, for comments and for the keys of stored costs. */
  readonly version: string;
  /** The tariff of a model as an agent spelled it; undefined where no price list knows it. */
  tariff(model: string, provider?: string): Tariff | undefined;
}

export const FREE: Rates = { input: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0, reasoning: 0 };

/**
 * Calls whose time is unknown are priced as of this day. It lies after every change the bundled table has behind
 * it and before those it only announces, so such a call gets the price a person would look up today.
 */
const TABLE_DAY = Date.UTC(2026, 9, 1) * 1000;

/**
 * US dollars per million tokens to nano-dollars a token. The detour over an integer removes the binary dust of
 * decimal prices (0.07 x 1000 is 70.00000000000001).
 */
export function perToken(usdPerMillion: number): number {
  return Math.round(usdPerMillion * 1e9) / 1e6;
}

/** Prices of a list in US dollars per million tokens, as far as the list gives them. */
export interface Prices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  readonly cacheWrite1h?: number | undefined;
  readonly reasoning?: number | undefined;
}

/** Kinds a list does not price cost what the kind they are part of costs: cached input is input, reasoning is output. */
export function ratesOf(prices: Prices): Rates {
  const cacheWrite = prices.cacheWrite ?? prices.input;
  return {
    input: perToken(prices.input),
    cacheRead: perToken(prices.cacheRead ?? prices.input),
    cacheWrite: perToken(cacheWrite),
    cacheWrite1h: perToken(prices.cacheWrite1h ?? cacheWrite),
    output: perToken(prices.output),
    reasoning: perToken(prices.reasoning ?? prices.output),
  };
}

/** The rates of one call: `start` in microseconds (0 = unknown), `context` = all its input tokens. */
export function ratesAt(tariff: Tariff, start: number, context: number): Rates {
  const tiers = windowAt(tariff.windows, start).tiers;
  let at = tiers.length - 1;
  while (at > 0 && context <= (tiers[at] as Tier).above) at--;
  return (tiers[at] as Tier).rates;
}

function windowAt(windows: readonly Window[], start: number): Window {
  const time = start === 0 ? TABLE_DAY : start;
  for (let at = windows.length - 1; at > 0; at--) {
    const window = windows[at] as Window;
    if (window.from !== undefined ? time >= window.from : inDay(window.daily, time)) return window;
  }
  return windows[0] as Window;
}

function inDay(daily: readonly [number, number] | undefined, time: number): boolean {
  if (daily === undefined) return true;
  const second = (time / 1e6) % 86_400;
  const [from, to] = daily;
  return to < from ? second >= from || second < to : second >= from && second < to;
}
