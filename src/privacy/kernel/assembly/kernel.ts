// HMAC-SHA-256 (RFC 2104, FIPS 180-4) of many short texts under one key.

/** The round constants. */
const K: usize = memory.data<u32>([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]);
const START: usize = memory.data<u32>([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
]);

const BLOCK: u32 = 64;
/** Bytes of a digest and of a state. */
const STATE: u32 = 32;
/** The longest text. */
const MOST: u32 = 4096;

/** Schedule of a block; states after the two blocks of the key, and the one at work; the outer block; the text and its padding. */
const W: usize = memory.data(256);
const INNER: usize = memory.data(32);
const OUTER: usize = memory.data(32);
const WORK: usize = memory.data(32);
const AROUND: usize = memory.data(64);
const TEXT: usize = memory.data(4096 + 128);
const HEX: usize = memory.data(64);

export function textAt(): usize {
  return TEXT;
}

export function most(): u32 {
  return MOST;
}

export function hexAt(): usize {
  return HEX;
}

/** Takes a key of at most one block, which stands where texts do, and forgets it there. */
export function key(length: u32): void {
  memory.fill(TEXT + length, 0, BLOCK - length);
  for (let i: u32 = 0; i < BLOCK; i++) store<u8>(TEXT + i, load<u8>(TEXT + i) ^ 0x36);
  memory.copy(INNER, START, STATE);
  compress(INNER, TEXT);
  for (let i: u32 = 0; i < BLOCK; i++) store<u8>(TEXT + i, load<u8>(TEXT + i) ^ (0x36 ^ 0x5c));
  memory.copy(OUTER, START, STATE);
  compress(OUTER, TEXT);
  memory.fill(TEXT, 0, BLOCK);
}

/** The keyed hash of the text of so many bytes, as hexadecimal digits, of which the first `bytes` bytes are written. */
export function hmac(length: u32, bytes: u32): void {
  memory.copy(WORK, INNER, STATE);
  const end = pad(TEXT, length);
  for (let at: usize = TEXT; at < TEXT + end; at += BLOCK) compress(WORK, at);
  for (let i: u32 = 0; i < STATE; i += 4) store<u32>(AROUND + i, bswap<u32>(load<u32>(WORK + i)));
  memory.copy(WORK, OUTER, STATE);
  pad(AROUND, STATE);
  compress(WORK, AROUND);
  for (let i: u32 = 0; i < bytes; i++) {
    const byte = <u8>(load<u32>(WORK + (i & ~3)) >> ((3 - (i & 3)) << 3));
    store<u8>(HEX + (i << 1), digit(byte >> 4));
    store<u8>(HEX + (i << 1) + 1, digit(byte & 15));
  }
}

function digit(value: u8): u8 {
  return value < 10 ? 48 + value : 87 + value;
}

/** Ends a message that follows one block (of the key); gives its length in bytes, a multiple of a block. */
function pad(at: usize, length: u32): u32 {
  const end = (length + 9 + BLOCK - 1) & ~(BLOCK - 1);
  memory.fill(at + length, 0, end - length);
  store<u8>(at + length, 0x80);
  store<u64>(at + end - 8, bswap<u64>((<u64>(length + BLOCK)) << 3));
  return end;
}

function compress(state: usize, block: usize): void {
  for (let i: usize = 0; i < 64; i += 4) store<u32>(W + i, bswap<u32>(load<u32>(block + i)));
  for (let i: usize = 64; i < 256; i += 4) {
    const a = load<u32>(W + i - 60);
    const b = load<u32>(W + i - 8);
    const small = rotr<u32>(a, 7) ^ rotr<u32>(a, 18) ^ (a >> 3);
    const large = rotr<u32>(b, 17) ^ rotr<u32>(b, 19) ^ (b >> 10);
    store<u32>(W + i, load<u32>(W + i - 64) + small + load<u32>(W + i - 28) + large);
  }
  let a = load<u32>(state);
  let b = load<u32>(state, 4);
  let c = load<u32>(state, 8);
  let d = load<u32>(state, 12);
  let e = load<u32>(state, 16);
  let f = load<u32>(state, 20);
  let g = load<u32>(state, 24);
  let h = load<u32>(state, 28);
  for (let i: usize = 0; i < 256; i += 4) {
    const one = h + (rotr<u32>(e, 6) ^ rotr<u32>(e, 11) ^ rotr<u32>(e, 25)) + ((e & f) ^ (~e & g)) + load<u32>(K + i) + load<u32>(W + i);
    const two = (rotr<u32>(a, 2) ^ rotr<u32>(a, 13) ^ rotr<u32>(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + one;
    d = c;
    c = b;
    b = a;
    a = one + two;
  }
  store<u32>(state, load<u32>(state) + a);
  store<u32>(state, load<u32>(state, 4) + b, 4);
  store<u32>(state, load<u32>(state, 8) + c, 8);
  store<u32>(state, load<u32>(state, 12) + d, 12);
  store<u32>(state, load<u32>(state, 16) + e, 16);
  store<u32>(state, load<u32>(state, 20) + f, 20);
  store<u32>(state, load<u32>(state, 24) + g, 24);
  store<u32>(state, load<u32>(state, 28) + h, 28);
}
