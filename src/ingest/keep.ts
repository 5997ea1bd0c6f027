/**
 * What a reader wants to see of a record: an allow-list of keys with cut lengths.
 *
 * - A number keeps the value whole, whatever its shape, and cuts every string below it to at most that many
 *   UTF-8 bytes (never inside a character or an escape). Numbers, booleans and null are always kept.
 * - A `Keys` node keeps only the keys it names; `rest` (if given) is the rule for every other key. Arrays are
 *   transparent: their elements follow the array's own rule. A string found where a `Keys` node stands is cut
 *   to `text` bytes (200 if not given), a number or boolean there is kept.
 *
 * Keys are compared after JSON unescaping. Key names are never cut. `__proto__` is an ordinary key.
 */
export type Keep = number | Keys;

export interface Keys {
  readonly keys: Readonly<Record<string, Keep>>;
  readonly rest?: Keep;
  readonly text?: number;
}

/** Prompts, commands, tool arguments and patch texts are kept whole up to this length (Codex nests JSON in a string). */
export const WHOLE = 1 << 20;

/** The cut of a string at a `Keys` node without `text`. */
export const DEFAULT_TEXT = 200;
