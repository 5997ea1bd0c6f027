import { NumberColumn } from '../trace/columns.ts';
import { Flag } from '../trace/flags.ts';
import { Kind } from '../trace/kinds.ts';
import { TOKEN_COLUMNS } from '../trace/measures.ts';
import type { Operations } from '../trace/operations.ts';
import { shownModel } from './modelids.ts';
import { type PriceTable, ratesAt, type Tariff } from './rates.ts';

/**
 * What each row cost, in integer nano-dollars. Every kind is rounded once, to the nearest nano-dollar, from an exact
 * rate times a token count; the cost of a call is the sum of its kinds, so no second rounding can part the two.
 * Copies of a call (Flag.copy) cost nothing: the original carries the price.
 */
export interface Cost {
  readonly input: NumberColumn;
  readonly cacheRead: NumberColumn;
  /** 5-minute and 1-hour writes together, each at its own price. */
  readonly cacheWrite: NumberColumn;
  readonly output: NumberColumn;
  readonly reasoning: NumberColumn;
  /** Cost that an operation file gave as one sum: it belongs to no kind, and the kinds of such a row are 0. */
  readonly given: NumberColumn;
  /** Why a call has no price: 0 = it has one (or is no call), 1 = unknown model, 2 = unknown usage. */
  readonly unpriced: NumberColumn;
}

export const COST_KINDS = ['input', 'cacheRead', 'cacheWrite', 'output', 'reasoning'] as const;

export const UNPRICED_REASONS = ['', 'unknown model', 'unknown usage'] as const;
const UNKNOWN_MODEL = 1;
const UNKNOWN_USAGE = 2;

/** Whole cost of a row in nano-dollars. */
export function costOf(cost: Cost, row: number): number {
  return (
    cost.given.get(row) +
    cost.input.get(row) +
    cost.cacheRead.get(row) +
    cost.cacheWrite.get(row) +
    cost.output.get(row) +
    cost.reasoning.get(row)
  );
}

export interface UnpricedModel {
  /** As reports may show it; `unknown` where the history names none. */
  readonly model: string;
  readonly reason: 'unknown model' | 'unknown usage';
  readonly calls: number;
  readonly tokens: number;
}

export interface PricedModel {
  readonly model: string;
  /** Whose price was taken, and which entry of that list. */
  readonly provider: string;
  readonly entry: string;
}

export interface MoneyReport {
  readonly cost: Cost;
  /** Version of the price table, for comments. */
  readonly version: string;
  readonly summary: MoneySummary;
  /** Which list entry priced which model, sorted by model. */
  readonly priced: readonly PricedModel[];
}

export interface MoneySummary {
  readonly nanoDollars: bigint;
  readonly pricedCalls: number;
  readonly unpricedCalls: number;
  /** Most tokens first, then by name. */
  readonly unpriced: readonly UnpricedModel[];
}

/**
 * Prices every row that is not a copy. A row's own given cost wins over the table, whatever its kind; a given cost
 * of 0 cannot be told from none and leaves the row to the table (agents write 0 for subscriptions).
 */
export function priceCalls(ops: Operations, table: PriceTable): MoneyReport {
  const cost = emptyCost(ops.length);
  const tariffs = tariffFinder(ops, table);
  const given = ops.given.get('cost');
  const { cells: kinds } = ops.kind;
  const rows = given !== undefined || ops.hasKind(Kind.call) ? ops.length : 0;
  const { cells: allFlags } = ops.flags;
  const used = usedIn(ops);
  for (let row = 0; row < rows; row++) {
    const sum = given === undefined ? 0 : given.get(row);
    if (sum === 0 && kinds[row] !== Kind.call) continue;
    const flags = allFlags[row] ?? 0;
    if ((flags & Flag.copy) !== 0) continue;
    if (sum > 0) cost.given.set(row, sum);
    else if ((flags & Flag.unknownUsage) !== 0) cost.unpriced.set(row, UNKNOWN_USAGE);
    else priceRow(used, row, tariffs.of(row), cost);
  }
  let summary: MoneySummary | undefined;
  return {
    cost,
    version: table.version,
    get summary() {
      summary ??= summarise(ops, cost);
      return summary;
    },
    priced: tariffs.priced(),
  };
}

/** What calls are priced by, as cells. */
function usedIn({ tokens, start }: Operations) {
  return {
    start: start.cells,
    input: tokens.input_tokens.cells,
    cacheRead: tokens.cache_read_tokens.cells,
    write5m: tokens.cache_write_5m_tokens.cells,
    write1h: tokens.cache_write_1h_tokens.cells,
    output: tokens.output_tokens.cells,
    reasoning: tokens.reasoning_tokens.cells,
  };
}

function priceRow(used: ReturnType<typeof usedIn>, row: number, tariff: Tariff | undefined, cost: Cost): void {
  if (tariff === undefined) {
    cost.unpriced.set(row, UNKNOWN_MODEL);
    return;
  }
  const input = used.input[row] ?? 0;
  const cacheRead = used.cacheRead[row] ?? 0;
  const write5m = used.write5m[row] ?? 0;
  const write1h = used.write1h[row] ?? 0;
  const rates = ratesAt(tariff, used.start[row] ?? 0, input + cacheRead + write5m + write1h);
  cost.input.set(row, Math.round(input * rates.input));
  cost.cacheRead.set(row, Math.round(cacheRead * rates.cacheRead));
  cost.cacheWrite.set(row, Math.round(write5m * rates.cacheWrite + write1h * rates.cacheWrite1h));
  cost.output.set(row, Math.round((used.output[row] ?? 0) * rates.output));
  cost.reasoning.set(row, Math.round((used.reasoning[row] ?? 0) * rates.reasoning));
}

/** The kinds start at their full length and four bytes a row, so that filling them neither grows nor widens often. */
function emptyCost(rows: number): Cost {
  const column = (): NumberColumn => NumberColumn.made(rows, 4, () => new Uint32Array(rows));
  return {
    input: column(),
    cacheRead: column(),
    cacheWrite: column(),
    output: column(),
    reasoning: column(),
    given: new NumberColumn(),
    unpriced: new NumberColumn(),
  };
}

/** One lookup for each pair of model and provider, by their codes. */
function tariffFinder(ops: Operations, table: PriceTable) {
  const models = ops.field.model;
  const providers = ops.free.get('provider');
  const found = new Map<number, Tariff | undefined>();
  const width = models.values.length;
  return {
    of(row: number): Tariff | undefined {
      const model = models.codeAt(row);
      const provider = providers === undefined ? 0 : providers.codeAt(row);
      const key = provider * width + model;
      let tariff = found.get(key);
      if (tariff === undefined && !found.has(key))
        found.set(key, (tariff = table.tariff(models.values[model] as string, providers?.values[provider])));
      return tariff;
    },
    priced(): PricedModel[] {
      const list: PricedModel[] = [];
      for (const [key, tariff] of found) {
        if (tariff === undefined) continue;
        list.push({
          model: shownModel(models.values[key % width] as string),
          provider: tariff.provider,
          entry: tariff.model,
        });
      }
      return list.sort((a, b) => compare(a.model, b.model) || compare(a.provider, b.provider));
    },
  };
}

/** Totals over all rows, or over the rows a selection keeps. */
export function summarise(ops: Operations, cost: Cost, keeps?: (row: number) => boolean): MoneySummary {
  const { priced, unpriced } = callsOf(ops, cost, keeps);
  return summaryOf(ops, cost, priced, unpriced, keeps);
}

/** The same over all rows, and which list entries priced which models, of costs that were made with this table. */
export function reportOf(ops: Operations, cost: Cost, table: PriceTable): MoneyReport {
  const { priced, unpriced, ofModels } = callsOf(ops, cost);
  const tariffs = tariffFinder(ops, table);
  for (const row of ofModels) tariffs.of(row);
  const summary = summaryOf(ops, cost, priced, unpriced);
  return { cost, version: table.version, summary, priced: tariffs.priced() };
}

interface Unpriced {
  calls: number;
  tokens: number;
}

function summaryOf(
  ops: Operations,
  cost: Cost,
  pricedCalls: number,
  unpriced: ReadonlyMap<number, Unpriced>,
  keeps?: (row: number) => boolean,
): MoneySummary {
  // Rows without a cost have 0 everywhere.
  let nanoDollars = sumOf(cost.given, keeps);
  for (const kind of COST_KINDS) nanoDollars += sumOf(cost[kind], keeps);
  let unpricedCalls = 0;
  for (const { calls } of unpriced.values()) unpricedCalls += calls;
  return { nanoDollars, pricedCalls, unpricedCalls, unpriced: named(ops, unpriced) };
}

function sumOf({ cells }: NumberColumn, keeps?: (row: number) => boolean): bigint {
  let sum = 0n;
  let part = 0;
  for (let row = 0; row < cells.length; row++) {
    if (keeps !== undefined && !keeps(row)) continue;
    part += cells[row] as number;
    // Sums stay exact: numbers hold integers up to 2^53, and no single row comes near half of that.
    if (part > 2 ** 52) {
      sum += BigInt(part);
      part = 0;
    }
  }
  return sum + BigInt(part);
}

interface Calls {
  readonly priced: number;
  /** By model and reason. */
  readonly unpriced: ReadonlyMap<number, Unpriced>;
  /** A row of each pair of model and provider that the table has priced. */
  readonly ofModels: readonly number[];
}

/** Counts the calls, copies left out. */
function callsOf(ops: Operations, cost: Cost, keeps?: (row: number) => boolean): Calls {
  const unpriced = new Map<number, Unpriced>();
  if (!ops.hasKind(Kind.call)) return { priced: 0, unpriced, ofModels: [] };
  const [kinds, flags, given, reasons] = [ops.kind.cells, ops.flags.cells, cost.given.cells, cost.unpriced.cells];
  const { model } = ops.field;
  const [models, providers] = [model.codes, ops.free.get('provider')?.codes];
  const width = model.values.length;
  const ofModels: number[] = [];
  const seen = new Set<number>();
  let last = -1;
  let priced = 0;
  for (let row = 0; row < Math.min(kinds.length, ops.length); row++) {
    if (kinds[row] !== Kind.call || ((flags[row] ?? 0) & Flag.copy) !== 0) continue;
    if (keeps !== undefined && !keeps(row)) continue;
    const why = reasons[row] ?? 0;
    if (why !== 0) {
      countUnpriced(unpriced, ops, row, why);
      continue;
    }
    priced++;
    const pair = (providers === undefined ? 0 : (providers[row] ?? 0)) * width + (models[row] ?? 0);
    if (pair === last || (given[row] ?? 0) !== 0) continue;
    last = pair;
    if (!seen.has(pair)) ofModels.push(row);
    seen.add(pair);
  }
  return { priced, unpriced, ofModels };
}

function countUnpriced(unpriced: Map<number, Unpriced>, ops: Operations, row: number, why: number): void {
  const key = ops.field.model.codeAt(row) * UNPRICED_REASONS.length + why;
  const entry = unpriced.get(key);
  if (entry) {
    entry.calls++;
    entry.tokens += tokensOf(ops, row);
  } else unpriced.set(key, { calls: 1, tokens: tokensOf(ops, row) });
}

function named(ops: Operations, counts: ReadonlyMap<number, Unpriced>): UnpricedModel[] {
  const list = [...counts].map(([key, { calls, tokens }]): UnpricedModel => {
    const reason = UNPRICED_REASONS[key % UNPRICED_REASONS.length] as UnpricedModel['reason'];
    const model = ops.field.model.values[Math.floor(key / UNPRICED_REASONS.length)] as string;
    return { model: shownModel(model), reason, calls, tokens };
  });
  return list.sort((a, b) => b.tokens - a.tokens || compare(a.model, b.model) || compare(a.reason, b.reason));
}

function tokensOf(ops: Operations, row: number): number {
  let sum = 0;
  for (const name of TOKEN_COLUMNS) sum += ops.tokens[name].get(row);
  return sum;
}

/** By code units: the same order on every machine, whatever its language. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
