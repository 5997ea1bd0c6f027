import { BACKSLASH, continues, LOWER_U, QUOTE } from './bytes.ts';
import { escapeAt } from './escapes.ts';

/**
 * The end of a long string, on bytes. What follows the kept beginning is written out as it comes, `from` to `to`, and cut
 * down when the string ends; a string that goes on and on is cut down between feeds to what may still be its end. The
 * kernel does the same (kernel/assembly/ends.ts).
 */

/** A character of JSON takes at most six bytes for each that it stands for; what is longer than this is certainly too long. */
const windowOf = (tail: number): number => 6 * tail + 64;

/** The quote behind the bytes ends every escape: there is none that goes on beyond them. */
const PAST = 12;

/**
 * Moves the longest end of whole characters with at most `tail` bytes to `from`; leaves all where that is at most `tail`
 * and `spare` bytes. Gives where it ends. Writes the closing quote's place, `to`.
 */
export function keepEnd(bytes: Uint8Array, from: number, to: number, tail: number, spare: number): number {
  bytes[to] = QUOTE;
  const start = to - from > windowOf(tail) ? boundaryFrom(bytes, from, to - windowOf(tail)) : from;
  let left = 0;
  for (let at = start; at < to; ) {
    const next = characterEnd(bytes, at, to);
    left += weight(bytes, at, next, to);
    at = next;
  }
  if (start === from && left <= tail + spare) return to;
  let at = start;
  while (left > tail) {
    const next = characterEnd(bytes, at, to);
    left -= weight(bytes, at, next, to);
    at = next;
  }
  bytes.copyWithin(from, at, to);
  return from + to - at;
}

/** Between feeds: drops what cannot be in the end any more. */
export function shorten(bytes: Uint8Array, from: number, to: number, tail: number): number {
  if (to - from <= 2 * windowOf(tail)) return to;
  bytes[to] = QUOTE;
  const start = boundaryFrom(bytes, from, to - windowOf(tail));
  bytes.copyWithin(from, start, to);
  return from + to - start;
}

/** The first character that begins at `at` or behind; one begins at `from`. */
function boundaryFrom(bytes: Uint8Array, from: number, at: number): number {
  if (escaped(bytes, from, at)) return bytes[at] === LOWER_U ? at + 5 : at + 1;
  for (let before = 1; before <= 4 && at - before > from; before++) {
    if (bytes[at - before] === LOWER_U && escaped(bytes, from, at - before)) return at - before + 5;
  }
  while (continues(bytes[at] as number)) at++;
  return at;
}

/** Whether an odd number of backslashes stands before `at`. */
function escaped(bytes: Uint8Array, from: number, at: number): boolean {
  let run = at;
  while (run > from && bytes[run - 1] === BACKSLASH) run--;
  return ((at - run) & 1) === 1;
}

/** Where the character at `at` ends: an escape, or a byte with those that continue it. */
function characterEnd(bytes: Uint8Array, at: number, to: number): number {
  if (bytes[at] === BACKSLASH) return at + Math.max(escapeAt(bytes, at, to + PAST) & 15, 1);
  do at++;
  while (at < to && continues(bytes[at] as number));
  return at;
}

/** The bytes that a character stands for. */
function weight(bytes: Uint8Array, at: number, next: number, to: number): number {
  return bytes[at] === BACKSLASH ? escapeAt(bytes, at, to + PAST) >> 4 : next - at;
}
