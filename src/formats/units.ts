import type { Measure } from '../trace/measures.ts';

/** Values in words. Every function is exact integer arithmetic up to its last rounding, so 64-bit sums stay right. */

type Unit = Measure['unit'];

const COUNT_STEPS: readonly (readonly [bigint, string])[] = [
  [1_000n, 'k'],
  [1_000_000n, 'M'],
  [1_000_000_000n, 'B'],
  [1_000_000_000_000n, 'T'],
];

const SECOND = 1_000_000_000n;
const DOLLAR = 1_000_000n;

/**
 * A value as a person says it: `12.4 M`, `3 h 12 min`, `$1.23`. A negative value starts with `-`;
 * with `sign` a positive one starts with `+`, as in a difference.
 */
export function words(value: bigint, unit: Unit, sign = false): string {
  const magnitude = value < 0n ? -value : value;
  return signOf(value, sign) + MAGNITUDE_WORDS[unit](magnitude);
}

/** The value in full: `12,412,345`, `11,531.204 s`, `$1.234567`. */
export function exactly(value: bigint, unit: Unit, sign = false): string {
  const magnitude = value < 0n ? -value : value;
  const lead = signOf(value, sign);
  if (unit === 'nanoseconds') return `${lead}${decimal(magnitude, SECOND, 0)} s`;
  if (unit === 'microusd') return `${lead}$${decimal(magnitude, DOLLAR, 2)}`;
  return lead + grouped(magnitude);
}

/** What a measure counts, for use after a number of it: `tokens`, `token`, `network contacts`; empty for time and cost. */
export function nounOf(measure: Measure, value: bigint): string {
  if (measure.unit !== 'count') return '';
  const plural = NOUNS[measure.name] ?? measure.name.replaceAll('_', ' ');
  const one = value === 1n || value === -1n;
  return one ? plural.replace(/s$/, '') : plural;
}

/** A value of a measure that needs no heading: `12.4 M tokens`, `3 h 12 min of activity`, `$1.23`. */
export function phrase(value: bigint, measure: Measure, sign = false): string {
  const said = words(value, measure.unit, sign);
  if (measure.unit === 'nanoseconds') return measure.name === 'time' ? `${said} of activity` : said;
  const noun = nounOf(measure, value);
  return noun === '' ? said : `${said} ${noun}`;
}

/** `26.1 %`; `< 0.1 %` for what is there but rounds to nothing. Part and whole are magnitudes; no whole, no share. */
export function share(part: bigint, whole: bigint): string {
  if (whole <= 0n) return '';
  if (part === 0n) return '0 %';
  const tenths = rounded(part * 1000n, whole);
  if (tenths === 0n) return '< 0.1 %';
  // All but a sliver is not all.
  if (tenths === 1000n) return part === whole ? '100 %' : '> 99.9 %';
  return `${oneDecimal(tenths)} %`;
}

const NOUNS: Readonly<Record<string, string>> = {
  files: 'file effects',
  network: 'network contacts',
};

const MAGNITUDE_WORDS: Readonly<Record<Unit, (magnitude: bigint) => string>> = {
  count: countWords,
  nanoseconds: timeWords,
  microusd: moneyWords,
};

function signOf(value: bigint, sign: boolean): string {
  if (value < 0n) return '-';
  return sign && value > 0n ? '+' : '';
}

function countWords(value: bigint): string {
  if (value < 1_000n) return value.toString();
  for (const [step, letter] of COUNT_STEPS) {
    // 999,960 is 1 M, not 1000 k.
    if (rounded(value, step) >= 1_000n && letter !== 'T') continue;
    const tenths = rounded(value * 10n, step);
    return `${tenths < 1_000n ? oneDecimal(tenths) : grouped(rounded(value, step))} ${letter}`;
  }
  return value.toString();
}

function timeWords(value: bigint): string {
  if (value === 0n) return '0 s';
  if (value < 1_000n) return `${value} ns`;
  if (rounded(value, 1_000n) < 1_000n) return `${rounded(value, 1_000n)} µs`;
  if (rounded(value, 1_000_000n) < 1_000n) return `${rounded(value, 1_000_000n)} ms`;
  const tenths = rounded(value * 10n, SECOND);
  if (tenths < 600n) return `${oneDecimal(tenths)} s`;
  const seconds = rounded(value, SECOND);
  if (seconds < 3_600n) return two(seconds / 60n, 'min', seconds % 60n, 's');
  const minutes = rounded(value, SECOND * 60n);
  if (minutes < 48n * 60n) return two(minutes / 60n, 'h', minutes % 60n, 'min');
  const hours = rounded(value, SECOND * 3_600n);
  return two(hours / 24n, 'd', hours % 24n, 'h');
}

function moneyWords(value: bigint): string {
  if (value === 0n) return '$0';
  // Below a cent two digits that say something: $0.0042.
  if (value < 9_950n) {
    const digits = value.toString().length;
    const step = 10n ** BigInt(Math.max(digits - 2, 0));
    return `$${decimal(rounded(value, step) * step, DOLLAR, 2)}`;
  }
  const cents = rounded(value, 10_000n);
  if (cents < 1_000_000n) return `$${grouped(cents / 100n)}.${(cents % 100n).toString().padStart(2, '0')}`;
  return `$${grouped(rounded(value, DOLLAR))}`;
}

function two(large: bigint, largeUnit: string, small: bigint, smallUnit: string): string {
  return small === 0n ? `${grouped(large)} ${largeUnit}` : `${grouped(large)} ${largeUnit} ${small} ${smallUnit}`;
}

/** Quotient of non-negative integers, halves up. */
function rounded(value: bigint, step: bigint): bigint {
  return (value + step / 2n) / step;
}

function oneDecimal(tenths: bigint): string {
  return `${grouped(tenths / 10n)}.${tenths % 10n}`;
}

/** `value / one` with all digits that are not trailing zeros, but at least `least` of them. */
function decimal(value: bigint, one: bigint, least: number): string {
  const places = one.toString().length - 1;
  const digits = (value % one).toString().padStart(places, '0').replace(/0+$/, '').padEnd(least, '0');
  return digits === '' ? grouped(value / one) : `${grouped(value / one)}.${digits}`;
}

function grouped(value: bigint): string {
  return value.toString().replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}
