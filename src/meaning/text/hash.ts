/** FNV-1a over UTF-16 units, 32 bits, then mixed so that the low bits are as good as the high ones. `seed` tells kinds apart. */
export function hash32(text: string, seed = 0): number {
  return hashPart(text, 0, text.length, seed);
}

/** The same of the units from `from` to `to`. */
export function hashPart(text: string, from: number, to: number, seed: number): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * Numbers in [0, 1) that are the same for the same seed on every machine (mulberry32), for sampling and starting points.
 * Not for secrets.
 */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x100000000;
  };
}
