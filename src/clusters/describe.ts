import { Kind } from '../trace/kinds.ts';
import type { Trace } from '../trace/trace.ts';
import type { UnitFacts } from './facts.ts';
import { NOISE } from './hdbscan/hdbscan.ts';
import { type Rate, rateOf } from './interval.ts';
import type { Grouping } from './pipeline.ts';
import type { ShownValue } from './terms.ts';
import type { Unit } from './units.ts';

/** Mean and 95th percentile. */
export interface Spread {
  readonly mean: number;
  readonly p95: number;
}

export interface Counted {
  readonly name: string;
  /** Units of the cluster that have it. */
  readonly units: number;
  /** How often, over all units. */
  readonly times: number;
}

/** A cluster in numbers. Shares are of all units that were clustered, noise included. */
export interface Description {
  readonly units: readonly number[];
  readonly share: number;
  readonly tokens: number;
  readonly tokenShare: number;
  /** Nano-dollars. */
  readonly nanoDollars: number;
  readonly costShare: number;
  /** Active time, nanoseconds. */
  readonly active: number;
  readonly activeShare: number;
  /** Wall time from first to last operation, microseconds, over units that have times. */
  readonly duration: Spread;
  readonly tokensEach: Spread;
  readonly callsEach: Spread;
  readonly toolsEach: Spread;
  readonly failures: Rate;
  readonly tools: readonly Counted[];
  readonly files: readonly Counted[];
  /** The most typical units, and those that belong least. */
  readonly central: readonly number[];
  readonly edge: readonly number[];
}

const MOST_COUNTED = 6;
const EXAMPLES = 3;

/** Describes one cluster, or the noise. */
export function describe(
  trace: Trace,
  units: readonly Unit[],
  facts: readonly UnitFacts[],
  grouping: Grouping,
  label: number,
  shown: ShownValue,
): Description {
  const own = units.flatMap((_, unit) => (grouping.labels[unit] === label ? [unit] : []));
  const sum = (of: (facts: UnitFacts) => number, over = own): number =>
    over.reduce((total, unit) => total + of(facts[unit] as UnitFacts), 0);
  const all = units.map((_, unit) => unit);
  const share = (of: (facts: UnitFacts) => number): number => ratio(sum(of), sum(of, all));
  const spread = (of: (facts: UnitFacts) => number): Spread => spreadOf(own.map(unit => of(facts[unit] as UnitFacts)));
  const known = own.filter(unit => facts[unit]?.failed !== undefined);
  const { probabilities, outlierScores } = grouping;
  const typical = [...own].sort(
    (a, b) =>
      (probabilities[b] as number) - (probabilities[a] as number) ||
      (outlierScores[a] as number) - (outlierScores[b] as number) ||
      a - b,
  );
  return {
    units: own,
    share: ratio(own.length, units.length),
    tokens: sum(each => each.tokens),
    tokenShare: share(each => each.tokens),
    nanoDollars: sum(each => each.nanoDollars),
    costShare: share(each => each.nanoDollars),
    active: sum(each => each.active),
    activeShare: share(each => each.active),
    duration: spreadOf(own.map(unit => (facts[unit] as UnitFacts).wall).filter(wall => wall > 0)),
    tokensEach: spread(each => each.tokens),
    callsEach: spread(each => each.calls),
    toolsEach: spread(each => each.tools),
    failures: rateOf(known.filter(unit => facts[unit]?.failed).length, known.length),
    tools: counted(units, own, row => (trace.ops.kind.get(row) === Kind.tool ? trace.ops.field.tool.get(row) : '')).map(
      each => ({ ...each, name: shown('tool', each.name) }),
    ),
    files: counted(units, own, row => trace.ops.field.file.get(row)).map(each => ({
      ...each,
      name: shown('file', each.name),
    })),
    central: label === NOISE ? [] : typical.slice(0, EXAMPLES),
    edge: label === NOISE ? [] : typical.slice(EXAMPLES).slice(-EXAMPLES).reverse(),
  };
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

/** The smallest value that is not below 95 % of them. */
function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) return { mean: 0, p95: 0 };
  const sorted = [...values].sort((a, b) => a - b);
  return {
    mean: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
    p95: sorted[Math.ceil(0.95 * sorted.length) - 1] as number,
  };
}

/** The values that most units have, then the most frequent. */
function counted(units: readonly Unit[], own: readonly number[], nameAt: (row: number) => string): Counted[] {
  const counts = new Map<string, { units: number; times: number }>();
  for (const unit of own) {
    const seen = new Set<string>();
    for (const row of (units[unit] as Unit).rows) {
      const value = nameAt(row);
      if (value === '') continue;
      let count = counts.get(value);
      if (!count) counts.set(value, (count = { units: 0, times: 0 }));
      count.times++;
      if (!seen.has(value)) count.units++;
      seen.add(value);
    }
  }
  return [...counts]
    .map(([name, count]) => ({ name, ...count }))
    .sort((a, b) => b.units - a.units || b.times - a.times || (a.name < b.name ? -1 : 1))
    .slice(0, MOST_COUNTED);
}
