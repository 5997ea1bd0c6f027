import type { Ends, Keep, Keys } from './keep.ts';
import { endsOf, isKeys } from './prune.ts';

/**
 * A rule compiled to numbers, the form both scanners read. Node 0 is the root. A node is eight words:
 * head (bytes of a string here), rest (node of unnamed keys, or DROP), slotAt (word index of its first slot), mask (slots
 * minus one, or -1 if it names no key), tail (bytes of a string's end), and three that are free. A plain number is a
 * node without names whose rest is itself.
 * A slot is four words: keyAt and keyLength (into `keys`; length -1 is an empty slot), node, and the key's hash.
 * Slots of a node are a power of two, probed linearly, never full.
 */
export interface KeepTable {
  readonly words: Int32Array;
  readonly keys: Uint8Array;
}

export const DROP = -1;
/** More is not needed, and windows around it stay numbers of 32 bits. */
const LONGEST_TAIL = 1 << 24;
export const NODE_WORDS = 8;
export const SLOT_WORDS = 4;

const byIdentity = new WeakMap<Keys | Ends, KeepTable>();
const byNumber = new Map<number, KeepTable>();

/** The compiled form, made once for each rule object (and for each plain number). */
export function compileKeep(keep: Keep): KeepTable {
  let table = typeof keep === 'number' ? byNumber.get(keep) : byIdentity.get(keep);
  if (!table) {
    table = compile(keep);
    if (typeof keep === 'number') byNumber.set(keep, table);
    else byIdentity.set(keep, table);
  }
  return table;
}

function compile(root: Keep): KeepTable {
  const nodes: Keep[] = [];
  const numbers = new Map<Keep, number>();
  const nodeOf = (keep: Keep): number => {
    let node = numbers.get(keep);
    if (node === undefined) {
      node = nodes.push(keep) - 1;
      numbers.set(keep, node);
      if (isKeys(keep)) {
        for (const child of Object.values(keep.keys)) nodeOf(child);
        if (keep.rest !== undefined) nodeOf(keep.rest);
      }
    }
    return node;
  };
  nodeOf(root);

  const words: number[] = new Array(nodes.length * NODE_WORDS).fill(0);
  const keys: number[] = [];
  nodes.forEach((keep, node) => {
    const entries = isKeys(keep) ? Object.entries(keep.keys) : [];
    const rest = !isKeys(keep) ? node : keep.rest === undefined ? DROP : nodeOf(keep.rest);
    const { head, tail } = endsOf(keep);
    const size = entries.length === 0 ? 0 : 2 << Math.ceil(Math.log2(entries.length));
    const slotAt = words.length;
    const free = [0, 0, 0];
    words.splice(
      node * NODE_WORDS,
      NODE_WORDS,
      wholeBytes(head),
      rest,
      slotAt,
      size - 1,
      wholeBytes(Math.min(tail, LONGEST_TAIL)),
      ...free,
    );
    for (let slot = 0; slot < size; slot++) words.push(0, -1, 0, 0);
    for (const [key, child] of entries) {
      const bytes = keyBytes(key);
      const hash = hashBytes(bytes, 0, bytes.length);
      let slot = hash & (size - 1);
      while (words[slotAt + slot * SLOT_WORDS + 1] !== -1) slot = (slot + 1) & (size - 1);
      words.splice(slotAt + slot * SLOT_WORDS, SLOT_WORDS, keys.length, bytes.length, nodeOf(child), hash);
      keys.push(...bytes);
    }
  });
  return { words: Int32Array.from(words), keys: Uint8Array.from(keys) };
}

function wholeBytes(cut: number): number {
  return Number.isNaN(cut) ? 0 : Math.min(Math.max(Math.floor(cut), 0), 0x7fffffff);
}

/** UTF-8 of a key; a lone surrogate gives the three bytes that `unescapeKey` gives for it. */
function keyBytes(key: string): number[] {
  const bytes: number[] = [];
  for (const character of key) pushPoint(bytes, character.codePointAt(0) as number);
  return bytes;
}

export function pushPoint(bytes: number[], point: number): void {
  if (point < 0x80) bytes.push(point);
  else if (point < 0x800) bytes.push(0xc0 | (point >> 6), 0x80 | (point & 63));
  else if (point < 0x10000) bytes.push(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
  else {
    bytes.push(0xf0 | (point >> 18), 0x80 | ((point >> 12) & 63), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
  }
}

/** Hash of a key's bytes [from, to): its ends and its length, as cheap in the kernel as here. */
export function hashBytes(bytes: ArrayLike<number>, from: number, to: number): number {
  const length = to - from;
  let first = 0;
  let last = 0;
  if (length >= 4) {
    first = word(bytes, from);
    last = word(bytes, to - 4);
  } else if (length > 0) {
    first = at(bytes, from) | (at(bytes, from + (length >> 1)) << 8) | (at(bytes, to - 1) << 16);
  }
  const hash = Math.imul(first ^ Math.imul(last, 0x9e3779b1) ^ length, 0x85ebca6b);
  return hash ^ (hash >>> 15);
}

function word(bytes: ArrayLike<number>, from: number): number {
  return at(bytes, from) | (at(bytes, from + 1) << 8) | (at(bytes, from + 2) << 16) | (at(bytes, from + 3) << 24);
}

function at(bytes: ArrayLike<number>, index: number): number {
  return bytes[index] as number;
}

/** The node for the key in bytes [from, to) below `node`; the bytes are unescaped UTF-8. DROP if it is unwanted. */
export function childOf(table: KeepTable, node: number, bytes: Uint8Array, from: number, to: number): number {
  const { words, keys } = table;
  const mask = words[node * NODE_WORDS + 3] as number;
  if (mask >= 0) {
    const slotAt = words[node * NODE_WORDS + 2] as number;
    const hash = hashBytes(bytes, from, to);
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const entry = slotAt + slot * SLOT_WORDS;
      const length = words[entry + 1] as number;
      if (length < 0) break;
      if (length !== to - from || words[entry + 3] !== hash) continue;
      const keyAt = words[entry] as number;
      let same = 0;
      while (same < length && keys[keyAt + same] === bytes[from + same]) same++;
      if (same === length) return words[entry + 2] as number;
    }
  }
  return words[node * NODE_WORDS + 1] as number;
}
