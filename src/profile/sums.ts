/**
 * Exact 64-bit sums in columns. A running sum is a low part below 2^52 and a count of carries, so that adding is
 * plain arithmetic and no BigInt is made until the end. (2^53 ns are only 104 days of activity.)
 */
const CARRY = 2 ** 52;

export class Sums {
  private low = new Float64Array(256);
  private high: Map<number, number> | undefined;

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

  private carry(at: number, carries: number): void {
    this.high ??= new Map();
    this.high.set(at, (this.high.get(at) ?? 0) + carries);
  }

  get(at: number): bigint {
    return BigInt(this.low[at] ?? 0) + BigInt(this.high?.get(at) ?? 0) * BigInt(CARRY);
  }

  /** The sums in the order of `sequence`; written as two 32-bit halves, so that no BigInt is made where none is needed. */
  toArray(sequence: ArrayLike<number>): BigInt64Array {
    const values = new BigInt64Array(sequence.length);
    const halves = new Int32Array(values.buffer);
    for (let i = 0; i < sequence.length; i++) {
      const at = sequence[i] as number;
      if (this.high?.has(at)) {
        values[i] = this.get(at);
        continue;
      }
      const low = this.low[at] ?? 0;
      if (low === 0) continue;
      halves[2 * i] = low % 0x100000000;
      halves[2 * i + 1] = Math.floor(low / 0x100000000);
    }
    return values;
  }
}
