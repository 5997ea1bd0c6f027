// Samples of profile.proto, a block at a time. All room is the caller's; lengths are of 32-bit or 64-bit cells.

/** First bytes of a sample and of its parts: field number times 8 plus wire type 2. */
const SAMPLE: u8 = 0x12;
const LOCATIONS: u8 = 0x0a;
const VALUES: u8 = 0x12;

/** The node whose locations were written last, and where they end: samples come sorted by stack. */
let lastNode: u32 = 0;
let lastEnd: usize = 0;

/** Where the caller's room begins. */
export function freeAt(): usize {
  return (__heap_base + 15) & ~15;
}

// @ts-expect-error: decorator
@inline
function varint(at: usize, value: u64): usize {
  while (value >= 0x80) {
    store<u8>(at++, <u8>(value | 0x80));
    value >>= 7;
  }
  store<u8>(at, <u8>value);
  return at + 1;
}

// @ts-expect-error: decorator
@inline
function varintLength(value: u32): u32 {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x200000) return 3;
  return value < 0x10000000 ? 4 : 5;
}

/** Location ids, one above those of the frames, innermost first. */
function locations(node: u32, parents: usize, frames: usize, at: usize): usize {
  while (node !== 0) {
    const cell = <usize>node << 2;
    at = varint(at, load<u32>(frames + cell) + 1);
    node = load<u32>(parents + cell);
  }
  return at;
}

/**
 * Writes samples until all `count` of a block are written or the output has no room for another; gives how many. The
 * column of measure m lies at `values` plus m times `stride`. The labels of set s are the bytes from `labelFirst[s]` to
 * `labelFirst[s + 1]` behind `labels`. `scratch` has room for the locations of the deepest stack and, behind it, a varint a
 * measure. How many bytes were written stands at `scratch` afterwards: it is a cell of its own in front.
 */
export function samples(
  nodes: usize, sets: usize, values: usize, stride: usize, measures: u32, from: u32, count: u32,
  parents: usize, frames: usize, labelFirst: usize, labels: usize,
  deepest: u32, scratch: usize, out: usize, room: usize,
): u32 {
  const stack = scratch + 16;
  const numbers = stack + <usize>deepest * 5;
  if (lastEnd === 0) lastEnd = stack;
  const start = out;
  const end = out + room;
  let i = from;
  for (; i < count; i++) {
    const node = load<u32>(nodes + (<usize>i << 2));
    if (node !== lastNode) {
      lastEnd = locations(node, parents, frames, stack);
      lastNode = node;
    }
    let number = numbers;
    for (let m: u32 = 0; m < measures; m++)
      number = varint(number, load<u64>(values + <usize>m * stride + (<usize>i << 3)));
    const set = labelFirst + (<usize>load<u32>(sets + (<usize>i << 2)) << 2);
    const labelsAt = labels + load<u32>(set);
    const labelsLength = load<u32>(set, 4) - load<u32>(set);
    const stackLength = <u32>(lastEnd - stack);
    const valuesLength = <u32>(number - numbers);
    let length = 1 + varintLength(valuesLength) + valuesLength + labelsLength;
    if (stackLength > 0) length += 1 + varintLength(stackLength) + stackLength;
    if (out + length + 6 > end) break;
    store<u8>(out, SAMPLE);
    out = varint(out + 1, length);
    if (stackLength > 0) {
      store<u8>(out, LOCATIONS);
      out = varint(out + 1, stackLength);
      memory.copy(out, stack, stackLength);
      out += stackLength;
    }
    store<u8>(out, VALUES);
    out = varint(out + 1, valuesLength);
    memory.copy(out, numbers, valuesLength);
    out += valuesLength;
    memory.copy(out, labelsAt, labelsLength);
    out += labelsLength;
  }
  store<u32>(scratch, <u32>(out - start));
  return i - from;
}
