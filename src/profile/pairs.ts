/**
 * Pairs of 32-bit numbers to dense ids, in the order in which they were first seen. Open addressing in typed arrays:
 * a Map would box every key that does not fit 31 bits.
 */
export class Pairs {
  length = 0;
  first: Uint32Array;
  second: Uint32Array;
  private slots: Uint32Array;

  /** `expected`: how many pairs there may be; more are fine, but cost a rehash each time their number doubles. */
  constructor(expected = 256) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(expected, 256)));
    this.first = new Uint32Array(size);
    this.second = new Uint32Array(size);
    this.slots = new Uint32Array(size * 2);
  }

  /** The id of a pair, new or known. */
  id(a: number, b: number): number {
    let slot = hash(a, b) & (this.slots.length - 1);
    for (let held = this.slots[slot] as number; held !== 0; held = this.slots[slot] as number) {
      if (this.first[held - 1] === a && this.second[held - 1] === b) return held - 1;
      slot = (slot + 1) & (this.slots.length - 1);
    }
    if (this.length === this.first.length) return this.grow().id(a, b);
    this.first[this.length] = a;
    this.second[this.length] = b;
    this.slots[slot] = ++this.length;
    return this.length - 1;
  }

  private grow(): this {
    const first = new Uint32Array(this.first.length * 2);
    const second = new Uint32Array(this.first.length * 2);
    first.set(this.first);
    second.set(this.second);
    this.first = first;
    this.second = second;
    this.slots = new Uint32Array(first.length * 2);
    for (let id = 0; id < this.length; id++) {
      let slot = hash(first[id] as number, second[id] as number) & (this.slots.length - 1);
      while (this.slots[slot] !== 0) slot = (slot + 1) & (this.slots.length - 1);
      this.slots[slot] = id + 1;
    }
    return this;
  }
}

function hash(a: number, b: number): number {
  let h = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b);
  h ^= h >>> 15;
  h = Math.imul(h, 0x2c1b3c6d);
  return (h ^ (h >>> 13)) >>> 0;
}
