import { type Cells, type Elsewhere, MOST, type Width } from './cells.ts';

/** The cells of one column: in memory, or elsewhere until they are first written to or asked for. */
export abstract class HeldCells<Of extends Cells> {
  protected held: Of;
  protected elsewhere: Elsewhere<Of> | undefined;
  protected expected = 0;
  /** Rows and numbers below these are written at once; 0 while the cells lie elsewhere. */
  protected room = 0;
  protected most = 0;
  /** All 0: what was held before the column was cleared. */
  protected spare: Of;
  private readonly none: Of;

  constructor(none: Of) {
    this.held = none;
    this.spare = none;
    this.none = none;
  }

  /** How many cells there are, and of how many bytes, wherever they lie. */
  get size(): number {
    return (this.elsewhere ?? this.held).length;
  }

  get width(): Width {
    return this.elsewhere?.width ?? (this.held.BYTES_PER_ELEMENT as Width);
  }

  /** Whether the cells lie where they did at first: nobody has asked for them, and nobody has written any. */
  get isElsewhere(): boolean {
    return this.elsewhere !== undefined;
  }

  protected here(): Of {
    if (this.elsewhere) this.hold(this.elsewhere.fetch());
    return this.held;
  }

  protected hold(cells: Of): void {
    this.held = cells;
    this.elsewhere = undefined;
    this.room = cells.length;
    this.most = MOST[cells.BYTES_PER_ELEMENT] as number;
  }

  /** Forgets all cells, of which none lies behind the first `rows`; the memory is used again. */
  clear(rows: number): void {
    if (this.room > 0) this.spare = this.held.fill(0, 0, rows) as Of;
    this.hold(this.none);
  }

  /** The cells to look at once, see `Elsewhere`. */
  glance(): Of {
    return this.elsewhere ? this.elsewhere.glance() : this.held;
  }

  /** Makes room for so many rows at once when it is next made larger. */
  expect(rows: number): void {
    this.expected = rows;
  }
}
