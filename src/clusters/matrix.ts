/** Points as rows of one dense array: point `i` has its coordinates from `i * dims` on. */
export interface Matrix {
  readonly rows: number;
  readonly dims: number;
  readonly cells: Float64Array;
}

export function emptyMatrix(rows: number, dims: number): Matrix {
  return { rows, dims, cells: new Float64Array(rows * dims) };
}

/** A matrix of rows that are given one by one; all must have the same length. */
export function matrixOf(rows: readonly ArrayLike<number>[]): Matrix {
  const dims = rows[0]?.length ?? 0;
  const matrix = emptyMatrix(rows.length, dims);
  rows.forEach((row, at) => {
    if (row.length !== dims) throw new RangeError(`row ${at} has ${row.length} coordinates, row 0 has ${dims}`);
    matrix.cells.set(row, at * dims);
  });
  return matrix;
}

export function rowOf(matrix: Matrix, row: number): Float64Array {
  return matrix.cells.subarray(row * matrix.dims, (row + 1) * matrix.dims);
}

/** The given rows, in the given order. */
export function rowsOf(matrix: Matrix, rows: ArrayLike<number>): Matrix {
  const taken = emptyMatrix(rows.length, matrix.dims);
  for (let i = 0; i < rows.length; i++) taken.cells.set(rowOf(matrix, rows[i] as number), i * matrix.dims);
  return taken;
}

/** Each row scaled to length 1, so that Euclidean order is cosine order; a row of zeros stays one. */
export function normalised(matrix: Matrix): Matrix {
  const { rows, dims } = matrix;
  const unit = { rows, dims, cells: matrix.cells.slice() };
  for (let row = 0; row < rows; row++) {
    const cells = rowOf(unit, row);
    let square = 0;
    for (const cell of cells) square += cell * cell;
    if (square > 0) {
      const length = Math.sqrt(square);
      for (let d = 0; d < dims; d++) cells[d] = (cells[d] as number) / length;
    }
  }
  return unit;
}
