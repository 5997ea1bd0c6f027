/**
 * Columns: struct of arrays that grow, the only form in which operations are kept.
 * A row that was never written reads as 0 (numbers) or as absent (strings, code 0).
 *
 * A column may be `stored`: its cells are fetched on first use, so that a run over a stored history touches only
 * the columns that its view asks for. Nobody can tell the difference by looking at values.
 */

export type Codes = Uint8Array | Uint16Array | Uint32Array;
export type Cells = Uint8Array | Uint16Array | Uint32Array | Float64Array;

const FIRST_CAPACITY = 64;
const NO_CELLS = new Uint8Array(0);

/** Zeros for codes or row numbers below `below`. */
export function codesBelow(below: number, length: number): Codes {
  if (below <= 0x100) return new Uint8Array(length);
  return below <= 0x10000 ? new Uint16Array(length) : new Uint32Array(length);
}

/** The largest number that a cell of so many bytes holds. */
const MOST: Readonly<Record<number, number>> = {
  1: 0xff,
  2: 0xffff,
  4: 0xffffffff,
  8: Number.MAX_SAFE_INTEGER,
};

function grown<T extends Cells>(cells: T, row: number, expected: number): T {
  const capacity = Math.max(FIRST_CAPACITY, row + 1, expected, Math.ceil(cells.length * 1.5));
  const larger = new (cells.constructor as new (n: number) => T)(capacity);
  larger.set(cells as never);
  return larger;
}

/** Cells that lie elsewhere until they are wanted. */
export interface Elsewhere<Of extends Cells = Cells> {
  /** To keep, and to write to. */
  fetch(): Of;
  /** To look at once: they may be overwritten as soon as anything else is looked at. */
  glance(): Of;
}

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
export class StringColumn {
  private held: Codes = NO_CELLS;
  private elsewhere: Elsewhere<Codes> | undefined;
  private words: Dictionary | undefined;
  private fetchWords: (() => string[]) | undefined;
  private expected = 0;
  /** Rows and codes below these are written at once; 0 while the codes lie elsewhere. */
  private room = 0;
  private most = 0;
  /** All 0: what was held before the column was cleared. */
  private spare: Codes = NO_CELLS;

  /** A new column; its codes are those of the given dictionary. */
  constructor(dictionary?: Dictionary) {
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
    const column = new StringColumn();
    column.elsewhere = codes;
    column.fetchWords = values;
    return column;
  }

  get codes(): Codes {
    if (this.elsewhere) this.hold(this.elsewhere.fetch());
    return this.held;
  }

  private hold(codes: Codes): void {
    this.held = codes;
    this.elsewhere = undefined;
    this.room = codes.length;
    this.most = MOST[codes.BYTES_PER_ELEMENT] as number;
  }

  /** Forgets all codes, of which none lies behind the first `rows`; the memory is used again. */
  clear(rows: number): void {
    if (this.room > 0) this.spare = this.held.fill(0, 0, rows);
    this.hold(NO_CELLS);
  }

  /** The codes to look at once, see `Elsewhere`. */
  glance(): Codes {
    return this.elsewhere ? this.elsewhere.glance() : this.held;
  }

  /** Makes room for so many rows at once when it is next made larger. */
  expect(rows: number): void {
    this.expected = rows;
  }

  get dictionary(): Dictionary {
    this.words ??= new Dictionary(this.fetchWords?.());
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

  /** The rows of several columns behind each other. All have one dictionary. */
  static joined(parts: readonly Part<StringColumn>[]): StringColumn {
    return StringColumn.of(joined(parts) as Codes, parts[0]?.column.dictionary ?? new Dictionary());
  }

  codeAt(row: number): number {
    return this.codes[row] ?? 0;
  }

  get(row: number): string {
    return this.values[this.codes[row] ?? 0] as string;
  }
}

/** Non-negative integers up to 2^53 - 1, exact; one byte a row at first, widening to two, four and eight. */
export class NumberColumn {
  private held: Cells = NO_CELLS;
  private elsewhere: Elsewhere | undefined;
  private expected = 0;
  /** Rows and numbers below these are written at once; 0 while the cells lie elsewhere. */
  private room = 0;
  private most = 0;
  /** All 0: what was held before the column was cleared. */
  private spare: Cells = NO_CELLS;

  static stored(cells: Elsewhere): NumberColumn {
    const column = new NumberColumn();
    column.elsewhere = cells;
    return column;
  }

  /** A column of cells that are made when they are first used. */
  static made(make: () => Cells): NumberColumn {
    return NumberColumn.stored({ fetch: make, glance: make });
  }

  get cells(): Cells {
    if (this.elsewhere) this.hold(this.elsewhere.fetch());
    return this.held;
  }

  /** Whether no row was ever written. */
  get isEmpty(): boolean {
    return this.elsewhere === undefined && this.held.length === 0;
  }

  private hold(cells: Cells): void {
    this.held = cells;
    this.elsewhere = undefined;
    this.room = cells.length;
    this.most = MOST[cells.BYTES_PER_ELEMENT] as number;
  }

  /** Forgets all cells, of which none lies behind the first `rows`; the memory is used again. */
  clear(rows: number): void {
    if (this.room > 0) this.spare = this.held.fill(0, 0, rows);
    this.hold(NO_CELLS);
  }

  /** The cells to look at once, see `Elsewhere`. */
  glance(): Cells {
    return this.elsewhere ? this.elsewhere.glance() : this.held;
  }

  /** Makes room for so many rows at once when it is next made larger. */
  expect(rows: number): void {
    this.expected = rows;
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

  /** The rows of several columns behind each other. */
  static joined(parts: readonly Part<NumberColumn>[]): NumberColumn {
    const column = new NumberColumn();
    column.hold(joined(parts));
    return column;
  }

  /** Puts other cells in the place of all that are there. */
  replace(cells: Cells): void {
    this.hold(cells);
  }

  /** Copies rows `from` to `to` of another column to the rows from `at` on. */
  place(at: number, other: NumberColumn, from: number, to: number): void {
    this.hold(placed(this.cells, at, other.cells, from, to, this.expected));
  }
}

function wideFor(cells: Cells, value: number): Cells {
  const bytes = cells.BYTES_PER_ELEMENT;
  if (bytes === 8 || (bytes === 4 && value <= 0xffffffff) || (bytes === 2 && value <= 0xffff)) return cells;
  if (value <= 0xffff) return new Uint16Array(cells);
  return value <= 0xffffffff ? new Uint32Array(cells) : new Float64Array(cells);
}

/** Rows `first` to `end` of a column. */
export interface Part<Column> {
  readonly column: Column;
  readonly first: number;
  readonly end: number;
}

/** Each column is looked at once, however many of its rows stand between those of others. */
function joined(parts: readonly Part<NumberColumn | StringColumn>[]): Cells {
  const places = new Map<NumberColumn | StringColumn, { at: number; first: number; end: number }[]>();
  let length = 0;
  for (const { column, first, end } of parts) {
    const before = places.get(column);
    if (before) before.push({ at: length, first, end });
    else places.set(column, [{ at: length, first, end }]);
    length += end - first;
  }
  let all: Cells = new Uint8Array(0);
  for (const [column, pieces] of places) {
    const cells = column.glance();
    if (cells.length === 0) continue;
    if (all.length === 0 || cells.BYTES_PER_ELEMENT > all.BYTES_PER_ELEMENT) {
      const wider = new (cells.constructor as new (n: number) => Cells)(length);
      wider.set(all);
      all = wider;
    }
    for (const { at, first, end } of pieces) {
      // Cells may end before their rows do: what is behind reads as 0.
      if (first < cells.length) all.set(cells.subarray(first, end), at);
    }
  }
  return all.length === 0 ? new Uint8Array(length) : all;
}

/** `cells` (wider and longer if need be) with the rows of other cells from `at` on; behind their end these read as 0. */
function placed(cells: Cells, at: number, other: Cells, from: number, to: number, expected: number): Cells {
  const count = Math.max(0, Math.min(to, other.length) - from);
  let wide = cells;
  if (count > 0) {
    if (other.BYTES_PER_ELEMENT > wide.BYTES_PER_ELEMENT)
      wide = new (other.constructor as new (from: Cells) => Cells)(wide);
    if (at + count > wide.length) wide = grown(wide, at + count - 1, expected);
    wide.set(other.subarray(from, from + count), at);
  }
  if (at + count < wide.length) wide.fill(0, at + count, at + to - from);
  return wide;
}
