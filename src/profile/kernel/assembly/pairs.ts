// Pairs of 32-bit numbers to dense ids, in the order in which they were first seen. Open addressing; a table lies at one
// address for good, what it points to moves when it grows.
import { alloc } from './memory';

const LENGTH: usize = 0;
const CAPACITY: usize = 4;
const FIRST: usize = 8;
const SECOND: usize = 12;
const SLOTS: usize = 16;
const HEADER: usize = 32;

/** A table for `capacity` pairs, a power of two; more are fine, but cost a rehash each time their number doubles. */
export function pairs(capacity: u32): usize {
  const table = alloc(<u64>HEADER);
  lay(table, capacity);
  return table;
}

function lay(table: usize, capacity: u32): void {
  const columns = <u32>alloc(<u64>capacity << 3);
  store<u32>(table, capacity, CAPACITY);
  store<u32>(table, columns, FIRST);
  store<u32>(table, columns + (capacity << 2), SECOND);
  store<u32>(table, <u32>alloc(<u64>capacity << 3), SLOTS);
}

export function pairsLength(table: usize): u32 {
  return load<u32>(table, LENGTH);
}

export function pairsFirst(table: usize): usize {
  return load<u32>(table, FIRST);
}

export function pairsSecond(table: usize): usize {
  return load<u32>(table, SECOND);
}

// @ts-expect-error: decorator
@inline
function hash(a: u32, b: u32): u32 {
  let h = (a * 0x9e3779b1) ^ (b * 0x85ebca6b);
  h ^= h >>> 15;
  h *= 0x2c1b3c6d;
  return h ^ (h >>> 13);
}

/** The id of a pair, new or known. */
export function pairId(table: usize, a: u32, b: u32): u32 {
  const first = <usize>load<u32>(table, FIRST);
  const second = <usize>load<u32>(table, SECOND);
  const slots = <usize>load<u32>(table, SLOTS);
  const mask = (load<u32>(table, CAPACITY) << 1) - 1;
  let slot = hash(a, b) & mask;
  for (;;) {
    const held = load<u32>(slots + (<usize>slot << 2));
    if (held === 0) break;
    const at = (<usize>held - 1) << 2;
    if (load<u32>(first + at) === a && load<u32>(second + at) === b) return held - 1;
    slot = (slot + 1) & mask;
  }
  const length = load<u32>(table, LENGTH);
  if (length === load<u32>(table, CAPACITY)) {
    grow(table);
    return pairId(table, a, b);
  }
  store<u32>(first + (<usize>length << 2), a);
  store<u32>(second + (<usize>length << 2), b);
  store<u32>(slots + (<usize>slot << 2), length + 1);
  store<u32>(table, length + 1, LENGTH);
  return length;
}

/** One column moves to where the slots were, which are made anew; the other gets the room of both, if they lie side by side. */
function grow(table: usize): void {
  const length = load<u32>(table, LENGTH);
  const capacity = load<u32>(table, CAPACITY) << 1;
  const lower = load<u32>(table, FIRST) < load<u32>(table, SECOND) ? FIRST : SECOND;
  const upper = lower === FIRST ? SECOND : FIRST;
  const below = load<u32>(table + lower);
  const above = load<u32>(table + upper);
  const apart = load<u32>(table, SLOTS);
  const both = above - below === capacity << 1 ? below : <u32>alloc(<u64>capacity << 2);
  memory.copy(<usize>apart, <usize>below, <usize>length << 2);
  memory.copy(<usize>both, <usize>above, <usize>length << 2);
  store<u32>(table + lower, apart);
  store<u32>(table + upper, both);
  const slots = alloc(<u64>capacity << 3);
  store<u32>(table, <u32>slots, SLOTS);
  store<u32>(table, capacity, CAPACITY);
  const first = <usize>load<u32>(table, FIRST);
  const second = <usize>load<u32>(table, SECOND);
  const mask = (capacity << 1) - 1;
  for (let id: u32 = 0; id < length; id++) {
    const at = <usize>id << 2;
    let slot = hash(load<u32>(first + at), load<u32>(second + at)) & mask;
    while (load<u32>(slots + (<usize>slot << 2)) !== 0) slot = (slot + 1) & mask;
    store<u32>(slots + (<usize>slot << 2), id + 1);
  }
}
