import type { ConditionalPrice, ModelPrice, TieredPrices } from '@pydantic/genai-prices';
import { candidates, isFreeVariant } from './modelids.ts';
import type { Overrides } from './overrides.ts';
import {
  FREE,
  type Prices,
  type PriceTable,
  perToken,
  type Rates,
  ratesOf,
  type Tariff,
  type Tier,
  type Window,
} from './rates.ts';
import { tableVersion } from './version.ts';

type Library = typeof import('@pydantic/genai-prices');

/**
 * The bundled price list with a user's overrides on top. Offline: the library's updater is never called. Loading
 * costs 30 to 45 ms, so only a run that has calls to price asks for it.
 *
 * The library is asked which entry of its list a model is; the arithmetic is ours (`rates.ts`), because a list entry
 * gives all kinds and tiers at once and thousands of calls then need no lookup.
 */
export async function loadPriceTable(overrides?: Overrides): Promise<PriceTable> {
  const library = await import('@pydantic/genai-prices');
  const known = new Map<string, Tariff | undefined>();
  return {
    version: tableVersion(overrides?.hash),
    tariff(model, provider = '') {
      const key = `${provider}\n${model}`;
      if (!known.has(key)) known.set(key, overrides?.find(model) ?? listed(library, model, provider));
      return known.get(key);
    },
  };
}

function listed(library: Library, model: string, provider: string): Tariff | undefined {
  if (model.trim() === '') return undefined;
  const spellings = candidates(model, provider);
  if (spellings.length > 0 && isFreeVariant(model)) {
    return { provider: 'openrouter', model, windows: [{ tiers: [{ above: -1, rates: FREE }] }] };
  }
  for (const spelling of spellings) {
    const found = entry(library, spelling.id, spelling.provider);
    if (found) return found;
  }
  for (const spelling of spellings) {
    const found = resold(library, spelling.id);
    if (found) return found;
  }
  return undefined;
}

function entry(library: Library, id: string, provider: string | undefined): Tariff | undefined {
  const found = library.calcPrice({}, id, provider === undefined ? {} : { providerId: provider });
  return found ? tariffOf(found.provider.id, found.model.id, found.model.prices) : undefined;
}

/**
 * Makers whose own list is not in the library (Qwen's, for one) are found under their name at OpenRouter, which
 * resells at list price. Only an exact name counts, and reports name the provider that was taken.
 */
function resold(library: Library, id: string): Tariff | undefined {
  const name = id.toLowerCase();
  const shop = library.findProvider({ providerId: 'openrouter' });
  const model = shop?.models.find(({ id: full }) => {
    const lower = full.toLowerCase();
    return lower === name || (lower.endsWith(`/${name}`) && !lower.startsWith('~'));
  });
  return shop && model ? tariffOf(shop.id, model.id, model.prices) : undefined;
}

/** Undefined for entries that sell something other than text tokens, and for entries the list gives no price. */
function tariffOf(provider: string, model: string, prices: ConditionalPrice[] | ModelPrice): Tariff | undefined {
  const list = Array.isArray(prices) ? prices : [{ prices }];
  const windows: Window[] = [];
  for (const { constraint, prices: price } of list) {
    if (price.input_mtok === undefined) return undefined;
    const tiers = tiersOf(price, provider, model);
    if (constraint === undefined) windows.push({ tiers });
    else if ('start_date' in constraint) windows.push({ from: Date.parse(constraint.start_date) * 1000, tiers });
    else windows.push({ daily: [seconds(constraint.start_time), seconds(constraint.end_time)], tiers });
  }
  return windows.length === 0 ? undefined : { provider, model, windows };
}

/** The library writes times of day as `00:30:00Z`. */
function seconds(time: string): number {
  return (Date.parse(`1970-01-01T${time}`) / 1000 + 86_400) % 86_400;
}

type Price = number | TieredPrices | undefined;

function tiersOf(price: ModelPrice, provider: string, model: string): Tier[] {
  const above = new Set([-1]);
  for (const value of Object.values(price))
    if (typeof value === 'object') for (const tier of value.tiers) above.add(tier.start);
  const tiers = [...above]
    .sort((a, b) => a - b)
    .map(start => ({ above: start, rates: ratesOf(pricesAbove(price, start, model)) }));
  const [only] = tiers;
  // Sonnet 4 was sold with a 1M context at twice the input and one and a half times the output price; a call that
  // large can only have been one of those. The list has that tier for its successor alone.
  if (provider === 'anthropic' && model === 'claude-sonnet-4-0' && only && tiers.length === 1) {
    tiers.push({ above: 200_000, rates: scaled(only.rates, 2, 1.5) });
  }
  return tiers;
}

function pricesAbove(price: ModelPrice, start: number, model: string): Prices {
  const of = (value: Price): number | undefined => {
    if (typeof value !== 'object') return value;
    return value.tiers.reduce((at, tier) => (start >= tier.start ? tier.price : at), value.base);
  };
  const input = of(price.input_mtok) ?? 0;
  const cacheWrite = of(price.cache_write_5m_mtok) ?? of(price.cache_write_mtok);
  return {
    input,
    output: of(price.output_mtok) ?? 0,
    cacheRead: of(price.cache_read_mtok),
    cacheWrite,
    // Anthropic's 1-hour writes cost twice the input price wherever they are sold; resellers' entries leave it out.
    cacheWrite1h: of(price.cache_write_1h_mtok) ?? (/claude/i.test(model) ? input * 2 : cacheWrite),
    reasoning: of(price.output_reasoning_mtok),
  };
}

function scaled(rates: Rates, input: number, output: number): Rates {
  const by = (rate: number, factor: number): number => perToken((rate * factor) / 1000);
  return {
    input: by(rates.input, input),
    cacheRead: by(rates.cacheRead, input),
    cacheWrite: by(rates.cacheWrite, input),
    cacheWrite1h: by(rates.cacheWrite1h, input),
    output: by(rates.output, output),
    reasoning: by(rates.reasoning, output),
  };
}
