// The end of a long string: see ../../ends.ts, which says the same in JavaScript.

import { BACKSLASH, continues, LOWER_U, QUOTE } from './bytes';
import { escapeAt } from './escapes';

/** The quote behind the bytes ends every escape: there is none that goes on beyond them. */
const PAST: usize = 12;

// @ts-ignore: decorator
@inline
function windowOf(tail: usize): usize {
  return 6 * tail + 64;
}

/** Moves the end of the string that is written from `from` to `to` to where the rest of it began; gives where it ends. */
export function keepEnd(from: usize, to: usize, tail: usize, spare: usize): usize {
  store<u8>(to, QUOTE);
  const start = to - from > windowOf(tail) ? boundaryFrom(from, to - windowOf(tail)) : from;
  let left: usize = 0;
  for (let at = start; at < to; ) {
    const next = characterEnd(at, to);
    left += weight(at, next, to);
    at = next;
  }
  if (start == from && left <= tail + spare) return to;
  let at = start;
  while (left > tail) {
    const next = characterEnd(at, to);
    left -= weight(at, next, to);
    at = next;
  }
  memory.copy(from, at, to - at);
  return from + to - at;
}

/** Between feeds: drops what cannot be in the end any more. */
export function shorten(from: usize, to: usize, tail: usize): usize {
  if (to - from <= 2 * windowOf(tail)) return to;
  store<u8>(to, QUOTE);
  const start = boundaryFrom(from, to - windowOf(tail));
  memory.copy(from, start, to - start);
  return from + to - start;
}

/** The first character that begins at `at` or behind; one begins at `from`. */
function boundaryFrom(from: usize, at: usize): usize {
  if (escaped(from, at)) return load<u8>(at) == LOWER_U ? at + 5 : at + 1;
  for (let before: usize = 1; before <= 4 && at - before > from; before++) {
    if (load<u8>(at - before) == LOWER_U && escaped(from, at - before)) return at - before + 5;
  }
  while (continues(load<u8>(at))) at++;
  return at;
}

/** Whether an odd number of backslashes stands before `at`. */
function escaped(from: usize, at: usize): bool {
  let run = at;
  while (run > from && load<u8>(run - 1) == BACKSLASH) run--;
  return ((at - run) & 1) == 1;
}

/** Where the character at `at` ends: an escape, or a byte with those that continue it. */
function characterEnd(at: usize, to: usize): usize {
  if (load<u8>(at) == BACKSLASH) {
    const length = escapeAt(at, to + PAST) & 15;
    return at + (length > 1 ? length : 1);
  }
  do at++;
  while (at < to && continues(load<u8>(at)));
  return at;
}

/** The bytes that a character stands for. */
function weight(at: usize, next: usize, to: usize): usize {
  return load<u8>(at) == BACKSLASH ? <usize>(escapeAt(at, to + PAST) >> 4) : next - at;
}
