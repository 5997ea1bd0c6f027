/** The 97.5th percentile of the normal distribution: all intervals are of 95 %. */
const Z = 1.959963984540054;

/** A share with its interval. */
export interface Rate {
  readonly part: number;
  readonly whole: number;
  /** Undefined where `whole` is 0; so are the bounds 0 and 1 then. */
  readonly rate: number | undefined;
  readonly low: number;
  readonly high: number;
}

/** Wilson's score interval (1927): it stays within 0 and 1 and holds its 95 % also for few cases and rare events. */
export function rateOf(part: number, whole: number): Rate {
  if (whole === 0) return { part, whole, rate: undefined, low: 0, high: 1 };
  const rate = part / whole;
  const z2 = Z * Z;
  const middle = (rate + z2 / (2 * whole)) / (1 + z2 / whole);
  const half = (Z * Math.sqrt((rate * (1 - rate)) / whole + z2 / (4 * whole * whole))) / (1 + z2 / whole);
  return {
    part,
    whole,
    rate,
    low: part === 0 ? 0 : Math.max(0, middle - half),
    high: part === whole ? 1 : Math.min(1, middle + half),
  };
}

/** `b` minus `a` with Newcombe's hybrid interval (1998, method 10). Undefined where either has no cases. */
export function differenceOf(
  a: Rate,
  b: Rate,
): { readonly difference: number; readonly low: number; readonly high: number } | undefined {
  if (a.rate === undefined || b.rate === undefined) return undefined;
  const difference = b.rate - a.rate;
  return {
    difference,
    low: difference - Math.sqrt((b.rate - b.low) ** 2 + (a.high - a.rate) ** 2),
    high: difference + Math.sqrt((b.high - b.rate) ** 2 + (a.rate - a.low) ** 2),
  };
}
