/** The reading half of protobuf.ts: fields of one message, nothing copied. */

/** Bytes that are not the message they should be; `at` is where in the file that is. */
export class ProtobufError extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(`byte ${at}: ${message}`);
    this.name = 'ProtobufError';
    this.at = at;
  }
}

/** A position in a message, and the field that was read last: its number, and its value by the wire type. */
export class ProtoReader {
  field = 0;
  /** Of wire type 0, 1 and 5, all 64 bits of it. */
  value = 0n;
  /** Of wire type 2: the bytes are [from, to) of `bytes`; of other types the range is empty. */
  from = 0;
  to = 0;
  private packed = false;
  private readonly bytes: Uint8Array;
  private readonly end: number;
  private at: number;

  constructor(bytes: Uint8Array, from = 0, to = bytes.length) {
    this.bytes = bytes;
    this.at = from;
    this.end = to;
  }

  /** Reads the next field; false at the end of the message. Throws ProtobufError. */
  next(): boolean {
    if (this.at >= this.end) return false;
    const start = this.at;
    const tag = Number(this.varint());
    this.field = Math.floor(tag / 8);
    this.value = 0n;
    this.from = this.to = this.at;
    this.packed = tag % 8 === 2;
    switch (tag % 8) {
      case 0:
        this.value = this.varint();
        break;
      case 1:
        this.value = this.fixed(8);
        break;
      case 2: {
        const length = Number(this.varint());
        if (this.at + length > this.end)
          throw new ProtobufError(`a field of ${length} bytes goes beyond the end of its message`, start);
        this.from = this.at;
        this.to = this.at += length;
        break;
      }
      case 5:
        this.value = this.fixed(4);
        break;
      default:
        throw new ProtobufError(`there is no wire type ${tag % 8}`, start);
    }
    if (this.field === 0) throw new ProtobufError('a field has the number 0', start);
    return true;
  }

  /** The last field as a number; what does not fit loses its exactness. */
  get number(): number {
    return Number(this.value);
  }

  /** The last field as a signed 64-bit value. */
  get int64(): bigint {
    return BigInt.asIntN(64, this.value);
  }

  /** The last field as a message of its own. */
  get message(): ProtoReader {
    return new ProtoReader(this.bytes, this.from, this.to);
  }

  get text(): string {
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset + this.from, this.to - this.from).toString('utf8');
  }

  /** The values of a repeated integer, packed (wire type 2) or one by one. */
  *integers(): Generator<bigint> {
    if (!this.packed) {
      yield this.value;
      return;
    }
    const list = this.message;
    while (list.at < list.end) yield list.varint();
  }

  private varint(): bigint {
    let low = 0;
    let shift = 0;
    const start = this.at;
    // Up to 49 bits in plain numbers, which is nearly all there is.
    for (; shift < 49; shift += 7) {
      if (this.at >= this.end) throw new ProtobufError('the file ends inside a number', start);
      const byte = this.bytes[this.at++] as number;
      low += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return BigInt(low);
    }
    let value = BigInt(low);
    for (; shift < 70; shift += 7) {
      if (this.at >= this.end) throw new ProtobufError('the file ends inside a number', start);
      const byte = this.bytes[this.at++] as number;
      value |= BigInt(byte & 0x7f) << BigInt(shift);
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new ProtobufError('a number has more than ten bytes', start);
  }

  private fixed(size: number): bigint {
    if (this.at + size > this.end) throw new ProtobufError('the file ends inside a number', this.at);
    let value = 0n;
    for (let i = size - 1; i >= 0; i--) value = (value << 8n) | BigInt(this.bytes[this.at + i] as number);
    this.at += size;
    return value;
  }
}
