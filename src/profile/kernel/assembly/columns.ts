// Whole columns at once: `rows`, `codes`, `nodes` and what is written are 32-bit numbers, `length` of them.
import { pairId, pairsFirst, pairsSecond } from './pairs';

// @ts-expect-error: decorator
@inline
function cell(held: usize, width: u32, at: usize): u32 {
  if (width === 1) return load<u8>(held + at);
  if (width === 2) return load<u16>(held + (at << 1));
  return load<u32>(held + (at << 2));
}

/**
 * The cell of each row; `via` (of width 0 for none) tells where a row's cell is, `viaCells` of them. Beyond the ends it is 0.
 * Cells of both have 1, 2 or 4 bytes.
 */
export function gather(
  held: usize, width: u32, cells: u32,
  via: usize, viaWidth: u32, viaCells: u32,
  rows: usize, length: u32, into: usize,
): void {
  for (let i: usize = 0, end = <usize>length << 2; i < end; i += 4) {
    let at = load<u32>(rows + i);
    if (viaWidth !== 0) at = at < viaCells ? cell(via, viaWidth, at) : 0;
    store<u32>(into + i, at < cells ? cell(held, width, at) : 0);
  }
}

/** Writes what `to` has for each code that is not 0, and nothing where it is. */
export function overlay(codes: usize, length: u32, to: usize, into: usize): void {
  for (let i: usize = 0, end = <usize>length << 2; i < end; i += 4) {
    const code = load<u32>(codes + i);
    if (code !== 0) store<u32>(into + i, load<u32>(to + (<usize>code << 2)));
  }
}

/** The numbers but 0 that occur, each once, in the order in which they are met. `seen` has a zero byte for each number. */
export function distinct(numbers: usize, length: u32, seen: usize, into: usize): u32 {
  let found = into;
  let last: u32 = 0;
  for (let i: usize = 0, end = <usize>length << 2; i < end; i += 4) {
    const number = load<u32>(numbers + i);
    if (number === last || number === 0) continue;
    last = number;
    if (load<u8>(seen + number) !== 0) continue;
    store<u8>(seen + number, 1);
    store<u32>(found, number);
    found += 4;
  }
  return <u32>((found - into) >> 2);
}

/** The id of each pair plus `base`. Neighbours are mostly alike: the last id is remembered. */
export function join(a: usize, b: usize, length: u32, table: usize, base: u32, into: usize): void {
  let lastA: u32 = 0;
  let lastB: u32 = 0;
  let last: u32 = 0;
  for (let i: usize = 0, end = <usize>length << 2; i < end; i += 4) {
    const x = load<u32>(a + i);
    const y = load<u32>(b + i);
    if (i === 0 || x !== lastA || y !== lastB) {
      lastA = x;
      lastB = y;
      last = pairId(table, x, y) + base;
    }
    store<u32>(into + i, last);
  }
}

/**
 * One step down from each node whose code is not 0: through the frames that the code has, which lie in `frames` from
 * `first[code]` to `first[code + 1]`. The node of pair n is n + 1.
 */
export function descend(nodes: usize, codes: usize, length: u32, first: usize, frames: usize, table: usize): void {
  let lastCode: u32 = 0;
  let lastNode: u32 = 0;
  let lastTo: u32 = 0;
  for (let i: usize = 0, end = <usize>length << 2; i < end; i += 4) {
    const code = load<u32>(codes + i);
    if (code === 0) continue;
    const node = load<u32>(nodes + i);
    if (code !== lastCode || node !== lastNode) {
      lastCode = code;
      lastNode = lastTo = node;
      const at = first + (<usize>code << 2);
      for (let frame = load<u32>(at), until = load<u32>(at, 4); frame < until; frame++)
        lastTo = pairId(table, lastTo, load<u32>(frames + (<usize>frame << 2))) + 1;
    }
    store<u32>(nodes + i, lastTo);
  }
}

/** One step up: what each node was reached by is written, and what is above it takes its place. */
export function climb(table: usize, nodes: usize, length: u32, into: usize): void {
  const first = pairsFirst(table);
  const second = pairsSecond(table);
  for (let i: usize = 0, end = <usize>length << 2; i < end; i += 4) {
    const at = (<usize>load<u32>(nodes + i) - 1) << 2;
    store<u32>(into + i, load<u32>(second + at));
    store<u32>(nodes + i, load<u32>(first + at));
  }
}
