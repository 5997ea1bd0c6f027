// Sixty-four bytes of a string at once, as masks with one bit a byte: nothing here branches on what the bytes are.

// @ts-ignore: decorator
@inline
function maskOf(a: v128, b: v128, c: v128, d: v128): u64 {
  return (
    <u64>(<u32>i8x16.bitmask(a) | (<u32>i8x16.bitmask(b) << 16)) |
    (<u64>(<u32>i8x16.bitmask(c) | (<u32>i8x16.bitmask(d) << 16)) << 32)
  );
}

// @ts-ignore: decorator
@inline
function isEnd(block: v128): v128 {
  return v128.or(i8x16.eq(block, i8x16.splat(0x22)), i8x16.le_u(block, i8x16.splat(0x1f)));
}

/** Quotes and controls. */
// @ts-ignore: decorator
@inline
export function endsOf(a: v128, b: v128, c: v128, d: v128): u64 {
  return maskOf(isEnd(a), isEnd(b), isEnd(c), isEnd(d));
}

// @ts-ignore: decorator
@inline
export function backslashesOf(a: v128, b: v128, c: v128, d: v128): u64 {
  const backslash = i8x16.splat(0x5c);
  return maskOf(i8x16.eq(a, backslash), i8x16.eq(b, backslash), i8x16.eq(c, backslash), i8x16.eq(d, backslash));
}

// Letters that may follow a backslash alone, by their halves: a bit for each high half (2, 5, 6, 7), and for each low
// half the bits of the high halves that make such a letter with it.
const HIGH: v128 = v128(0, 0, 1, 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0);
const LOW: v128 = v128(0, 0, 13, 0, 8, 0, 4, 0, 0, 0, 0, 0, 2, 0, 4, 1);

// @ts-ignore: decorator
@inline
function isLetter(block: v128): v128 {
  const low = i8x16.swizzle(LOW, v128.and(block, i8x16.splat(0x0f)));
  const high = i8x16.swizzle(HIGH, v128.and(i16x8.shr_u(block, 4), i8x16.splat(0x0f)));
  return i8x16.ne(v128.and(low, high), i8x16.splat(0));
}

/** Letters that may follow a backslash alone. */
// @ts-ignore: decorator
@inline
export function lettersOf(a: v128, b: v128, c: v128, d: v128): u64 {
  return maskOf(isLetter(a), isLetter(b), isLetter(c), isLetter(d));
}

const ODD: u64 = 0xaaaaaaaaaaaaaaaa;

/**
 * Of the backslashes of a block that starts outside of an escape: those that start an escape, and with them the bytes
 * that they escape. In a run of backslashes every second one starts an escape, counted from its first; the subtraction
 * carries through a run, and so tells even places from odd ones (as simdjson does).
 */
// @ts-ignore: decorator
@inline
export function escapesOf(backslashes: u64): u64 {
  return (((backslashes << 1) | ODD) - backslashes) ^ ODD;
}
