import { DEFAULT_TEXT, type Keep } from './keep.ts';

/**
 * Shrinks a parsed JSON value by a rule: what the scanners do on bytes, said plainly. Gives a new value; equal to
 * what `readRecords` delivers for the same record. Recursive: for values of a sane depth.
 */
export function prune(value: unknown, keep: Keep): unknown {
  if (typeof value === 'string') return cutText(value, cutOf(keep));
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(element => prune(element, keep));
  const kept: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const rule = ruleOf(keep, key);
    // Not an assignment: that would call the setter of `__proto__`.
    if (rule !== undefined) {
      Object.defineProperty(kept, key, {
        value: prune(member, rule),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
  }
  return kept;
}

function ruleOf(keep: Keep, key: string): Keep | undefined {
  if (typeof keep === 'number') return keep;
  return Object.hasOwn(keep.keys, key) ? keep.keys[key] : keep.rest;
}

/** The bytes a string at this place may have. */
export function cutOf(keep: Keep): number {
  return typeof keep === 'number' ? keep : (keep.text ?? DEFAULT_TEXT);
}

/** The longest prefix of whole characters that has at most `limit` UTF-8 bytes. */
export function cutText(text: string, limit: number): string {
  if (text.length * 3 <= limit) return text;
  let left = limit;
  for (let at = 0; at < text.length; ) {
    const point = text.codePointAt(at) as number;
    left -= point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    if (left < 0) return text.slice(0, at);
    at += point < 0x10000 ? 1 : 2;
  }
  return text;
}
