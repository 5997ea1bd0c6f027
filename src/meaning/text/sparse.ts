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

/** Dot product of two rows; the cosine where both have length 1, as TF-IDF rows have. */
export function dot(a: SparseRows, rowA: number, b: SparseRows, rowB: number): number {
  let [at, other] = [a.starts[rowA] as number, b.starts[rowB] as number];
  const [end, otherEnd] = [a.starts[rowA + 1] as number, b.starts[rowB + 1] as number];
  let sum = 0;
  while (at < end && other < otherEnd) {
    const [column, otherColumn] = [a.columns[at] as number, b.columns[other] as number];
    if (column === otherColumn) sum += (a.values[at++] as number) * (b.values[other++] as number);
    else if (column < otherColumn) at++;
    else other++;
  }
  return sum;
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
