/** The bytes that JSON is made of. */
export const TAB = 0x09;
export const NEWLINE = 0x0a;
export const CARRIAGE = 0x0d;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_ARRAY = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_ARRAY = 0x5d;
export const LOWER_U = 0x75;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

/** True for a byte of UTF-8 that is not the first of its character. */
export function continues(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
