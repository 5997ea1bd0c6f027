import type { Cells, NumberColumn } from '../trace/columns.ts';
import { TOKEN_COLUMNS } from '../trace/measures.ts';
import type { Operations } from '../trace/operations.ts';
import { loadNumbers } from './columns.ts';
import type { PackReader, PackWriter } from './pack.ts';

/**
 * What settling and linking change in the rows that readers made. The values before are kept beside, few as they are,
 * so that a grown history is settled and linked again from what the readers made: the same as if it were read anew.
 */
const CHANGED = ['flags', 'key.high', 'key.low', 'end', 'parent', ...TOKEN_COLUMNS.map(name => `tokens.${name}`)];

const PREFIX = 'undo/';
const ROWS = '/rows';

/** Rows of one column, and what stood there. */
interface Undo {
  readonly name: string;
  readonly rows: Uint32Array;
  readonly values: Float64Array;
}

/** A stretch of rows of one column as it was. */
interface Stretch {
  readonly first: number;
  readonly end: number;
  readonly cells: Cells;
}

/** Remembers the columns that may change, and tells what has changed. */
export class Changes {
  private readonly ops: Operations;
  private readonly before = new Map<string, Stretch[]>(CHANGED.map(name => [name, []]));
  private watched = 0;

  constructor(ops: Operations) {
    this.ops = ops;
    this.watch();
  }

  /** Takes what stands in the rows that are not watched yet as what they were made with. */
  watch(): void {
    const first = this.watched;
    const end = this.ops.length;
    for (const [name, stretches] of this.before) {
      stretches.push({ first, end, cells: columnOf(this.ops, name).cells.slice(first, end) });
    }
    this.watched = end;
  }

  made(): Undo[] {
    const made: Undo[] = [];
    for (const [name, stretches] of this.before) {
      const rows: number[] = [];
      const values: number[] = [];
      const now = columnOf(this.ops, name).cells;
      for (const { first, end, cells } of stretches) {
        for (let row = first; row < end; row++) {
          const value = cells[row - first] ?? 0;
          if (value === (now[row] ?? 0)) continue;
          rows.push(row);
          values.push(value);
        }
      }
      if (rows.length > 0) made.push({ name, rows: Uint32Array.from(rows), values: Float64Array.from(values) });
    }
    return made;
  }
}

export function saveChanges(pack: PackWriter, changes: readonly Undo[]): void {
  for (const { name, rows, values } of changes) {
    pack.cells(PREFIX + name + ROWS, rows);
    pack.cells(PREFIX + name, values);
  }
}

/** Puts back what the readers made. */
export function undoChanges(pack: PackReader, ops: Operations): void {
  for (const name of CHANGED) {
    if (!pack.has(PREFIX + name)) continue;
    const rows = loadNumbers(pack, PREFIX + name + ROWS).cells;
    const values = loadNumbers(pack, PREFIX + name).cells;
    const column = columnOf(ops, name);
    rows.forEach((row, i) => column.set(row, values[i] ?? 0));
  }
}

function columnOf(ops: Operations, name: string): NumberColumn {
  return ops.columns().numbers.get(name) as NumberColumn;
}
