/** A growing row of bytes, and a reader of it: varints (seven bits a byte, low first), and text as UTF-8. */
export class ByteWriter {
  private held = new Uint8Array(1 << 12);
  length = 0;

  byte(value: number): void {
    if (this.length === this.held.length) this.grow(1);
    this.held[this.length++] = value;
  }

  /** A non-negative integer up to 2^53 - 1. */
  varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.byte((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.byte(rest);
  }

  /** An integer of either sign, |value| < 2^52: 0, -1, 1, -2, ... */
  signed(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  text(value: string): void {
    const bytes = new TextEncoder().encode(value);
    this.varint(bytes.length);
    this.grow(bytes.length);
    this.held.set(bytes, this.length);
    this.length += bytes.length;
  }

  finish(): Uint8Array {
    return this.held.subarray(0, this.length);
  }

  private grow(more: number): void {
    if (this.length + more <= this.held.length) return;
    const larger = new Uint8Array(Math.max(this.length + more, this.held.length * 2));
    larger.set(this.held);
    this.held = larger;
  }
}

export class ByteReader {
  private readonly bytes: Uint8Array;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  byte(): number {
    return this.bytes[this.at++] as number;
  }

  varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.bytes[this.at++] as number;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  signed(): number {
    const value = this.varint();
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }

  text(): string {
    const length = this.varint();
    this.at += length;
    return new TextDecoder().decode(this.bytes.subarray(this.at - length, this.at));
  }
}
