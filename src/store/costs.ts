import { type Cost, type MoneyReport, priceCalls } from '../money/apply.ts';
import type { Overrides } from '../money/overrides.ts';
import type { PriceTable, Tariff } from '../money/rates.ts';
import { tableVersion } from '../money/version.ts';
import { NumberColumn } from '../trace/columns.ts';
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
export async function priced(history: StoredHistory, overrides: Overrides | undefined, load: () => Promise<PriceTable>): Promise<MoneyReport> {
  const version = tableVersion(overrides?.hash);
  const part = history.part(NAME, version);
  if (part) return reportOf(part.numbers, part.facts as CostFacts, version);
  const former = history.formerPart(NAME, version)?.facts as CostFacts | undefined;
  const known: Tariffs = new Map(former?.tariffs.map(([key, tariff]) => [key, tariff ?? undefined]));
  const report = withKnown(history, known, version) ?? priceCalls(history.trace.ops, noting(await load(), known));
  const { nanoDollars, ...summary } = report.summary;
  const facts: CostFacts = {
    summary: { ...summary, nanoDollars: String(nanoDollars) },
    priced: report.priced,
    tariffs: [...known].map(([key, tariff]) => [key, tariff ?? null]),
  };
  history.keep({ name: NAME, key: version, numbers: { ...report.cost }, strings: {}, facts });
  return report;
}

function reportOf(columns: Readonly<Record<string, NumberColumn>>, facts: CostFacts, version: string): MoneyReport {
  const column = (name: keyof Cost) => columns[name] ?? new NumberColumn();
  const { nanoDollars, ...summary } = facts.summary;
  return {
    cost: {
      input: column('input'),
      cacheRead: column('cacheRead'),
      cacheWrite: column('cacheWrite'),
      output: column('output'),
      reasoning: column('reasoning'),
      given: column('given'),
      unpriced: column('unpriced'),
    },
    version,
    summary: { ...summary, nanoDollars: BigInt(nanoDollars) },
    priced: facts.priced,
  };
}

class UnknownTariff extends Error {}

const keyOf = (model: string, provider = '') => `${provider}\n${model}`;

/** Undefined if a model is met that is not among the known ones. */
function withKnown(history: StoredHistory, known: Tariffs, version: string): MoneyReport | undefined {
  const table: PriceTable = {
    version,
    tariff: (model, provider) => {
      const key = keyOf(model, provider);
      if (!known.has(key)) throw new UnknownTariff();
      return known.get(key);
    },
  };
  try {
    return priceCalls(history.trace.ops, table);
  } catch (error) {
    if (error instanceof UnknownTariff) return undefined;
    throw error;
  }
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
