// The number grammar of JSON as states: see ../../numbers.ts.

import { isDigit, LOWER_E, MINUS, POINT, ZERO } from './bytes';

export const START: u32 = 1;
const SIGNED: u32 = 2;
const LEADING_ZERO: u32 = 3;
const INTEGER: u32 = 4;
const POINTED: u32 = 5;
const FRACTION: u32 = 6;
const EXPONENT: u32 = 7;
const EXPONENT_SIGNED: u32 = 8;
const POWER: u32 = 9;

const PLUS: u32 = 0x2b;

/** Whether a number may end in this state. */
// @ts-ignore: decorator
@inline
export function mayEnd(state: u32): bool {
  return state == LEADING_ZERO || state == INTEGER || state == FRACTION || state == POWER;
}

/** The state after one more byte, 0 if the byte is no part of the number. */
export function nextState(state: u32, byte: u32): u32 {
  if (isDigit(byte)) {
    if (state == START || state == SIGNED) return byte == ZERO ? LEADING_ZERO : INTEGER;
    if (state == INTEGER) return INTEGER;
    if (state == POINTED || state == FRACTION) return FRACTION;
    return state == LEADING_ZERO ? 0 : POWER;
  }
  if (byte == MINUS) {
    if (state == START) return SIGNED;
    return state == EXPONENT ? EXPONENT_SIGNED : 0;
  }
  if (byte == PLUS) return state == EXPONENT ? EXPONENT_SIGNED : 0;
  if (byte == POINT) return state == LEADING_ZERO || state == INTEGER ? POINTED : 0;
  if ((byte | 0x20) == LOWER_E) {
    return state == LEADING_ZERO || state == INTEGER || state == FRACTION ? EXPONENT : 0;
  }
  return 0;
}
