/**
 * Exact 64-bit sums in columns. A running sum is a low part below 2^52 and a count of carries, so that adding is
 * plain arithmetic and no BigInt is made until the end. (2^53 ns are only 104 days of activity.)
 */
const CARRY = 2 ** 52;

export class Sums {
  private low: Float64Array;
  private high: Map<number, number> | undefined;

  /** Room for this many sums; it grows. */
  constructor(capacity = 256) {
    this.low = new Float64Array(capacity);
  }

  /** Adds an integer, |value| <= 2^53. */
  add(at: number, value: number): void {
    if (value === 0) return;
    if (at >= this.low.length) {
      const larger = new Float64Array(Math.max(at + 1, this.low.length * 2));
      larger.set(this.low);
      this.low = larger;
    }
    let sum = this.low[at] as number;
    // Both are below 2^53 in size: their halves of the range are added apart where the sum might not be exact.
    if (value >= CARRY || value <= -CARRY) {
      const carries = Math.trunc(value / CARRY);
      this.carry(at, carries);
      value -= carries * CARRY;
    }
    sum += value;
    if (sum >= CARRY) {
      sum -= CARRY;
      this.carry(at, 1);
    } else if (sum <= -CARRY) {
      sum += CARRY;
      this.carry(at, -1);
    }
    this.low[at] = sum;
  }

  /** Adds the sum of another column, exactly. */
  addSum(at: number, other: Sums, from: number): void {
    this.add(at, other.low[from] ?? 0);
    const carries = other.high?.get(from);
    if (carries !== undefined) this.carry(at, carries);
  }

  /** All sums are 0 again; the room stays. Fresh memory is dear: its pages are zeroed one by one when first touched. */
  clear(): void {
    this.low.fill(0);
    this.high = undefined;
  }

  isZero(at: number): boolean {
    return (this.low[at] ?? 0) === 0 && !this.high?.has(at);
  }

  private carry(at: number, carries: number): void {
    this.high ??= new Map();
    this.high.set(at, (this.high.get(at) ?? 0) + carries);
  }

  get(at: number): bigint {
    return BigInt(this.low[at] ?? 0) + BigInt(this.high?.get(at) ?? 0) * BigInt(CARRY);
  }

  /** The first sums, written as two 32-bit halves, so that no BigInt is made where none is needed. */
  toArray(length: number): BigInt64Array {
    const values = new BigInt64Array(length);
    const halves = new Int32Array(values.buffer);
    const { low } = this;
    const held = Math.min(length, low.length);
    for (let at = 0; at < held; at++) {
      const value = low[at] as number;
      if (value === 0) continue;
      halves[2 * at] = value % 0x100000000;
      halves[2 * at + 1] = Math.floor(value / 0x100000000);
    }
    for (const at of this.high?.keys() ?? []) if (at < length) values[at] = this.get(at);
    return values;
  }
}
