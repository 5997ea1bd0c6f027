/**
 * What a reader wants to see of a record: an allow-list of keys with cut lengths.
 *
 * - A number keeps the value whole, whatever its shape, and cuts every string below it to at most that many
 *   bytes. Numbers, booleans and null are always kept.
 * - `Ends` is like a number, but of a string longer than `head` and `tail` together both ends are kept and joined: at most
 *   `head` bytes of the beginning, and at most `tail` bytes of the end.
 * - A `Keys` node keeps only the keys it names; `rest` (if given) is the rule for every other key. Arrays are
 *   transparent: their elements follow the array's own rule. A string found where a `Keys` node stands is cut
 *   to `text` bytes (200 if not given), a number, a boolean or null there is kept.
 *
 * Lengths are UTF-8 bytes of the string the JSON stands for: `\n` counts one, an escaped surrogate pair four, a
 * lone surrogate three. A string is cut before the first character that does not fit whole, and its end begins with the first
 * that does. (In bytes that are not
 * UTF-8 each stray byte counts one.)
 *
 * Keys are compared after JSON unescaping. Key names are never cut. `__proto__` is an ordinary key (write it
 * `['__proto__']` in an object literal). A rule may contain itself, for trees. Do not change a rule once it was used:
 * its compiled form is remembered by identity.
 */
export type Keep = number | Ends | Keys;

export interface Keys {
  readonly keys: Readonly<Record<string, Keep>>;
  readonly rest?: Keep;
  readonly text?: number | Ends;
}

export interface Ends {
  readonly head: number;
  readonly tail: number;
}

/** Prompts, commands, tool arguments and patch texts are kept whole up to this length (Codex nests JSON in a string). */
export const WHOLE = 1 << 20;

/** The cut of a string at a `Keys` node without `text`. */
export const DEFAULT_TEXT = 200;
