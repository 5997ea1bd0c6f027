/** The cells of columns: typed arrays, and how they are made longer and wider, copied and joined. */

export type Codes = Uint8Array | Uint16Array | Uint32Array;
export type Cells = Uint8Array | Uint16Array | Uint32Array | Float64Array;

const FIRST_CAPACITY = 64;
export const NO_CELLS = new Uint8Array(0);

/** Zeros for codes or row numbers below `below`. */
export function codesBelow(below: number, length: number): Codes {
  if (below <= 0x100) return new Uint8Array(length);
  return below <= 0x10000 ? new Uint16Array(length) : new Uint32Array(length);
}

/** The largest number that a cell of so many bytes holds. */
export const MOST: Readonly<Record<number, number>> = {
  1: 0xff,
  2: 0xffff,
  4: 0xffffffff,
  8: Number.MAX_SAFE_INTEGER,
};

export function grown<T extends Cells>(cells: T, row: number, expected: number): T {
  const capacity = Math.max(FIRST_CAPACITY, row + 1, expected, Math.ceil(cells.length * 1.5));
  const larger = new (cells.constructor as new (n: number) => T)(capacity);
  larger.set(cells as never);
  return larger;
}

export type Width = 1 | 2 | 4 | 8;

/** Cells that lie elsewhere until they are wanted: at most so many, of so many bytes. */
export interface Elsewhere<Of extends Cells = Cells> {
  readonly length: number;
  readonly width: Width;
  /** To keep, and to write to. */
  fetch(): Of;
  /** To look at once: they may be overwritten as soon as anything else is looked at. */
  glance(): Of;
}

export function wideFor(cells: Cells, value: number): Cells {
  const bytes = cells.BYTES_PER_ELEMENT;
  if (bytes === 8 || (bytes === 4 && value <= 0xffffffff) || (bytes === 2 && value <= 0xffff)) return cells;
  if (value <= 0xffff) return new Uint16Array(cells);
  return value <= 0xffffffff ? new Uint32Array(cells) : new Float64Array(cells);
}

/** Rows `first` to `end`. */
export interface Rows {
  readonly first: number;
  readonly end: number;
}

/** Rows of a column. */
export interface Part<Column> extends Rows {
  readonly column: Column;
}

/** `cells` (wider and longer if need be) with stretches of other cells behind each other, from `at` on. */
export function appended(cells: Cells, at: number, other: Cells, stretches: readonly Rows[], expected: number): Cells {
  const count = stretches.reduce((sum, { first, end }) => sum + end - first, 0);
  let all = cells;
  if (other.BYTES_PER_ELEMENT > all.BYTES_PER_ELEMENT) all = new (other.constructor as new (from: Cells) => Cells)(all);
  if (at + count > all.length) all = grown(all, at + count - 1, expected);
  let to = at;
  for (const { first, end } of stretches) {
    if (first < other.length) all.set(other.subarray(first, end), to);
    to += end - first;
  }
  return all;
}

/** Memory for cells that are looked at once, used again for the next: fresh pages cost more than what is written to them. */
export class Room {
  private bytes = new ArrayBuffer(0);

  /** So many cells, all 0, until it is asked for others. */
  cells(width: Width, length: number): Cells {
    if (this.bytes.byteLength < width * length) this.bytes = new ArrayBuffer(width * length);
    return new OF_WIDTH[width](this.bytes, 0, length).fill(0);
  }
}

const OF_WIDTH = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: Float64Array } as const;

/** What a column can be looked at by. */
interface Looked {
  readonly size: number;
  readonly width: Width;
  glance(): Cells;
}

/** Rows of columns, behind each other. Each column is looked at once, however many of its rows stand between those of others. */
export class Joined implements Elsewhere {
  readonly length: number;
  private readonly parts: readonly Part<Looked>[];
  private readonly room: Room;

  constructor(parts: readonly Part<Looked>[], room: Room) {
    this.parts = parts;
    this.room = room;
    this.length = parts.reduce((sum, { first, end }) => sum + end - first, 0);
  }

  get width(): Width {
    let most: Width = 1;
    for (const { column } of this.parts) if (column.size > 0 && column.width > most) most = column.width;
    return most;
  }

  fetch(): Cells {
    return this.into(new OF_WIDTH[this.width](this.length));
  }

  glance(): Cells {
    return this.into(this.room.cells(this.width, this.length));
  }

  private into(all: Cells): Cells {
    const places = new Map<Looked, { at: number; first: number; end: number }[]>();
    let at = 0;
    for (const { column, first, end } of this.parts) {
      const before = places.get(column);
      if (before) before.push({ at, first, end });
      else places.set(column, [{ at, first, end }]);
      at += end - first;
    }
    for (const [column, pieces] of places) {
      if (column.size === 0) continue;
      const cells = column.glance();
      for (const piece of pieces) {
        // Cells may end before their rows do: what is behind reads as 0.
        if (piece.first < cells.length) all.set(cells.subarray(piece.first, piece.end), piece.at);
      }
    }
    return all;
  }
}

/** `cells` (wider and longer if need be) with the rows of other cells from `at` on; behind their end these read as 0. */
export function placed(cells: Cells, at: number, other: Cells, from: number, to: number, expected: number): Cells {
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
