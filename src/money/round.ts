/** Beyond this the two halves of an amount do not make an exact number. */
const EXACT = 2 ** 20;

/**
 * Nano-dollars to micro-dollars for output, so that the whole rounds once and the parts still add up to it.
 *
 * Each part is rounded down; the micro-dollars then missing from the rounded whole go to the parts with the largest
 * remainders, ties to the earlier part. Every part ends less than one micro-dollar from its exact value, a part of
 * exactly n micro-dollars stays n, and the whole is rounded half up. Negative parts (of a difference) work alike.
 * Linear: remainders are integers below 1,000, so they are counted, not sorted.
 */
export function microDollars(nanoDollars: ArrayLike<bigint>): BigInt64Array {
  const nano = nanoDollars instanceof BigInt64Array ? nanoDollars : BigInt64Array.from(nanoDollars);
  // Most parts are small, many 0: a BigInt is made only where one is needed.
  const halves = new Int32Array(nano.buffer, nano.byteOffset, 2 * nano.length);
  const [low, high] = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? [0, 1] : [1, 0];
  const micro = new BigInt64Array(nano.length);
  const microHalves = new Int32Array(micro.buffer);
  const remainders = new Uint16Array(nano.length);
  const counts = new Uint32Array(1000);
  let lost = 0;
  for (let at = 0; at < micro.length; at++) {
    const upper = halves[2 * at + high] as number;
    const lower = (halves[2 * at + low] as number) >>> 0;
    let remainder = 0;
    if (upper >= -EXACT && upper < EXACT) {
      const part = upper * 0x100000000 + lower;
      remainder = ((part % 1000) + 1000) % 1000;
      if (part !== 0) {
        const whole = (part - remainder) / 1000;
        microHalves[2 * at + low] = whole;
        microHalves[2 * at + high] = Math.floor(whole / 0x100000000);
      }
    } else {
      const part = nano[at] as bigint;
      remainder = Number(((part % 1000n) + 1000n) % 1000n);
      micro[at] = (part - BigInt(remainder)) / 1000n;
    }
    remainders[at] = remainder;
    counts[remainder] = (counts[remainder] as number) + 1;
    lost += remainder;
  }
  let missing = Math.floor((lost + 500) / 1000);
  if (missing === 0) return micro;
  // The parts that are raised: all above this remainder, and the first few that have it.
  let least = 999;
  while ((counts[least] as number) < missing) missing -= counts[least--] as number;
  for (let at = 0; at < micro.length; at++) {
    const remainder = remainders[at] as number;
    if (remainder > least || (remainder === least && missing-- > 0)) addOne(microHalves, 2 * at + low, 2 * at + high);
  }
  return micro;
}

function addOne(halves: Int32Array, low: number, high: number): void {
  const lower = ((halves[low] as number) + 1) | 0;
  halves[low] = lower;
  if (lower === 0) halves[high] = (halves[high] as number) + 1;
}
