const ZERO = 48;
/** The last instant that is exact in microseconds: in the year 2255. */
const LATEST = Number.MAX_SAFE_INTEGER;

/**
 * An ISO 8601 instant as integer microseconds since the epoch; 0 if it is none (or before 1970). The shape agents
 * write (`2026-02-09T10:00:52.889Z`, any number of fraction digits, `Z` or `+hh:mm`) is read without a Date.
 */
export function microsOf(value: unknown): number {
  if (typeof value !== 'string') return 0;
  const micros = commonShape(value);
  if (!Number.isNaN(micros)) return micros > 0 && micros <= LATEST ? micros : 0;
  const millis = value.length <= 40 ? Date.parse(value) : Number.NaN;
  return millis > 0 ? Math.min(millis * 1000, LATEST) : 0;
}

function commonShape(text: string): number {
  if (text.length < 20 || text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45 || text.charCodeAt(10) !== 84)
    return Number.NaN;
  if (text.charCodeAt(13) !== 58 || text.charCodeAt(16) !== 58) return Number.NaN;
  const year = two(text, 0) * 100 + two(text, 2);
  const month = two(text, 5);
  const day = two(text, 8);
  if (month < 1 || month > 12 || day < 1 || day > 31) return Number.NaN;
  let at = 19;
  let fraction = 0;
  if (text.charCodeAt(at) === 46) {
    let unit = 100_000;
    for (at++; at < text.length; at++) {
      const digit = text.charCodeAt(at) - ZERO;
      if (digit < 0 || digit > 9) break;
      fraction += digit * unit;
      unit = unit > 1 ? unit / 10 : 0;
    }
  }
  const zone = zoneMinutes(text, at);
  const seconds = (two(text, 11) * 60 + two(text, 14) - zone) * 60 + two(text, 17);
  return (daysFromCivil(year, month, day) * 86_400 + seconds) * 1_000_000 + fraction;
}

function zoneMinutes(text: string, at: number): number {
  const sign = text.charCodeAt(at);
  if (sign === 90 && at + 1 === text.length) return 0;
  if ((sign !== 43 && sign !== 45) || at + 6 !== text.length || text.charCodeAt(at + 3) !== 58) return Number.NaN;
  const minutes = two(text, at + 1) * 60 + two(text, at + 4);
  return sign === 43 ? minutes : -minutes;
}

function two(text: string, at: number): number {
  const tens = text.charCodeAt(at) - ZERO;
  const ones = text.charCodeAt(at + 1) - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

/** Days since 1970-01-01 in the proleptic Gregorian calendar; years are counted from March so that leap days come last. */
function daysFromCivil(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}
