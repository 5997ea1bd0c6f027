import type { Cells } from '../trace/cells.ts';
import { rowNumbers } from '../trace/dedupe.ts';
import { NO_ROW } from '../trace/kinds.ts';
import type { Operations } from '../trace/operations.ts';

/** One of the histories that are put together: where its rows and sessions stand in the whole. */
export class Side {
  readonly ops: Operations;
  /** By session: its number in the whole; NO_ROW for one that is not of it. */
  readonly sessions: Uint32Array;
  /** By row plus one: its place in the whole plus one; 0 for what is not of it, and for no row at all. */
  private readonly places: Uint32Array;

  constructor(ops: Operations) {
    this.ops = ops;
    this.places = new Uint32Array(ops.length + 1);
    this.sessions = new Uint32Array(ops.sessions.all.length).fill(NO_ROW);
  }

  /** The place of a row; NO_ROW for what is not of the whole. */
  placeOf(row: number): number {
    return ((this.places[row + 1] as number) - 1) >>> 0;
  }

  /** Rows from `first` on stand where `places` says. */
  stand(first: number, places: Uint32Array): void {
    this.places.set(places, first + 1);
  }

  /** Places of the rows that stretches of cells name, which hold rows or NO_ROW. */
  rowsIn(stretches: readonly Stretch[], from: Cells, to: Cells): void {
    for (const stretch of stretches) through(this.places, stretch, from, to, 1);
  }

  /** The same of cells that hold rows plus one, or 0: so they are in the whole too. */
  rowsPlusOneIn(stretches: readonly Stretch[], from: Cells, to: Cells): void {
    for (const stretch of stretches) through(this.places, stretch, from, to, 0);
  }

  /** The numbers in the whole of the sessions that stretches of cells name. */
  sessionsIn(stretches: readonly Stretch[], from: Cells, to: Cells): void {
    for (const stretch of stretches) {
      const last = through(this.sessions, stretch, from, to, 0);
      // Behind their end cells read as 0.
      if (last < stretch.end)
        to.fill(
          this.sessions[0] as number,
          stretch.at + last - stretch.first,
          stretch.at + stretch.end - stretch.first,
        );
    }
  }
}

/** Rows `first` to `end` of a side, which stand from `at` on. */
export interface Stretch {
  readonly at: number;
  readonly first: number;
  readonly end: number;
}

/**
 * Puts what `table` has for each cell of a stretch where the stretch stands; `by` is added to a cell before, and taken off what is
 * found. Gives the row behind the last that has a cell. All columns go through this one loop: it is compiled once.
 */
function through(table: Uint32Array, { at, first, end }: Stretch, from: Cells, to: Cells, by: number): number {
  const last = Math.min(end, from.length);
  const ahead = at - first;
  for (let row = first; row < last; row++) to[row + ahead] = (table[((from[row] as number) + by) >>> 0] as number) - by;
  return Math.max(first, last);
}

/** 1, 2, 3 and so on: places plus one. */
export function placesPlusOne(count: number): Uint32Array {
  return rowNumbers(count + 1).subarray(1);
}
