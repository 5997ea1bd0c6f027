import { amountsOf, COST } from '../trace/amounts.ts';
import { Kind } from '../trace/kinds.ts';
import { MEASURES } from '../trace/measures.ts';
import type { Trace } from '../trace/trace.ts';
import type { OutcomeRule } from './outcome.ts';
import type { Unit } from './units.ts';

/** What a unit amounted to. */
export interface UnitFacts {
  readonly tokens: number;
  /** Nano-dollars; 0 where prices were not asked for. */
  readonly nanoDollars: number;
  /** Active time, nanoseconds. */
  readonly active: number;
  /** First start to last end, microseconds; 0 where the agent wrote no times. */
  readonly wall: number;
  /** First start, microseconds since the epoch; 0 where unknown. */
  readonly start: number;
  readonly prompts: number;
  readonly calls: number;
  readonly tools: number;
  readonly errors: number;
  readonly failed: boolean | undefined;
}

const AT = Object.fromEntries(MEASURES.map(({ name }, at) => [name, at])) as Record<string, number>;

export function factsOf(trace: Trace, units: readonly Unit[], outcome: OutcomeRule): UnitFacts[] {
  const amounts = amountsOf(trace);
  return units.map(unit => {
    const sums = new Float64Array(MEASURES.length);
    const counts = { [Kind.prompt]: 0, [Kind.call]: 0, [Kind.tool]: 0 } as Record<number, number>;
    let first = Number.POSITIVE_INFINITY;
    let last = 0;
    for (const row of unit.rows) {
      const kind = trace.ops.kind.get(row);
      counts[kind] = (counts[kind] ?? 0) + 1;
      const start = trace.ops.start.get(row);
      if (start > 0) {
        first = Math.min(first, start);
        last = Math.max(last, trace.ops.end.get(row), start);
      }
      amounts(row, (_, values) => {
        for (let m = 0; m < values.length; m++) sums[m] = (sums[m] as number) + (values[m] as number);
      });
    }
    return {
      tokens: sums[AT.tokens as number] as number,
      nanoDollars: sums[COST] as number,
      active: sums[AT.time as number] as number,
      wall: last > 0 ? last - first : 0,
      start: last > 0 ? first : 0,
      prompts: counts[Kind.prompt] as number,
      calls: counts[Kind.call] as number,
      tools: counts[Kind.tool] as number,
      errors: sums[AT.errors as number] as number,
      failed: outcome.failed(unit),
    };
  });
}
