import { type Cost, type MoneyReport, priceCalls, reportOf } from '../money/apply.ts';
import type { Overrides } from '../money/overrides.ts';
import type { PriceTable, Tariff } from '../money/rates.ts';
import { tableVersion } from '../money/version.ts';
import { NumberColumn } from '../trace/columns.ts';
import type { Operations } from '../trace/operations.ts';
import type { StoredHistory } from './history.ts';

/** Costs as a part of a stored history, with the tariffs they were made from. */
const NAME = 'costs';

interface CostFacts {
  readonly summary: Omit<MoneyReport['summary'], 'nanoDollars'> & { readonly nanoDollars: string };
  readonly priced: MoneyReport['priced'];
  readonly tariffs: readonly (readonly [key: string, tariff: Tariff | null])[];
}

type Tariffs = Map<string, Tariff | undefined>;

/**
 * Prices a history, or takes the costs of an earlier run at the same prices. The price library (`load`) is asked for
 * only where a model has calls of which no earlier run knows the tariff.
 */
export async function priced(
  history: StoredHistory,
  overrides: Overrides | undefined,
  load: () => Promise<PriceTable>,
): Promise<MoneyReport> {
  const version = tableVersion(overrides?.hash);
  const part = history.part(NAME, version);
  if (part) return storedReport(part.numbers, part.facts as CostFacts, version);
  const missing = history.missing(NAME, version);
  const known: Tariffs = new Map(
    (missing.facts as CostFacts | undefined)?.tariffs.map(([key, tariff]) => [key, tariff ?? undefined]),
  );
  const { ops } = missing.trace;
  const made = withKnown(ops, known, version) ?? priceCalls(ops, noting(await load(), known));
  const columns = missing.complete({ numbers: { ...made.cost }, strings: {}, bySession: {} });
  const whole = history.trace.ops;
  const report = ops === whole ? made : reportOf(whole, costOf(columns.numbers), tableOf(known, version));
  const { summary, priced } = report;
  const facts: CostFacts = {
    summary: { ...summary, nanoDollars: String(summary.nanoDollars) },
    priced,
    tariffs: [...known].map(([key, tariff]) => [key, tariff ?? null]),
  };
  history.keep({ name: NAME, key: version, ...columns, facts });
  return report;
}

function storedReport(columns: Readonly<Record<string, NumberColumn>>, facts: CostFacts, version: string): MoneyReport {
  const { nanoDollars, ...summary } = facts.summary;
  return {
    cost: costOf(columns),
    version,
    summary: { ...summary, nanoDollars: BigInt(nanoDollars) },
    priced: facts.priced,
  };
}

/** Columns without any value are missing in a part. */
function costOf(columns: Readonly<Record<string, NumberColumn>>): Cost {
  const column = (name: keyof Cost) => columns[name] ?? new NumberColumn();
  return {
    input: column('input'),
    cacheRead: column('cacheRead'),
    cacheWrite: column('cacheWrite'),
    output: column('output'),
    reasoning: column('reasoning'),
    given: column('given'),
    unpriced: column('unpriced'),
  };
}

class UnknownTariff extends Error {}

const keyOf = (model: string, provider = '') => `${provider}\n${model}`;

/** Undefined if a model is met that is not among the known ones. */
function withKnown(ops: Operations, known: Tariffs, version: string): MoneyReport | undefined {
  try {
    return priceCalls(ops, tableOf(known, version));
  } catch (error) {
    if (error instanceof UnknownTariff) return undefined;
    throw error;
  }
}

/** Throws UnknownTariff for a model that nobody asked the library about. */
function tableOf(known: Tariffs, version: string): PriceTable {
  return {
    version,
    tariff: (model, provider) => {
      const key = keyOf(model, provider);
      if (!known.has(key)) throw new UnknownTariff();
      return known.get(key);
    },
  };
}

/** The same table; what it is asked is added to `known`. */
function noting(table: PriceTable, known: Tariffs): PriceTable {
  return {
    version: table.version,
    tariff: (model, provider) => {
      const tariff = table.tariff(model, provider);
      known.set(keyOf(model, provider), tariff);
      return tariff;
    },
  };
}
