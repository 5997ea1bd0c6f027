// @ts-check

const HEX = '0123456789abcdef';
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/**
 * Chance that is the same in every run: a generator of pseudo-random numbers (splitmix32) and the draws made from it.
 */
export class Chance {
  /** @param {number} seed */
  constructor(seed) {
    this.state = seed >>> 0;
  }

  /** A number in [0, 1). */
  next() {
    this.state = (this.state + 0x9e3779b9) >>> 0;
    let z = this.state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return ((z ^ (z >>> 15)) >>> 0) / 2 ** 32;
  }

  /** @param {number} probability */
  happens(probability) {
    return this.next() < probability;
  }

  /** A whole number from `low` to `high`, both included. @param {number} low @param {number} high */
  between(low, high) {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** @template T @param {readonly T[]} list @returns {T} */
  pick(list) {
    return /** @type {T} */ (list[Math.floor(this.next() * list.length)]);
  }

  /** A positive whole number around `median`, log-normal. @param {number} median @param {number} spread */
  around(median, spread) {
    const normal = Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
    return Math.max(1, Math.round(median * Math.exp(spread * normal)));
  }

  /** @param {number} length @param {string} [alphabet] */
  text(length, alphabet = LETTERS) {
    let text = '';
    while (text.length < length) text += alphabet[Math.floor(this.next() * alphabet.length)];
    return text;
  }

  /** @param {number} length */
  hex(length) {
    return this.text(length, HEX);
  }

  uuid() {
    return `${this.hex(8)}-${this.hex(4)}-4${this.hex(3)}-${this.pick(['8', '9', 'a', 'b'])}${this.hex(3)}-${this.hex(12)}`;
  }

  /** A UUID of version 7, which begins with its time. @param {number} time ms since the epoch */
  timedUuid(time) {
    const t = time.toString(16).padStart(12, '0');
    return `${t.slice(0, 8)}-${t.slice(8)}-7${this.hex(3)}-${this.pick(['8', '9', 'a', 'b'])}${this.hex(3)}-${this.hex(12)}`;
  }
}
