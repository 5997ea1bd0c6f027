// Escapes of JSON strings: see ../../escapes.ts, which says the same in JavaScript.

import { BACKSLASH, isDigit, isSimple, LOWER_U, ZERO } from './bytes';

export const TORN: i32 = 0;
export const BAD: i32 = -1;
export const PAIR: i32 = 12 + (4 << 4);

/** Length of the escape at `at` plus 16 times the UTF-8 bytes it stands for; or TORN, or BAD. */
export function escapeAt(at: usize, end: usize): i32 {
  const letter: u32 = load<u8>(at, 1);
  if (isSimple(letter)) return 2 + (1 << 4);
  if (letter != LOWER_U) return at + 1 >= end ? TORN : BAD;
  const unit = unitAt(at + 2, end);
  if (unit < 0x80) return unit < 0 ? unit + 1 : 6 + (1 << 4);
  if (unit < 0x800) return 6 + (2 << 4);
  if ((unit & 0xfc00) != 0xd800) return 6 + (3 << 4);
  if (at + 6 >= end) return TORN;
  if (load<u8>(at, 6) != BACKSLASH) return 6 + (3 << 4);
  if (at + 7 >= end) return TORN;
  if (load<u8>(at, 7) != LOWER_U) return 6 + (3 << 4);
  const low = unitAt(at + 8, end);
  if (low == TORN - 1) return TORN;
  return low > 0 && (low & 0xfc00) == 0xdc00 ? PAIR : 6 + (3 << 4);
}

/** Four hexadecimal digits; TORN - 1 or BAD - 1 where there are none. */
export function unitAt(at: usize, end: usize): i32 {
  let unit = 0;
  for (let i = at; i < at + 4; i++) {
    const byte: u32 = load<u8>(i);
    const letter = (byte | 0x20) - 0x61;
    if (isDigit(byte)) unit = (unit << 4) | (byte - ZERO);
    else if (letter < 6) unit = (unit << 4) | (letter + 10);
    else return i >= end ? TORN - 1 : BAD - 1;
  }
  return unit;
}

/** Writes the UTF-8 bytes that the valid string content [from, to) stands for to `into`; gives where they end. */
export function unescapeTo(from: usize, to: usize, into: usize): usize {
  let at = from;
  while (at < to) {
    const byte: u32 = load<u8>(at);
    if (byte != BACKSLASH) {
      store<u8>(into++, byte);
      at++;
      continue;
    }
    const letter: u32 = load<u8>(at, 1);
    if (letter != LOWER_U) {
      store<u8>(into++, standsFor(letter));
      at += 2;
      continue;
    }
    let point: u32 = unitAt(at + 2, to);
    if ((point & 0xfc00) == 0xd800 && escapeAt(at, to) == PAIR) {
      point = 0x10000 + ((point & 0x3ff) << 10) + (<u32>unitAt(at + 8, to) & 0x3ff);
      at += 6;
    }
    at += 6;
    into = writePoint(point, into);
  }
  return into;
}

function standsFor(letter: u32): u32 {
  if (letter == 0x62) return 8;
  if (letter == 0x66) return 12;
  if (letter == 0x6e) return 10;
  if (letter == 0x72) return 13;
  if (letter == 0x74) return 9;
  return letter;
}

function writePoint(point: u32, into: usize): usize {
  if (point < 0x80) {
    store<u8>(into, point);
    return into + 1;
  }
  if (point < 0x800) {
    store<u8>(into, 0xc0 | (point >> 6));
    store<u8>(into, 0x80 | (point & 63), 1);
    return into + 2;
  }
  if (point < 0x10000) {
    store<u8>(into, 0xe0 | (point >> 12));
    store<u8>(into, 0x80 | ((point >> 6) & 63), 1);
    store<u8>(into, 0x80 | (point & 63), 2);
    return into + 3;
  }
  store<u8>(into, 0xf0 | (point >> 18));
  store<u8>(into, 0x80 | ((point >> 12) & 63), 1);
  store<u8>(into, 0x80 | ((point >> 6) & 63), 2);
  store<u8>(into, 0x80 | (point & 63), 3);
  return into + 4;
}
