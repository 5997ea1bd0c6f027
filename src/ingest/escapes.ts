import { BACKSLASH, LOWER_U, QUOTE } from './bytes.ts';
import { pushPoint } from './keep-table.ts';

/**
 * Escapes of JSON strings, on bytes. The byte at `end` is always a newline, so reading on from a whole prefix
 * stops there by itself.
 */

/** 1 for bytes that stand for themselves in a string: all but the quote, the backslash and controls. */
export const PLAIN = new Uint8Array(256).map((_, byte) =>
  byte < 0x20 || byte === QUOTE || byte === BACKSLASH ? 0 : 1,
);

/** 1 for bytes that may follow a backslash alone. */
const SIMPLE = new Uint8Array(256);
for (const letter of '"\\/bfnrt') SIMPLE[letter.charCodeAt(0)] = 1;

/** Value of a hexadecimal digit, 255 for other bytes. */
const HEX = new Uint8Array(256).fill(255);
for (let digit = 0; digit < 16; digit++) {
  HEX[digit.toString(16).charCodeAt(0)] = digit;
  HEX[digit.toString(16).toUpperCase().charCodeAt(0)] = digit;
}

/** The bytes end before one can tell; the escape must be seen again with more of them. */
export const TORN = 0;
/** No escape of JSON. */
export const BAD = -1;

/**
 * The escape whose backslash is at `at`: its length in the file (2, 6, or 12 for a surrogate pair) plus 16 times the
 * UTF-8 bytes it stands for; or TORN, or BAD.
 */
export function escapeAt(input: Uint8Array, at: number, end: number): number {
  const letter = input[at + 1] as number;
  if (SIMPLE[letter] === 1) return 2 + (1 << 4);
  if (letter !== LOWER_U) return at + 1 >= end ? TORN : BAD;
  const unit = unitAt(input, at + 2, end);
  if (unit < 0x80) return unit < 0 ? unit + 1 : 6 + (1 << 4);
  if (unit < 0x800) return 6 + (2 << 4);
  if ((unit & 0xfc00) !== 0xd800) return 6 + (3 << 4);
  if (at + 6 >= end) return TORN;
  if (input[at + 6] !== BACKSLASH) return 6 + (3 << 4);
  if (at + 7 >= end) return TORN;
  if (input[at + 7] !== LOWER_U) return 6 + (3 << 4);
  const low = unitAt(input, at + 8, end);
  if (low === TORN - 1) return TORN;
  return (low & 0xfc00) === 0xdc00 && low > 0 ? 12 + (4 << 4) : 6 + (3 << 4);
}

/** Four hexadecimal digits; TORN - 1 or BAD - 1 where there are none. */
function unitAt(input: Uint8Array, at: number, end: number): number {
  let unit = 0;
  for (let i = at; i < at + 4; i++) {
    const digit = HEX[input[i] as number] as number;
    if (digit === 255) return i >= end ? TORN - 1 : BAD - 1;
    unit = (unit << 4) | digit;
  }
  return unit;
}

const STANDS_FOR: Readonly<Record<string, number>> = { b: 8, f: 12, n: 10, r: 13, t: 9 };

/** The UTF-8 bytes that the valid JSON string content in [from, to) stands for; a lone surrogate gives three bytes. */
export function unescapeKey(input: Uint8Array, from: number, to: number): Uint8Array {
  const bytes: number[] = [];
  for (let at = from; at < to; ) {
    const byte = input[at] as number;
    if (byte !== BACKSLASH) {
      bytes.push(byte);
      at++;
    } else if (input[at + 1] !== LOWER_U) {
      const letter = input[at + 1] as number;
      bytes.push(STANDS_FOR[String.fromCharCode(letter)] ?? letter);
      at += 2;
    } else {
      let point = unitAt(input, at + 2, to);
      const pair = (point & 0xfc00) === 0xd800 && escapeAt(input, at, to) === 12 + (4 << 4);
      if (pair) point = 0x10000 + ((point & 0x3ff) << 10) + (unitAt(input, at + 8, to) & 0x3ff);
      pushPoint(bytes, point);
      at += pair ? 12 : 6;
    }
  }
  return Uint8Array.from(bytes);
}
