// What the cells of rows amount to. `groups` has the group of each row. A cell has 1, 2, 4 or 8 bytes; with 8 it is a double
// that holds an integer.

// @ts-ignore: decorator
@inline
function cell(cells: usize, width: u32, at: usize): i64 {
  if (width === 1) return load<u8>(cells + at);
  if (width === 2) return load<u16>(cells + (at << 1));
  if (width === 4) return load<u32>(cells + (at << 2));
  return <i64>load<f64>(cells + (at << 3));
}

/** Marks with a byte the groups that have a row whose cell is not 0; gives how many were not marked before. */
export function mark(
  cells: usize, width: u32, count: u32, rows: usize, groups: usize, length: u32, marks: usize,
): u32 {
  let fresh: u32 = 0;
  for (let i: usize = 0, end = <usize>length << 2; i < end; i += 4) {
    const row = load<u32>(rows + i);
    if (row >= count || cell(cells, width, row) === 0) continue;
    const at = marks + load<u32>(groups + i);
    if (load<u8>(at) !== 0) continue;
    store<u8>(at, 1);
    fresh++;
  }
  return fresh;
}

/** Counts marked groups: each learns how many stand before it. */
export function numberMarked(marks: usize, length: u32, into: usize): void {
  let count: u32 = 0;
  for (let i: usize = 0; i < length; i++) {
    store<u32>(into + (i << 2), count);
    count += load<u8>(marks + i);
  }
}

/** The place of the sample of each marked group; these samples are one behind the other, and so are their places. */
export function spread(marks: usize, length: u32, places: usize, into: usize): void {
  for (let i: usize = 0; i < length; i++) {
    if (load<u8>(marks + i) === 0) continue;
    store<u32>(into + (i << 2), load<u32>(places));
    places += 4;
  }
}

/**
 * Samples `begin` to `end` of an order: those that have one of these `count` sums, which belong to the samples from number `first`
 * on, add it at their place. `into` begins with the place `place`.
 */
export function addSums(
  sums: usize, count: u32, first: u32, order: usize, placeOf: usize, begin: u32, end: u32, place: u32, into: usize,
): void {
  for (let at = order + (<usize>begin << 2), until = order + (<usize>end << 2); at < until; at += 4) {
    const sample = load<u32>(at);
    const own = sample - first;
    if (own >= count) continue;
    const to = into + (<usize>(load<u32>(placeOf + (<usize>sample << 2)) - place) << 3);
    store<i64>(to, load<i64>(to) + load<i64>(sums + (<usize>own << 3)));
  }
}

/** Adds the cell of each row at the place of its group: sums of 64 bits, exact. A group whose cells are all 0 needs no place. */
export function addCells(
  cells: usize, width: u32, count: u32, rows: usize, groups: usize, length: u32, places: usize, sums: usize,
): void {
  for (let i: usize = 0, end = <usize>length << 2; i < end; i += 4) {
    const row = load<u32>(rows + i);
    if (row >= count) continue;
    const value = cell(cells, width, row);
    if (value === 0) continue;
    const place = load<u32>(places + (<usize>load<u32>(groups + i) << 2));
    const at = sums + (<usize>place << 3);
    store<i64>(at, load<i64>(at) + value);
  }
}
