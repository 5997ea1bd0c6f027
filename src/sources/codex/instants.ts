/**
 * Times as integer microseconds since the epoch, 0 for what is no time.
 *
 * All versions write `2026-11-29T16:35:37.714Z`; that shape is read by its digits, with the day's midnight kept
 * from the line before. Everything else goes through Date.parse.
 */
let lastDay = 0;
let lastMidnight = 0;

export function microsOf(text: unknown): number {
  if (typeof text !== 'string') return 0;
  const length = text.length;
  if (length >= 20 && length <= 27 && text.charCodeAt(length - 1) === 90 && text.charCodeAt(10) === 84) {
    const day = ((two(text, 0) * 100 + two(text, 2)) * 100 + two(text, 5)) * 100 + two(text, 8);
    if (day !== lastDay) {
      const midnight = Date.parse(text.slice(0, 10));
      if (Number.isNaN(midnight)) return 0;
      lastDay = day;
      lastMidnight = midnight * 1000;
    }
    const hour = two(text, 11);
    const minute = two(text, 14);
    const second = two(text, 17);
    const fraction = length === 20 ? 0 : fractionOf(text, length - 1);
    if (hour < 24 && minute < 60 && second < 60 && fraction >= 0) {
      return credible(lastMidnight + ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction);
    }
  }
  return credible(Math.round(Date.parse(text) * 1000));
}

/** Columns hold non-negative integers up to 2^53: nothing before 1970 or after 2255. */
function credible(micros: number): number {
  return Number.isSafeInteger(micros) && micros > 0 ? micros : 0;
}

/** Two digits at a place; NaN, which is like no day and below no limit, if they are none. */
function two(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

/** The digits after the point as microseconds; -1 if there is no point or something else than digits. */
function fractionOf(text: string, end: number): number {
  if (text.charCodeAt(19) !== 46) return -1;
  let micros = 0;
  for (let at = 20, unit = 100_000; at < end; at++, unit /= 10) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return -1;
    micros += digit * unit;
  }
  return micros;
}

/** Milliseconds in a version 7 UUID (thread and turn ids since 0.4x); undefined for any other id. */
export function uuidMillis(id: string): number | undefined {
  if (id.length !== 36 || id.charCodeAt(14) !== 55 || id.charCodeAt(8) !== 45) return undefined;
  const millis = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  return Number.isNaN(millis) ? undefined : millis;
}
