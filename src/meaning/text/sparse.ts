/**
 * Rows of a matrix that is mostly zero. Row r has the entries `starts[r]` to `starts[r + 1]`: their columns ascend and
 * their values are not zero.
 */
export interface SparseRows {
  readonly rows: number;
  readonly dimensions: number;
  /** One more than there are rows. */
  readonly starts: Uint32Array;
  readonly columns: Uint32Array;
  readonly values: Float32Array;
}

/** The chosen rows, in the order given. */
export function rowsAt(from: SparseRows, chosen: ArrayLike<number>): SparseRows {
  const starts = new Uint32Array(chosen.length + 1);
  for (let at = 0; at < chosen.length; at++) {
    const row = chosen[at] as number;
    starts[at + 1] = (starts[at] as number) + (from.starts[row + 1] as number) - (from.starts[row] as number);
  }
  const entries = starts[chosen.length] as number;
  const columns = new Uint32Array(entries);
  const values = new Float32Array(entries);
  for (let at = 0; at < chosen.length; at++) {
    const row = chosen[at] as number;
    const [start, end] = [from.starts[row] as number, from.starts[row + 1] as number];
    columns.set(from.columns.subarray(start, end), starts[at]);
    values.set(from.values.subarray(start, end), starts[at]);
  }
  return { rows: chosen.length, dimensions: from.dimensions, starts, columns, values };
}

/** The same rows over only the columns that have entries; `original` tells which those were. */
export function withoutEmptyColumns(rows: SparseRows): { rows: SparseRows; original: Uint32Array } {
  const used = new Uint8Array(rows.dimensions);
  for (const column of rows.columns) used[column] = 1;
  const place = new Uint32Array(rows.dimensions);
  const original: number[] = [];
  for (let column = 0; column < rows.dimensions; column++) {
    if (used[column] === 1) place[column] = original.push(column) - 1;
  }
  const columns = rows.columns.map(column => place[column] as number);
  return { rows: { ...rows, dimensions: original.length, columns }, original: Uint32Array.from(original) };
}

/** The same matrix by column: column c has the entries `starts[c]` to `starts[c + 1]`, and their rows ascend. */
export interface SparseColumns {
  /** One more than there are columns. */
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
  readonly values: Float32Array;
}

export function columnsOf(from: SparseRows): SparseColumns {
  const starts = new Uint32Array(from.dimensions + 1);
  for (const column of from.columns) starts[column + 1] = (starts[column + 1] as number) + 1;
  for (let column = 0; column < from.dimensions; column++)
    starts[column + 1] = (starts[column + 1] as number) + (starts[column] as number);
  const next = starts.slice(0, -1);
  const rows = new Uint32Array(from.columns.length);
  const values = new Float32Array(from.columns.length);
  for (let row = 0; row < from.rows; row++)
    for (let at = from.starts[row] as number; at < (from.starts[row + 1] as number); at++) {
      const column = from.columns[at] as number;
      const entry = next[column] as number;
      next[column] = entry + 1;
      rows[entry] = row;
      values[entry] = from.values[at] as number;
    }
  return { starts, rows, values };
}
