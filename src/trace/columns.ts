/**
 * Columns: struct of arrays that grow, the only form in which operations are kept.
 * A row that was never written reads as 0 (numbers) or as absent (strings, code 0).
 */

type Codes = Uint8Array | Uint16Array | Uint32Array;
type Cells = Uint8Array | Uint16Array | Uint32Array | Float64Array;

const FIRST_CAPACITY = 64;

function grown<T extends Cells>(cells: T, row: number): T {
  const capacity = Math.max(FIRST_CAPACITY, row + 1, Math.ceil(cells.length * 1.5));
  const larger = new (cells.constructor as new (n: number) => T)(capacity);
  larger.set(cells as never);
  return larger;
}

/**
 * Strings as small codes into the column's own dictionary. Code 0 is "absent" and means ''.
 * The code array starts with one byte a row and widens when the dictionary outgrows it.
 */
export class StringColumn {
  codes: Codes = new Uint8Array(0);
  readonly values: string[] = [''];
  private readonly index = new Map<string, number>([['', 0]]);
  private lastValue = '';
  private lastCode = 0;

  /** The code of a value, interning it if it is new. */
  code(value: string): number {
    if (value === this.lastValue) return this.lastCode;
    let code = this.index.get(value);
    if (code === undefined) {
      code = this.values.length;
      this.values.push(value);
      this.index.set(value, code);
    }
    this.lastValue = value;
    this.lastCode = code;
    return code;
  }

  /** The code of a value if some row has it. */
  find(value: string): number | undefined {
    return this.index.get(value);
  }

  set(row: number, value: string): void {
    this.setCode(row, this.code(value));
  }

  setCode(row: number, code: number): void {
    if (row >= this.codes.length) {
      if (code === 0) return;
      this.codes = grown(this.codes, row);
    }
    if (code > 0xff && this.codes.BYTES_PER_ELEMENT === 1) this.codes = Uint16Array.from(this.codes);
    if (code > 0xffff && this.codes.BYTES_PER_ELEMENT === 2) this.codes = Uint32Array.from(this.codes);
    this.codes[row] = code;
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
  cells: Cells = new Uint8Array(0);

  get(row: number): number {
    return this.cells[row] ?? 0;
  }

  set(row: number, value: number): void {
    if (row >= this.cells.length) {
      if (value === 0) return;
      this.cells = grown(this.cells, row);
    }
    if (value > 0xff && !this.fits(value)) this.widen(value);
    this.cells[row] = value;
  }

  add(row: number, value: number): void {
    if (value !== 0) this.set(row, this.get(row) + value);
  }

  private fits(value: number): boolean {
    const bytes = this.cells.BYTES_PER_ELEMENT;
    return bytes === 8 || (bytes === 4 && value <= 0xffffffff) || (bytes === 2 && value <= 0xffff);
  }

  private widen(value: number): void {
    if (value <= 0xffff) this.cells = Uint16Array.from(this.cells);
    else if (value <= 0xffffffff) this.cells = Uint32Array.from(this.cells);
    else this.cells = Float64Array.from(this.cells);
  }
}

/** 64-bit keys as two 32-bit lanes; (0, 0) means "no key". */
export class KeyColumn {
  high: Uint32Array = new Uint32Array(0);
  low: Uint32Array = new Uint32Array(0);

  set(row: number, high: number, low: number): void {
    if (row >= this.high.length) {
      this.high = grown(this.high, row);
      this.low = grown(this.low, row);
    }
    this.high[row] = high;
    this.low[row] = low;
  }

  has(row: number): boolean {
    return ((this.high[row] ?? 0) | (this.low[row] ?? 0)) !== 0;
  }
}
