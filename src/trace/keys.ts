/**
 * 64-bit hashes of identifiers (message ids, tool call ids, uuids). Two different ids of a million collide with a
 * probability of about 3e-8. Both lanes are FNV-1a over UTF-16 units with different offsets and a final mix.
 */
export interface Key {
  high: number;
  low: number;
}

const LONGEST = 8192;

function mix(h: number): number {
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Hashes `text` into `into` (reused by callers on the hot path). Never gives (0, 0), which means "no key". */
export function hashKey(text: string, into: Key = { high: 0, low: 0 }): Key {
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  // Of a long text (a file written by a tool) the ends and the length tell enough.
  const skipFrom = text.length > LONGEST ? LONGEST / 2 : text.length;
  for (let i = 0; i < text.length; i++) {
    if (i === skipFrom) i = text.length - LONGEST / 2;
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x5bd1e995) ^ (b >>> 15);
  }
  into.high = mix(a ^ text.length);
  into.low = mix(b) || 1;
  return into;
}

/** A printable form for Maps on cold paths. */
export function keyText(high: number, low: number): string {
  return `${high.toString(16)}.${low.toString(16)}`;
}
