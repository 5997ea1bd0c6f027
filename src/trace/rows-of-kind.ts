import type { Kind } from './kinds.ts';
import type { Operations } from './operations.ts';

/**
 * The rows of a kind that is rare, or of two, ascending; not of kind `session`. They are searched for by the engine itself: a
 * loop over all rows runs once and is mostly compiled for it.
 */
export function rowsOf(ops: Operations, kind: Exclude<Kind, 0>, other: Exclude<Kind, 0> = kind): Uint32Array {
  const kinds = ops.kind.cells.subarray(0, ops.length);
  const rows: number[] = [];
  let row = kinds.indexOf(kind);
  let second = other === kind ? -1 : kinds.indexOf(other);
  for (; row >= 0; row = kinds.indexOf(kind, row + 1)) {
    for (; second >= 0 && second < row; second = kinds.indexOf(other, second + 1)) rows.push(second);
    rows.push(row);
  }
  for (; second >= 0; second = kinds.indexOf(other, second + 1)) rows.push(second);
  return new Uint32Array(rows);
}
