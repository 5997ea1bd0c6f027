import { DEFAULT_TEXT, type Ends, type Keep, type Keys } from './keep.ts';

/**
 * Shrinks a parsed JSON value by a rule: what the scanners do on bytes, said plainly. Gives a new value; equal to
 * what `readRecords` delivers for the same record. Recursive: for values of a sane depth.
 */
export function prune(value: unknown, keep: Keep): unknown {
  if (typeof value === 'string') return cutEnds(value, endsOf(keep));
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
  if (!isKeys(keep)) return keep;
  return Object.hasOwn(keep.keys, key) ? keep.keys[key] : keep.rest;
}

/** The bytes that a string at this place may have, at its beginning and at its end. */
export function endsOf(keep: Keep): Ends {
  const text = isKeys(keep) ? (keep.text ?? DEFAULT_TEXT) : keep;
  return typeof text === 'number' ? { head: text, tail: 0 } : text;
}

export function isKeys(keep: Keep): keep is Keys {
  return typeof keep === 'object' && 'keys' in keep;
}

function cutEnds(text: string, { head, tail }: Ends): string {
  if (tail === 0) return cutText(text, head);
  if (cutText(text, head + tail) === text) return text;
  let left = tail;
  let from = text.length;
  for (const character of [...text].reverse()) {
    left -= bytesOf(character.codePointAt(0) as number);
    if (left < 0) break;
    from -= character.length;
  }
  return cutText(text, head) + text.slice(from);
}

const bytesOf = (point: number): number => (point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4);

/** The longest prefix of whole characters that has at most `limit` UTF-8 bytes. */
export function cutText(text: string, limit: number): string {
  if (text.length * 3 <= limit) return text;
  let left = limit;
  for (let at = 0; at < text.length; ) {
    const point = text.codePointAt(at) as number;
    left -= bytesOf(point);
    if (left < 0) return text.slice(0, at);
    at += point < 0x10000 ? 1 : 2;
  }
  return text;
}
