import { differenceOf, rateOf } from './interval.ts';
import { type Drift, reportedRate } from './report.ts';

export interface DriftInput {
  readonly field: string;
  /** By unit; '' leaves the unit out. */
  readonly periods: readonly string[];
  /** By unit: first start, which orders periods that are no dates. */
  readonly starts: readonly number[];
  readonly failed: readonly (boolean | undefined)[];
  readonly clusters: readonly { readonly id: number; readonly label: string; readonly units: readonly number[] }[];
}

/**
 * How clusters grow and shrink from period to period. All periods are clustered together, so a cluster is the same thing
 * in each of them; a change is named only where the interval of the difference of shares excludes 0.
 */
export function driftOf({ field, periods, starts, failed, clusters }: DriftInput): Drift {
  const first = new Map<string, number>();
  const sizes = new Map<string, number>();
  periods.forEach((period, unit) => {
    if (period === '') return;
    sizes.set(period, (sizes.get(period) ?? 0) + 1);
    first.set(period, Math.min(first.get(period) ?? Number.POSITIVE_INFINITY, starts[unit] as number));
  });
  const order = [...sizes.keys()].sort(
    (a, b) => (first.get(a) as number) - (first.get(b) as number) || (a < b ? -1 : 1),
  );
  return {
    field,
    periods: order.map(period => ({ period, units: sizes.get(period) as number })),
    clusters: clusters.map(({ id, label, units }) => ({
      id,
      label,
      periods: order.map((period, at) => {
        const own = units.filter(unit => periods[unit] === period);
        const known = own.filter(unit => failed[unit] !== undefined);
        const share = rateOf(own.length, sizes.get(period) as number);
        const before = order[at - 1];
        const earlier =
          before === undefined
            ? undefined
            : rateOf(units.filter(unit => periods[unit] === before).length, sizes.get(before) as number);
        return {
          units: own.length,
          share: share.rate ?? 0,
          change: earlier === undefined ? ('' as const) : changeOf(earlier, share),
          failures: reportedRate(rateOf(known.filter(unit => failed[unit]).length, known.length)),
        };
      }),
    })),
  };
}

type Share = ReturnType<typeof rateOf>;

function changeOf(earlier: Share, now: Share): 'new' | 'vanished' | 'grown' | 'shrunk' | 'same' {
  const change = differenceOf(earlier, now);
  if (!change || (change.low <= 0 && change.high >= 0)) return 'same';
  if (change.low > 0) return earlier.part === 0 ? 'new' : 'grown';
  return now.part === 0 ? 'vanished' : 'shrunk';
}
