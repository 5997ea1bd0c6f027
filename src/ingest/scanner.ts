import type { KeepTable } from './keep-table.ts';

/**
 * A scanner shrinks JSON lines on bytes: what it is fed in pieces of any size comes out as rows, one a line, with
 * the text that is left of each. It accepts exactly the lines that JSON.parse accepts (with at most MAX_DEPTH levels
 * and MAX_LEFT bytes left), dropped parts included, so what counts as a bad line does not depend on the rule.
 * The text left is JSON: parsed, it equals `prune(JSON.parse(line), keep)`.
 *
 * There are two with one behaviour: the plain one in scan.ts and the WebAssembly kernel. Lines may be of any
 * length: a scanner holds no line, only what is left of it.
 */
export interface Scanner {
  /** The most bytes one feed may have. */
  readonly chunk: number;
  /** Where the bytes of a feed are put, from `inputAt`. May be another object after any call. */
  readonly input: Buffer;
  readonly inputAt: number;
  /** Where the text left of the rows is found. May be another object after any call. */
  readonly output: Buffer;
  /** The rows of the last call, ROW_WORDS each. */
  readonly rows: Int32Array;
  /**
   * Starts afresh with a rule. A document is one JSON value over all bytes: newlines between its parts are white space,
   * and its one row comes with `finish`.
   */
  begin(table: KeepTable, document?: boolean): void;
  /** Scans the `length` bytes that were put at `inputAt`; gives the number of rows. Rows live until the next call. */
  feed(length: number): number;
  /** Goes on with the same bytes if the rows were full; 0 when all is scanned. */
  more(): number;
  /**
   * The bytes are at their end: makes one row of what was fed behind the last newline (blank, if that was nothing).
   * Its carriage return counts as one before a newline.
   */
  finish(): void;
}

/**
 * A row is four words: where its newline stands, counted from `inputAt`; from and to, the text left in `output`; and
 * its flags.
 */
export const ROW_WORDS = 4;

/** Flags of a row. A line that is neither `good` nor `blank` is bad. */
export const Line = {
  good: 1,
  /** The text left has bytes above 0x7f: decode as UTF-8. Without it Latin-1 gives the same and is faster. */
  wide: 2,
  /** Nothing but white space. */
  blank: 4,
  /** A carriage return stands before the newline. */
  carriage: 8,
} as const;

/** Levels of nesting; deeper lines are bad. Agents write fewer than 30. */
export const MAX_DEPTH = 1000;

/** Bytes that may be left of one line, and of a document; more is bad. Bounds the memory a hostile file can take. */
export const MAX_LEFT = 32 << 20;
export const MAX_DOCUMENT_LEFT = 128 << 20;

/** Bytes kept from the previous feed before `inputAt`: an escape pair that a feed tore apart has at most 11. */
export const HEADROOM = 64;

/** A read of this size costs no more than larger ones and stays in the cache. */
export const CHUNK = 256 << 10;

export const MAX_ROWS = 4096;
