/** Reading values of unknown shape: what is not as expected reads as nothing, never as an error. */
export type Obj = Readonly<Record<string, unknown>>;

export const NOTHING: Obj = Object.freeze({});
const NO_BLOCKS: readonly Obj[] = Object.freeze([]);

export function isObject(value: unknown): value is Obj {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectOf(value: unknown): Obj {
  return isObject(value) ? value : NOTHING;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A non-negative integer that fits a column; 0 for anything else. */
export function countOf(value: unknown): number {
  return typeof value === 'number' && value > 0 && value <= Number.MAX_SAFE_INTEGER ? Math.floor(value) : 0;
}

/** A short class name out of something an agent wrote: lower case, no spaces, no private text. '' if it is not like one. */
export function classOf(value: unknown): string {
  return typeof value === 'string' && /^[A-Za-z][\w-]{0,31}$/.test(value) ? value.toLowerCase() : '';
}

/** Blocks of a message whose content may be a string, a list or absent. A string stands for one text block. */
export function blocksOf(content: unknown): readonly Obj[] {
  if (typeof content === 'string') return content === '' ? NO_BLOCKS : [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return NO_BLOCKS;
  return content.every(isObject) ? content : content.filter(isObject);
}

/** The text blocks of a message, joined. */
export function plainText(content: unknown): string {
  if (typeof content === 'string') return content;
  let joined = '';
  for (const block of blocksOf(content)) {
    const text = textOf(block.text);
    if (text !== '') joined = joined === '' ? text : `${joined}\n${text}`;
  }
  return joined;
}
