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

function grown<T extends Cells>(cells: T, row: number): T {
  const capacity = Math.max(FIRST_CAPACITY, row + 1, Math.ceil(cells.length * 1.5));
  const larger = new (cells.constructor as new (n: number) => T)(capacity);
  larger.set(cells as never);
  return larger;
}

export interface StoredStrings {
  readonly codes: Codes;
  /** The dictionary; entry 0 is ''. */
  readonly values: string[];
}

/**
 * Strings as small codes into the column's own dictionary. Code 0 is "absent" and means ''.
 * The code array starts with one byte a row and widens when the dictionary outgrows it.
 */
export class StringColumn {
  private held: Codes = new Uint8Array(0);
  private dictionary: string[] = [''];
  private index: Map<string, number> | undefined = new Map([['', 0]]);
  private lastValue = '';
  private lastCode = 0;
  private fetch: (() => StoredStrings) | undefined;

  static stored(fetch: () => StoredStrings): StringColumn {
    const column = new StringColumn();
    column.fetch = fetch;
    return column;
  }

  get codes(): Codes {
    if (this.fetch) this.fill(this.fetch);
    return this.held;
  }

  get values(): readonly string[] {
    if (this.fetch) this.fill(this.fetch);
    return this.dictionary;
  }

  private fill(fetch: () => StoredStrings): void {
    this.fetch = undefined;
    const { codes, values } = fetch();
    this.held = codes;
    this.dictionary = values;
    this.index = undefined;
  }

  private indexed(): Map<string, number> {
    const { values } = this;
    if (!this.index) {
      this.index = new Map();
      for (let code = 0; code < values.length; code++) this.index.set(values[code] as string, code);
    }
    return this.index;
  }

  /** The code of a value, interning it if it is new. */
  code(value: string): number {
    if (value === this.lastValue) return this.lastCode;
    const index = this.indexed();
    let code = index.get(value);
    if (code === undefined) {
      code = this.dictionary.length;
      this.dictionary.push(value);
      index.set(value, code);
    }
    this.lastValue = value;
    this.lastCode = code;
    return code;
  }

  /** The code of a value if the column knows it. */
  find(value: string): number | undefined {
    return this.indexed().get(value);
  }

  set(row: number, value: string): void {
    this.setCode(row, this.code(value));
  }

  setCode(row: number, code: number): void {
    let { codes } = this;
    if (row >= codes.length) {
      if (code === 0) return;
      codes = grown(codes, row);
    }
    if (code > 0xff && codes.BYTES_PER_ELEMENT === 1) codes = Uint16Array.from(codes);
    if (code > 0xffff && codes.BYTES_PER_ELEMENT === 2) codes = Uint32Array.from(codes);
    codes[row] = code;
    this.held = codes;
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
  private held: Cells = new Uint8Array(0);
  private fetch: (() => Cells) | undefined;

  static stored(fetch: () => Cells): NumberColumn {
    const column = new NumberColumn();
    column.fetch = fetch;
    return column;
  }

  get cells(): Cells {
    if (this.fetch) {
      const { fetch } = this;
      this.fetch = undefined;
      this.held = fetch();
    }
    return this.held;
  }

  get(row: number): number {
    return this.cells[row] ?? 0;
  }

  set(row: number, value: number): void {
    let { cells } = this;
    if (row >= cells.length) {
      if (value === 0) return;
      cells = grown(cells, row);
    }
    if (value > 0xff) cells = wideFor(cells, value);
    cells[row] = value;
    this.held = cells;
  }

  add(row: number, value: number): void {
    if (value !== 0) this.set(row, this.get(row) + value);
  }
}

function wideFor(cells: Cells, value: number): Cells {
  const bytes = cells.BYTES_PER_ELEMENT;
  if (bytes === 8 || (bytes === 4 && value <= 0xffffffff) || (bytes === 2 && value <= 0xffff)) return cells;
  if (value <= 0xffff) return Uint16Array.from(cells);
  return value <= 0xffffffff ? Uint32Array.from(cells) : Float64Array.from(cells);
}

/** 64-bit keys as two 32-bit lanes; (0, 0) means "no key". */
export class KeyColumn {
  private readonly lanes: readonly [NumberColumn, NumberColumn];

  constructor(high: NumberColumn = new NumberColumn(), low: NumberColumn = new NumberColumn()) {
    this.lanes = [high, low];
  }

  get high(): Cells {
    return this.lanes[0].cells;
  }

  get low(): Cells {
    return this.lanes[1].cells;
  }

  set(row: number, high: number, low: number): void {
    this.lanes[0].set(row, high);
    this.lanes[1].set(row, low);
  }

  has(row: number): boolean {
    return ((this.high[row] ?? 0) | (this.low[row] ?? 0)) !== 0;
  }
}
