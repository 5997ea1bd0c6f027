import type { Sink } from './sink.ts';

/**
 * The protocol buffers wire format, as much of it as a writer needs
 * (https://protobuf.dev/programming-guides/encoding/): base-128 varints, and fields of wire type 0 and 2.
 */

/** Wire types. */
const VARINT = 0;
const BYTES = 2;

/** Longest varint: ten groups of seven bits hold 64. */
export const MAX_VARINT = 10;

/** Low half first or last in the two 32-bit words of a 64-bit array element: the machine's byte order. */
export const LOW_HALF = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 0 : 1;

/** Both 32-bit words of every element, in memory order: reading them makes no BigInt. */
export function halvesOf(values: BigInt64Array): Int32Array {
  return new Int32Array(values.buffer, values.byteOffset, values.length * 2);
}

/** Bytes of a non-negative safe integer as a varint. */
export function varintLength(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x200000) return 3;
  let length = 4;
  for (let rest = Math.floor(value / 0x10000000); rest > 0; rest = Math.floor(rest / 0x80)) length++;
  return length;
}

/** Writes a non-negative safe integer at `at`; gives the position after it. The room must be there. */
export function putVarint(bytes: Uint8Array, at: number, value: number): number {
  while (value >= 0x80) {
    if (value < 0x80000000) {
      bytes[at++] = (value & 0x7f) | 0x80;
      value >>>= 7;
    } else {
      bytes[at++] = (value % 0x80) | 0x80;
      value = Math.floor(value / 0x80);
    }
  }
  bytes[at++] = value;
  return at;
}

/**
 * Writes a 64-bit integer given as its halves (any sign of the numbers: only their bits count) at `at`; gives the
 * position after it. A negative one takes ten bytes, as the format wants of int64.
 */
export function putInt64(bytes: Uint8Array, at: number, low: number, high: number): number {
  low >>>= 0;
  high >>>= 0;
  while (high !== 0) {
    bytes[at++] = (low & 0x7f) | 0x80;
    low = ((low >>> 7) | (high << 25)) >>> 0;
    high >>>= 7;
  }
  while (low >= 0x80) {
    bytes[at++] = (low & 0x7f) | 0x80;
    low >>>= 7;
  }
  bytes[at++] = low;
  return at;
}

/** Collects one message, or a run of fields, in a buffer that grows. Where a sink is given, full buffers go there. */
export class ProtoWriter {
  bytes: Uint8Array;
  length = 0;
  private readonly sink: Sink | undefined;

  constructor(capacity: number, sink?: Sink) {
    this.bytes = new Uint8Array(capacity);
    this.sink = sink;
  }

  /** Makes sure that `room` more bytes fit; what was written may have moved to the sink by then. */
  ensure(room: number): void {
    if (this.length + room <= this.bytes.length) return;
    if (this.sink !== undefined) {
      this.flush();
      if (room > this.bytes.length) this.bytes = new Uint8Array(room);
      return;
    }
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.length + room));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }

  /** A field of wire type 0; zero, the default, is left out. */
  number(field: number, value: number): void {
    if (value === 0) return;
    this.ensure(2 * MAX_VARINT);
    this.length = putVarint(this.bytes, this.length, field * 8 + VARINT);
    this.length = putVarint(this.bytes, this.length, value);
  }

  /** The same for a signed 64-bit value. */
  int64(field: number, value: bigint): void {
    if (value === 0n) return;
    this.ensure(2 * MAX_VARINT);
    this.length = putVarint(this.bytes, this.length, field * 8 + VARINT);
    const low = Number(BigInt.asUintN(32, value));
    const high = Number(BigInt.asUintN(32, value >> 32n));
    this.length = putInt64(this.bytes, this.length, low, high);
  }

  /** A field of wire type 2: a message, a packed list or bytes. */
  message(field: number, bytes: Uint8Array): void {
    this.ensure(2 * MAX_VARINT + bytes.length);
    this.length = putVarint(this.bytes, this.length, field * 8 + BYTES);
    this.length = putVarint(this.bytes, this.length, bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** A string as UTF-8; the empty one is written too, since a string table counts on it. */
  text(field: number, text: string): void {
    const bytes = Buffer.from(text, 'utf8');
    this.message(field, bytes);
  }

  /** What was collected, valid until the next write. */
  view(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  /** Hands over what was collected and starts a fresh buffer, because a chunk belongs to its sink. */
  flush(): void {
    if (this.sink === undefined || this.length === 0) return;
    this.sink(this.view());
    this.bytes = new Uint8Array(this.bytes.length);
    this.length = 0;
  }

  clear(): void {
    this.length = 0;
  }
}
