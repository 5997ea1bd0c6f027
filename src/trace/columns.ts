import {
  appended,
  type Cells,
  type Codes,
  type Elsewhere,
  grown,
  Joined,
  NO_CELLS,
  type Part,
  placed,
  type Room,
  type Rows,
  type Width,
  wideFor,
} from './cells.ts';
import { HeldCells } from './held-cells.ts';

export type { Cells, Codes, Elsewhere, Part, Rows, Width } from './cells.ts';

/**
 * Columns: struct of arrays that grow, the only form in which operations are kept.
 * A row that was never written reads as 0 (numbers) or as absent (strings, code 0).
 *
 * A column may be `stored`: its cells are fetched on first use, so that a run over a stored history touches only
 * the columns that its view asks for. Nobody can tell the difference by looking at values.
 */

/** The distinct strings of a column by their codes; entry 0 is ''. Columns that share one have codes that mean the same. */
export class Dictionary {
  readonly values: string[];
  private index: Map<string, number> | undefined;
  private lastValue = '';
  private lastCode = 0;

  constructor(values: string[] = ['']) {
    this.values = values;
  }

  /** The code of a value, interning it if it is new. */
  code(value: string): number {
    if (value === this.lastValue) return this.lastCode;
    const index = this.indexed();
    let code = index.get(value);
    if (code === undefined) {
      code = this.values.length;
      this.values.push(value);
      index.set(value, code);
    }
    this.lastValue = value;
    this.lastCode = code;
    return code;
  }

  find(value: string): number | undefined {
    return this.indexed().get(value);
  }

  private indexed(): Map<string, number> {
    const { values } = this;
    if (!this.index) {
      this.index = new Map();
      for (let code = 0; code < values.length; code++) this.index.set(values[code] as string, code);
    }
    return this.index;
  }
}

/**
 * Strings as small codes into the column's dictionary. Code 0 is "absent" and means ''.
 * The code array starts with one byte a row and widens when the dictionary outgrows it.
 */
export class StringColumn extends HeldCells<Codes> {
  private words: Dictionary | undefined;
  private fetchWords: (() => Dictionary) | undefined;

  /** A new column; its codes are those of the given dictionary. */
  constructor(dictionary?: Dictionary) {
    super(NO_CELLS);
    this.words = dictionary;
  }

  /** A column of these codes, one a row, into this dictionary. */
  static of(codes: Codes, dictionary: Dictionary): StringColumn {
    const column = new StringColumn(dictionary);
    column.hold(codes);
    return column;
  }

  /** `values` gives the dictionary; entry 0 is ''. */
  static stored(codes: Elsewhere<Codes>, values: () => string[]): StringColumn {
    return StringColumn.sharing(() => new Dictionary(values()), codes);
  }

  /** A column whose codes are those of a dictionary that others may share. */
  static sharing(dictionary: () => Dictionary, codes: Elsewhere<Codes>): StringColumn {
    const column = new StringColumn();
    column.elsewhere = codes;
    column.fetchWords = dictionary;
    return column;
  }

  get codes(): Codes {
    return this.here();
  }

  get dictionary(): Dictionary {
    this.words ??= this.fetchWords?.() ?? new Dictionary();
    return this.words;
  }

  get values(): readonly string[] {
    return this.dictionary.values;
  }

  /** The code of a value, interning it if it is new. */
  code(value: string): number {
    return this.dictionary.code(value);
  }

  /** The code of a value if the column knows it. */
  find(value: string): number | undefined {
    return this.dictionary.find(value);
  }

  set(row: number, value: string): void {
    this.setCode(row, this.code(value));
  }

  setCode(row: number, code: number): void {
    if (row < this.room && code <= this.most) this.held[row] = code;
    else this.fit(row, code);
  }

  private fit(row: number, code: number): void {
    let { codes } = this;
    if (row >= codes.length) {
      if (code === 0) return;
      codes = codes.length === 0 && row < this.spare.length ? this.spare : grown(codes, row, this.expected);
    }
    if (code > 0xff && codes.BYTES_PER_ELEMENT === 1) codes = new Uint16Array(codes);
    if (code > 0xffff && codes.BYTES_PER_ELEMENT === 2) codes = new Uint32Array(codes);
    codes[row] = code;
    this.hold(codes);
  }

  /** Copies rows `from` to `to` of another column to the rows from `at` on. */
  place(at: number, other: StringColumn, from: number, to: number): void {
    const { dictionary } = this;
    if (other.dictionary === dictionary) {
      this.hold(placed(this.codes, at, other.codes, from, to, this.expected) as Codes);
      return;
    }
    const codes: number[] = [];
    for (let row = from; row < to; row++) {
      const theirs = other.codeAt(row);
      this.setCode(at + row - from, (codes[theirs] ??= dictionary.code(other.values[theirs] as string)));
    }
  }

  /** Copies stretches of rows of another column behind each other, to rows from `at` on, behind all that were written. */
  append(at: number, other: StringColumn, stretches: readonly Rows[]): void {
    if (this.dictionary === other.dictionary)
      this.hold(appended(this.codes, at, other.glance(), stretches, this.expected) as Codes);
    else {
      let to = at;
      for (const { first, end } of stretches) {
        this.place(to, other, first, end);
        to += end - first;
      }
    }
  }

  /** The rows of several columns behind each other, put there on first use. */
  static joined(parts: readonly Part<StringColumn>[], room: Room): StringColumn {
    const told = parts.filter(({ column }) => column.size > 0);
    const [first] = told;
    if (!first) return new StringColumn(parts[0]?.column.words);
    const dictionary = () => first.column.dictionary;
    if (told.every(({ column }) => column.hasWordsOf(first.column)))
      return StringColumn.sharing(dictionary, new Joined(parts, room) as unknown as Elsewhere<Codes>);
    const column = new StringColumn(dictionary());
    let at = 0;
    for (const part of parts) {
      column.place(at, part.column, part.first, part.end);
      at += part.end - part.first;
    }
    return column;
  }

  private hasWordsOf(other: StringColumn): boolean {
    return this === other || this.dictionary === other.dictionary;
  }

  codeAt(row: number): number {
    return this.codes[row] ?? 0;
  }

  get(row: number): string {
    return this.values[this.codes[row] ?? 0] as string;
  }
}

/** Non-negative integers up to 2^53 - 1, exact; one byte a row at first, widening to two, four and eight. */
export class NumberColumn extends HeldCells<Cells> {
  constructor() {
    super(NO_CELLS);
  }

  static stored(cells: Elsewhere): NumberColumn {
    const column = new NumberColumn();
    column.elsewhere = cells;
    return column;
  }

  /** A column of `length` cells of `width` bytes that are made when they are first used. */
  static made(length: number, width: Width, make: () => Cells): NumberColumn {
    return NumberColumn.stored({ length, width, fetch: make, glance: make });
  }

  get cells(): Cells {
    return this.here();
  }

  /** Whether no row was ever written. */
  get isEmpty(): boolean {
    return this.size === 0;
  }

  get(row: number): number {
    return this.cells[row] ?? 0;
  }

  set(row: number, value: number): void {
    if (row < this.room && value <= this.most) this.held[row] = value;
    else this.fit(row, value);
  }

  private fit(row: number, value: number): void {
    let { cells } = this;
    if (row >= cells.length) {
      if (value === 0) return;
      cells = cells.length === 0 && row < this.spare.length ? this.spare : grown(cells, row, this.expected);
    }
    if (value > 0xff) cells = wideFor(cells, value);
    cells[row] = value;
    this.hold(cells);
  }

  add(row: number, value: number): void {
    if (value !== 0) this.set(row, this.get(row) + value);
  }

  /** The rows of several columns behind each other, put there on first use. */
  static joined(parts: readonly Part<NumberColumn>[], room: Room): NumberColumn {
    if (parts.every(({ column }) => column.isEmpty)) return new NumberColumn();
    return NumberColumn.stored(new Joined(parts, room));
  }

  /** Puts other cells in the place of all that are there. */
  replace(cells: Cells): void {
    this.hold(cells);
  }

  /** Copies stretches of rows of another column behind each other, to rows from `at` on, behind all that were written. */
  append(at: number, other: NumberColumn, stretches: readonly Rows[]): void {
    this.hold(appended(this.cells, at, other.glance(), stretches, this.expected));
  }

  /** Copies rows `from` to `to` of another column to the rows from `at` on. */
  place(at: number, other: NumberColumn, from: number, to: number): void {
    this.hold(placed(this.cells, at, other.cells, from, to, this.expected));
  }
}
