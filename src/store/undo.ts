import { type Cells, NumberColumn, StringColumn } from '../trace/columns.ts';
import { TOKEN_COLUMNS } from '../trace/measures.ts';
import type { Operations } from '../trace/operations.ts';
import { loadNumbers, loadStrings, saveNumbers, saveStrings } from './columns.ts';
import { bytesOf, type PackReader, type PackWriter } from './pack.ts';

/**
 * What settling and linking change in the rows that readers made. The values before are kept beside, few as they are,
 * so that a grown history is settled and linked again from what the readers made: the same as if it were read anew.
 */
const NUMBERS = ['flags', 'key.high', 'key.low', 'end', 'parent', ...TOKEN_COLUMNS.map(name => `tokens.${name}`)];
const STRINGS = ['field.model'];

/** Rows of one column, and what stood there. A parent is a row plus one. */
export interface Undo {
  readonly name: string;
  readonly rows: Uint32Array;
  readonly before: NumberColumn | StringColumn;
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
  private readonly before = new Map<string, Stretch[]>([...NUMBERS, ...STRINGS].map(name => [name, []]));
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
      stretches.push({ first, end, cells: cellsOf(this.ops, name).slice(first, end) });
    }
    this.watched = end;
  }

  made(): Undo[] {
    const made: Undo[] = [];
    for (const [name, stretches] of this.before) {
      const rows: number[] = [];
      const values: number[] = [];
      const now = cellsOf(this.ops, name);
      for (const { first, end, cells } of stretches) {
        if (sameCells(cells, now.subarray(first, end))) continue;
        for (let row = first; row < end; row++) {
          const value = cells[row - first] ?? 0;
          if (value === (now[row] ?? 0)) continue;
          rows.push(row);
          values.push(value);
        }
      }
      if (rows.length > 0) made.push({ name, rows: Uint32Array.from(rows), before: this.columnOf(name, values) });
    }
    return made;
  }

  private columnOf(name: string, values: readonly number[]): NumberColumn | StringColumn {
    const words = this.ops.columns().strings.get(name);
    const column = words ? new StringColumn(words.dictionary) : new NumberColumn();
    values.forEach((value, at) => {
      if (column instanceof StringColumn) column.setCode(at, value);
      else column.set(at, value);
    });
    return column;
  }
}

/** Most columns are as they were, which bytes tell at once; false may still mean the same numbers in wider cells. */
function sameCells(a: Cells, b: Cells): boolean {
  return a.BYTES_PER_ELEMENT === b.BYTES_PER_ELEMENT && Buffer.compare(bytesOf(a), bytesOf(b)) === 0;
}

function cellsOf(ops: Operations, name: string): Cells {
  const { numbers, strings } = ops.columns();
  return strings.get(name)?.codes ?? numbers.get(name)?.cells ?? new Uint8Array(0);
}

const PREFIX = 'undo/';
const ROWS = '/rows';

export function saveUndo(pack: PackWriter, changes: readonly Undo[]): void {
  for (const { name, rows, before } of changes) {
    pack.cells(PREFIX + name + ROWS, rows);
    if (before instanceof StringColumn) saveStrings(pack, PREFIX + name, before, rows.length, true);
    else saveNumbers(pack, PREFIX + name, before, rows.length);
  }
}

export function loadUndo(pack: PackReader): Undo[] {
  return [...NUMBERS, ...STRINGS].flatMap(name => {
    if (!pack.has(PREFIX + name + ROWS)) return [];
    const rows = pack.cells(PREFIX + name + ROWS) as Uint32Array;
    return {
      name,
      rows,
      before: STRINGS.includes(name) ? loadStrings(pack, PREFIX + name) : loadNumbers(pack, PREFIX + name),
    };
  });
}

/** Puts back what the readers made, in the rows that `concerns` names. */
export function undo(changes: readonly Undo[], ops: Operations, concerns: (row: number) => boolean): void {
  const { numbers, strings } = ops.columns();
  for (const { name, rows, before } of changes) {
    rows.forEach((row, at) => {
      if (!concerns(row)) return;
      if (before instanceof StringColumn) strings.get(name)?.set(row, before.get(at));
      else numbers.get(name)?.set(row, before.get(at));
    });
  }
}
