// Steps through bytes that are not kept. The byte at `end` is a newline, behind it there is room to read blocks.

import { backslashesOf, endsOf, escapesOf, lettersOf } from './blocks';
import { CARRIAGE, LOWER_E, NEWLINE, QUOTE, SPACE, specials, TAB } from './bytes';
import { escapeAt } from './escapes';

/** From `at` to the first byte that is not white space; newlines are if `document` is set, but for the one at `end`. */
export function skipSpace(at: usize, end: usize, document: bool): usize {
  let byte: u32 = load<u8>(at);
  while (byte == SPACE || byte == TAB || byte == CARRIAGE || (byte == NEWLINE && document && at != end)) {
    byte = load<u8>(++at);
  }
  return at;
}

/** From inside a string: its closing quote, or the byte that keeps one from going on to it. */
export function endOfText(at: usize, end: usize): usize {
  // Short strings end at once.
  const mask = specials(v128.load(at));
  if (mask != 0) {
    const first = at + ctz(mask);
    if (load<u8>(first) == QUOTE) return first;
  } else at += 16;
  while (true) {
    const a = v128.load(at);
    const b = v128.load(at, 16);
    const c = v128.load(at, 32);
    const d = v128.load(at, 48);
    let stops = endsOf(a, b, c, d);
    let escaped: u64 = 0;
    let open: u64 = 0;
    const backslashes = backslashesOf(a, b, c, d);
    if (backslashes != 0) {
      const escapes = escapesOf(backslashes);
      escaped = escapes ^ backslashes;
      open = (escapes & backslashes) >> 63;
      stops = (stops & ~escaped) | (escaped & ~lettersOf(a, b, c, d));
    }
    if (stops == 0) {
      at += 64 - <usize>open;
      continue;
    }
    const stop = ctz(stops);
    at += <usize>stop;
    if (((escaped >> stop) & 1) == 0) return at;
    // Not a letter that may stand alone: \u, something wrong, or the end of the bytes.
    at--;
    const escape = escapeAt(at, end);
    if (escape <= 0) return at;
    at += escape & 15;
  }
}

export function newlineFrom(at: usize): usize {
  while (true) {
    const mask = i8x16.bitmask(i8x16.eq(v128.load(at), i8x16.splat(0x0a)));
    if (mask != 0) return at + ctz(mask);
    at += 16;
  }
}

const TRUE: u32 = 0x65757274;
const FALS: u32 = 0x736c6166;
const NULL: u32 = 0x6c6c756e;

export function wordLength(at: usize): usize {
  const four = load<u32>(at);
  if (four == TRUE || four == NULL) return 4;
  return four == FALS && load<u8>(at, 4) == LOWER_E ? 5 : 0;
}

/** Whether the bytes from `at` to `end` are the start of a word. */
export function tornWord(at: usize, end: usize): bool {
  const first = load<u8>(at);
  let word: u64 = first == 0x74 ? TRUE : first == 0x6e ? NULL : FALS | (<u64>LOWER_E << 32);
  while (at < end && load<u8>(at) == (word & 0xff)) {
    at++;
    word >>= 8;
  }
  return at == end;
}
