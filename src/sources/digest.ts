/** What of a tool call's arguments is kept: a 64-bit hash for telling equal calls, and how long they are. */
export interface Digest {
  high: number;
  low: number;
  /** Characters of all strings and keys. */
  characters: number;
}

/** Deeper values are the same as none: no tool nests so deep, and a hostile one must not exhaust the stack. */
const DEEPEST = 64;

/** Of the middle of texts longer than twice this (whole files written), four characters of each 32 are looked at. */
const LONG = 1024;
const STRIDE = 32;

/** Two lanes that take turns, two characters at a time: arguments may be a megabyte. */
let even = 0;
let odd = 0;
let characters = 0;

/** Digests arguments by value; keys count in their order. Writes into `into`, which callers on the hot path reuse. */
export function digest(value: unknown, into: Digest = { high: 0, low: 0, characters: 0 }): Digest {
  even = 0x811c9dc5;
  odd = 0x9747b28c;
  characters = 0;
  add(value, 0);
  into.high = final(even);
  into.low = final(odd) || 1;
  into.characters = characters;
  return into;
}

function add(value: unknown, depth: number): void {
  switch (typeof value) {
    case 'string':
      addText(value);
      return;
    case 'object':
      if (value === null) mark(1);
      else if (depth > DEEPEST) mark(2);
      else if (Array.isArray(value)) {
        mark(3 + value.length);
        for (const element of value) add(element, depth + 1);
      } else {
        mark(4);
        for (const key of Object.keys(value)) {
          addText(key);
          add((value as Record<string, unknown>)[key], depth + 1);
        }
      }
      return;
    default:
      addText(String(value));
  }
}

function mark(what: number): void {
  even = Math.imul(even ^ what, 0x01000193);
  odd = Math.imul(odd ^ what, 0x5bd1e995);
}

function addText(text: string): void {
  const { length } = text;
  characters += length;
  let a = even ^ length;
  let b = odd;
  let at = 0;
  for (; at + 3 < length; at += at >= LONG && at < length - LONG ? STRIDE : 4) {
    a = Math.imul(a ^ (text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16)), 0x01000193) ^ (a >>> 15);
    b = Math.imul(b ^ (text.charCodeAt(at + 2) | (text.charCodeAt(at + 3) << 16)), 0x5bd1e995) ^ (b >>> 13);
  }
  for (; at < length; at++) {
    a = Math.imul(a ^ text.charCodeAt(at), 0x01000193);
    b = Math.imul(b ^ text.charCodeAt(at), 0x5bd1e995);
  }
  even = a ^ (a >>> 15);
  odd = b ^ (b >>> 13);
}

function final(lane: number): number {
  let h = lane ^ (lane >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
