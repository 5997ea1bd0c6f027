/** The message does not follow the wire format: broken off, or not a message of this kind. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

/**
 * Reads the fields of one protocol buffers message in order
 * (https://protobuf.dev/programming-guides/encoding/). Throws WireError.
 */
export class Wire {
  /** Of the current field. */
  field = 0;
  type = 0;
  private readonly bytes: Buffer;
  private at: number;
  private readonly end: number;

  constructor(bytes: Buffer, at = 0, end: number = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  /** Goes to the next field, whose value must then be taken or skipped; false at the end. */
  next(): boolean {
    if (this.at >= this.end) return false;
    const tag = Number(this.varint());
    this.field = Math.floor(tag / 8);
    this.type = tag % 8;
    if (this.field === 0) throw new WireError('a field without a number');
    return true;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      if (this.at >= this.end) throw new WireError('breaks off');
      const byte = this.bytes[this.at++] as number;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new WireError('a number of more than ten bytes');
  }

  fixed64(): bigint {
    const at = this.take(8);
    return this.bytes.readBigUInt64LE(at);
  }

  double(): number {
    return this.bytes.readDoubleLE(this.take(8));
  }

  /** A field of bytes, a text or a message. */
  raw(): Buffer {
    const length = Number(this.varint());
    const at = this.take(length);
    return this.bytes.subarray(at, at + length);
  }

  text(): string {
    return this.raw().toString('utf8');
  }

  message(): Wire {
    return new Wire(this.raw());
  }

  /** Passes over a value of any type. Groups have been out of use since before OTLP. */
  skip(): void {
    if (this.type === 0) this.varint();
    else if (this.type === 1) this.take(8);
    else if (this.type === 2) this.raw();
    else if (this.type === 5) this.take(4);
    else throw new WireError('an unknown wire type');
  }

  private take(length: number): number {
    const { at } = this;
    if (length > this.end - at) throw new WireError('breaks off');
    this.at += length;
    return at;
  }
}
