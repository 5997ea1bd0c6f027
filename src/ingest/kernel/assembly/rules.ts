// The compiled rule: see ../../keep-table.ts for its layout. Here a node is the address of its words; 0 is "drop".

const NODE_SHIFT: usize = 5;
const SLOT_SHIFT: usize = 4;

export const DROP: usize = 0;

/** Where the words and the key bytes of the rule lie. */
let words: usize = 0;
let keys: usize = 0;

export function setRules(wordsAt: usize, keysAt: usize): void {
  words = wordsAt;
  keys = keysAt;
}

// @ts-ignore: decorator
@inline
export function rootNode(): usize {
  return words;
}

/** Bytes a string at this node may have. */
// @ts-ignore: decorator
@inline
export function cutOf(node: usize): usize {
  return load<u32>(node);
}

/** Bytes that are kept of the end of a longer string. */
// @ts-ignore: decorator
@inline
export function tailOf(node: usize): usize {
  return load<u32>(node, 16);
}

/** The node for the key in [from, to) below `node`. Up to 16 bytes behind the key are read, and ignored. */
export function childOf(node: usize, from: usize, to: usize): usize {
  const mask = load<i32>(node, 12);
  if (mask >= 0) {
    const length = <u32>(to - from);
    const hash = hashBytes(from, to, length);
    const slots = words + (<usize>load<u32>(node, 8) << 2);
    let slot = hash & mask;
    for (;;) {
      const entry = slots + (<usize>slot << SLOT_SHIFT);
      const known = load<i32>(entry, 4);
      if (known < 0) break;
      if (load<u32>(entry, 12) == hash && known == length && same(from, keys + load<u32>(entry), length)) {
        return words + (<usize>load<u32>(entry, 8) << NODE_SHIFT);
      }
      slot = (slot + 1) & mask;
    }
  }
  const rest = load<i32>(node, 4);
  return rest < 0 ? DROP : words + (<usize>rest << NODE_SHIFT);
}

// @ts-ignore: decorator
@inline
function hashBytes(from: usize, to: usize, length: u32): u32 {
  let first: u32 = 0;
  let last: u32 = 0;
  if (length >= 4) {
    first = load<u32>(from);
    last = load<u32>(to - 4);
  } else if (length > 0) {
    first = <u32>load<u8>(from) | (<u32>load<u8>(from + (length >> 1)) << 8) | (<u32>load<u8>(to - 1) << 16);
  }
  const hash = (first ^ (last * 0x9e3779b1) ^ length) * 0x85ebca6b;
  return hash ^ (hash >> 15);
}

// @ts-ignore: decorator
@inline
function same(a: usize, b: usize, length: u32): bool {
  for (; length > 16; length -= 16, a += 16, b += 16) {
    if (v128.any_true(v128.xor(v128.load(a), v128.load(b)))) return false;
  }
  const equal = i8x16.bitmask(i8x16.eq(v128.load(a), v128.load(b)));
  const wanted = (1 << length) - 1;
  return (equal & wanted) == wanted;
}
