// Exact sums of 64 bits, one a group. `groups` has that of each row.

/** Adds the cell of each row to its group. A cell has 1, 2, 4 or 8 bytes; with 8 it is a double that holds an integer. */
export function addCells(
  cells: usize,
  width: u32,
  count: u32,
  rows: usize,
  groups: usize,
  length: u32,
  sums: usize,
): void {
  const end = (<usize>length) << 2;
  for (let i: usize = 0; i < end; i += 4) {
    const row = load<u32>(rows + i);
    if (row >= count) continue;
    let value: i64;
    if (width === 1) value = load<u8>(cells + row);
    else if (width === 2) value = load<u16>(cells + ((<usize>row) << 1));
    else if (width === 4) value = load<u32>(cells + ((<usize>row) << 2));
    else value = <i64>load<f64>(cells + ((<usize>row) << 3));
    if (value === 0) continue;
    const at = sums + ((<usize>load<u32>(groups + i)) << 3);
    store<i64>(at, load<i64>(at) + value);
  }
}

/** Marks with a byte the groups whose sum is not 0; gives how many were not marked before. */
export function markSums(sums: usize, length: u32, present: usize): u32 {
  let fresh: u32 = 0;
  for (let i: usize = 0; i < length; i++) {
    if (load<i64>(sums + (i << 3)) === 0 || load<u8>(present + i) !== 0) continue;
    store<u8>(present + i, 1);
    fresh++;
  }
  return fresh;
}

/** The sums of the marked groups alone, one behind the other. */
export function packSums(sums: usize, present: usize, length: u32, into: usize): void {
  for (let i: usize = 0; i < length; i++) {
    if (load<u8>(present + i) === 0) continue;
    store<i64>(into, load<i64>(sums + (i << 3)));
    into += 8;
  }
}

/** Adds each sum at its place. */
export function scatterSums(sums: usize, length: u32, places: usize, into: usize): void {
  for (let i: usize = 0; i < length; i++) {
    const at = into + ((<usize>load<u32>(places + (i << 2))) << 3);
    store<i64>(at, load<i64>(at) + load<i64>(sums + (i << 3)));
  }
}
