/**
 * The values of samples, a column a measure, each made when it is first looked at. Most values are 0, so whoever reads all of
 * them in order asks for blocks: no column is made for these.
 */
export type ValueColumns = readonly BigInt64Array[];

/** Writes the values of samples `from` to `from + count`: those of measure m lie in `into` from `m * stride` on. */
export type Block = (from: number, count: number, into: BigInt64Array, stride: number) => void;

const BLOCKS = new WeakMap<ValueColumns, Block>();

/** `column` makes the column of a measure; `block` gives the same values. */
export function valueColumns(measures: number, column: (measure: number) => BigInt64Array, block: Block): ValueColumns {
  const made: BigInt64Array[] = [];
  const columns: BigInt64Array[] = [];
  for (let m = 0; m < measures; m++)
    Object.defineProperty(columns, m, { enumerable: true, get: () => (made[m] ??= column(m)) });
  BLOCKS.set(columns, block);
  return columns;
}

export function blocksOf(columns: ValueColumns): Block {
  const copied: Block = (from, count, into, stride) =>
    columns.forEach((column, m) => {
      into.set(column.subarray(from, from + count), m * stride);
    });
  return BLOCKS.get(columns) ?? copied;
}
