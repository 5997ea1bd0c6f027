/**
 * The number grammar of JSON as a table of states, so that a number can be left and taken up at any byte.
 * `NUMBER[state * 256 + byte]` is the next state, or 0 if the byte is no part of the number.
 */
export const NUMBER_START = 1;
const MINUS = 2;
const ZERO = 3;
const INTEGER = 4;
const POINT = 5;
const FRACTION = 6;
const EXPONENT = 7;
const SIGN = 8;
const POWER = 9;

export const NUMBER = new Uint8Array(10 * 256);

/** 1 for states in which a number may end. */
export const NUMBER_ENDS = new Uint8Array(10);
for (const state of [ZERO, INTEGER, FRACTION, POWER]) NUMBER_ENDS[state] = 1;

function step(from: number, bytes: string, to: number): void {
  for (const byte of bytes) NUMBER[from * 256 + byte.charCodeAt(0)] = to;
}

const DIGITS = '0123456789';
step(NUMBER_START, '-', MINUS);
for (const from of [NUMBER_START, MINUS]) {
  step(from, DIGITS, INTEGER);
  step(from, '0', ZERO);
}
step(INTEGER, DIGITS, INTEGER);
for (const from of [ZERO, INTEGER]) step(from, '.', POINT);
for (const from of [POINT, FRACTION]) step(from, DIGITS, FRACTION);
for (const from of [ZERO, INTEGER, FRACTION]) step(from, 'eE', EXPONENT);
step(EXPONENT, '+-', SIGN);
for (const from of [EXPONENT, SIGN, POWER]) step(from, DIGITS, POWER);
