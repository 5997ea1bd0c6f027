import type { Cells, Codes } from '../../trace/columns.ts';

/**
 * What a fold does to whole columns. There are two of it, which give the same numbers: the kernel in WebAssembly, because
 * such loops run once a program and compiled code is ready at once there, and plain JavaScript where that does not run.
 *
 * What an engine makes lives as long as the engine. The cells of its columns are views of its memory: they are good until
 * the engine is next asked for anything.
 */
export interface Engine {
  /** A column of zeros. */
  numbers(length: number): Numbers;
  copy(cells: Uint32Array): Numbers;
  /** Nobody looks at this column any more: its room is used again. */
  release(column: Numbers): void;
  pairs(expected?: number): PairTable;
  /** Both columns of a table that grows no more. */
  columns(table: PairTable): readonly [first: Numbers, second: Numbers];

  /** The cell of each row; `via` tells where a row's cell is. Beyond the ends it is 0. */
  gather(held: Codes, via: Codes | undefined, rows: Numbers, into: Numbers): void;
  /** Writes what `to` has for each code that is not 0, and nothing where it is. */
  overlay(codes: Numbers, to: Uint32Array, into: Numbers): void;
  /** The numbers but 0 that occur, all below `below`, each once, in the order in which they are met. To keep. */
  distinct(numbers: Numbers, below: number): Uint32Array;
  /** The id of each pair plus `base`. */
  join(a: Numbers, b: Numbers, table: PairTable, base: number, into: Numbers): void;
  /** One step down from each node whose code is not 0. The node of pair n is n + 1. */
  descend(nodes: Numbers, codes: Numbers, steps: Steps, table: PairTable): void;
  /**
   * Of nodes of a table that is a tree (pair n is node n + 1, its first number the node above, 0 the root), all equally deep:
   * the second numbers on the way down to each, a column a level; and the order of the nodes by these, level by level. On level
   * i all are below `below[i]`. To keep.
   */
  paths(table: PairTable, nodes: Uint32Array, below: readonly number[]): Paths;

  /** Nothing is marked yet, or everything. */
  marks(length: number, all: boolean): Marks;
  /** Marks the groups that have a row whose cell is not 0. `of` has the group of each row. */
  mark(cells: Cells, rows: Numbers, of: Numbers, marks: Marks): void;
  /** The numbers of `of`, all below `below`, that marked groups have, each once. To keep. */
  marked(marks: Marks, of: Numbers, below: number): Uint32Array;
  /** A sample for each marked group: the node of its stack, and its label set, from `at` on. */
  emit(marks: Marks, stacks: Numbers, sets: Numbers, nodes: Uint32Array, into: SampleColumns, at: number): void;
  /** The order of the first samples by the rank of their node, then by their set; those alike in both share a place. */
  sequence(samples: SampleColumns, length: number, rank: Uint32Array, sets: number): Sequence;
  /** By marked group where its sample went: sample `first` is that of the first one. Good until the next ones are asked for. */
  places(marks: Marks, placeOf: Numbers, first: number): Numbers;
  /** By marked group how many marked ones stand before it. Good until the next ones are asked for. */
  numbered(marks: Marks): Numbers;
  /** Zeros. */
  totals(length: number): Totals;
  /** Adds the cell of each row at the place of its group; exact, modulo 2^64. */
  add(cells: Cells, rows: Numbers, of: Numbers, places: Numbers, into: Totals): void;
  /**
   * Adds up, by place, the sums that belong to samples from number `first` on, of samples `begin` to `end` of a sequence. `into`
   * begins with place `place`.
   */
  addSums(
    sums: Totals,
    first: number,
    sequence: Sequence,
    begin: number,
    end: number,
    place: number,
    into: Totals,
  ): void;
}

export interface Numbers {
  readonly length: number;
  readonly cells: Uint32Array;
}

export interface Totals {
  readonly length: number;
  readonly cells: BigInt64Array;
}

/** A byte a group. */
export interface Marks {
  readonly length: number;
  /** How many are marked. */
  count: number;
  readonly cells: Uint8Array;
}

/** Pairs of numbers to dense ids, in the order in which they were first seen. */
export interface PairTable {
  readonly length: number;
  /** At least as long as the table. */
  readonly first: Uint32Array;
  readonly second: Uint32Array;
  /** The id of a pair, new or known. */
  id(a: number, b: number): number;
}

/** By code: the frames from `first[code]` to `first[code + 1]`. */
export interface Steps {
  readonly first: Uint32Array;
  readonly frames: Uint32Array;
}

/** The steps of these codes; no other code may be met. */
export function stepsOf(codes: Uint32Array, framesOf: (code: number) => readonly number[]): Steps {
  const sorted = codes.toSorted();
  const first = new Uint32Array((sorted.at(-1) ?? 0) + 2);
  const frames: number[] = [];
  for (const code of sorted) {
    const own = framesOf(code);
    first[code] = frames.length;
    for (const frame of own) frames.push(frame);
    first[code + 1] = frames.length;
  }
  return { first, frames: Uint32Array.from(frames) };
}

export interface Paths {
  readonly paths: readonly Uint32Array[];
  readonly order: Uint32Array;
}

export interface SampleColumns {
  readonly node: Numbers;
  readonly set: Numbers;
}

export interface Sequence {
  /** How many places there are. */
  readonly length: number;
  /** By place: the rank of the node, and the set. */
  readonly node: Numbers;
  readonly labels: Numbers;
  /** The samples in their order, and where each went. */
  readonly order: Numbers;
  readonly placeOf: Numbers;
}
