import type { SparseRows } from '../../src/meaning/text/sparse.ts';

/** The product of two rows, entry by entry in ascending columns. */
export function dot(a: SparseRows, rowA: number, b: SparseRows, rowB: number): number {
  let at = a.starts[rowA] as number;
  let other = b.starts[rowB] as number;
  let sum = 0;
  while (at < (a.starts[rowA + 1] as number) && other < (b.starts[rowB + 1] as number)) {
    const apart = (a.columns[at] as number) - (b.columns[other] as number);
    if (apart === 0) sum += (a.values[at++] as number) * (b.values[other++] as number);
    else if (apart < 0) at++;
    else other++;
  }
  return sum;
}
