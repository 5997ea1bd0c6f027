// Bytes of JSON, and what may follow what. The tables are the same as in the plain scanner.

export const TAB: u32 = 0x09;
export const NEWLINE: u32 = 0x0a;
export const CARRIAGE: u32 = 0x0d;
export const SPACE: u32 = 0x20;
export const QUOTE: u32 = 0x22;
export const COMMA: u32 = 0x2c;
export const MINUS: u32 = 0x2d;
export const POINT: u32 = 0x2e;
export const ZERO: u32 = 0x30;
export const COLON: u32 = 0x3a;
export const OPEN_ARRAY: u32 = 0x5b;
export const BACKSLASH: u32 = 0x5c;
export const CLOSE_ARRAY: u32 = 0x5d;
export const LOWER_E: u32 = 0x65;
export const LOWER_U: u32 = 0x75;
export const OPEN_OBJECT: u32 = 0x7b;
export const CLOSE_OBJECT: u32 = 0x7d;

/** Letters that may follow a backslash alone, as bits of two words: `"` and `/` below 0x40, the others from 0x40 on. */
const SIMPLE_LOW: u64 = (1 << 0x22) | (1 << 0x2f);
const SIMPLE_HIGH: u64 =
  (1 << (0x5c - 0x40)) |
  (1 << (0x62 - 0x40)) |
  (1 << (0x66 - 0x40)) |
  (1 << (0x6e - 0x40)) |
  (1 << (0x72 - 0x40)) |
  (1 << (0x74 - 0x40));

// @ts-ignore: decorator
@inline
export function isSimple(letter: u32): bool {
  const word = letter < 0x40 ? SIMPLE_LOW : SIMPLE_HIGH;
  return letter < 0x80 && ((word >> (letter & 0x3f)) & 1) != 0;
}

// @ts-ignore: decorator
@inline
export function isDigit(byte: u32): bool {
  return byte - ZERO < 10;
}

// @ts-ignore: decorator
@inline
export function continues(byte: u32): bool {
  return (byte & 0xc0) == 0x80;
}

/** One bit a byte for the quote, the backslash and controls: all that ends a run of plain bytes in a string. */
// @ts-ignore: decorator
@inline
export function specials(block: v128): u32 {
  return <u32>(
    i8x16.bitmask(
      v128.or(
        v128.or(i8x16.eq(block, i8x16.splat(0x22)), i8x16.eq(block, i8x16.splat(0x5c))),
        i8x16.le_u(block, i8x16.splat(0x1f)),
      ),
    )
  );
}
