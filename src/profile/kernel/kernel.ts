import type { Cells, Codes } from '../../trace/columns.ts';
import { type WasmMemory, WasmModule } from '../../trace/webassembly.ts';
import type { Engine, Marks, Numbers, PairTable, Paths, SampleColumns, Sequence, Steps, Totals } from './engine.ts';
import { PLAIN } from './plain.ts';
import { Room, Rooms, type Typed } from './rooms.ts';
import { KERNEL } from './wasm.ts';

/** What assembly/kernel.ts exports. Addresses are bytes of its memory, and what it gives of them are their 32 bits with a sign. */
interface Exports {
  readonly memory: WasmMemory;
  room(bytes: number): number;
  pairs(capacity: number): number;
  pairsLength(table: number): number;
  pairsFirst(table: number): number;
  pairsSecond(table: number): number;
  pairId(table: number, a: number, b: number): number;
  gather(
    ...of: [
      ...[held: number, width: number, cells: number, via: number, viaWidth: number, viaCells: number],
      ...[rows: number, length: number, into: number],
    ]
  ): void;
  overlay(codes: number, length: number, to: number, into: number): void;
  distinct(numbers: number, length: number, seen: number, into: number): number;
  join(a: number, b: number, length: number, table: number, base: number, into: number): void;
  descend(nodes: number, codes: number, length: number, first: number, frames: number, table: number): void;
  climb(table: number, nodes: number, length: number, into: number): void;
  mark(
    ...of: [cells: number, width: number, count: number, rows: number, groups: number, length: number, marks: number]
  ): number;
  spread(marks: number, length: number, places: number, into: number): void;
  numberMarked(marks: number, length: number, into: number): void;
  addSums(
    ...of: [
      ...[sums: number, count: number, first: number],
      ...[order: number, placeOf: number, begin: number, end: number, place: number, into: number],
    ]
  ): void;
  addCells(
    ...of: [
      ...[cells: number, width: number, count: number],
      ...[rows: number, groups: number, length: number, places: number, sums: number],
    ]
  ): void;
  stacksOf(present: number, stacks: number, length: number, seen: number, into: number): number;
  emit(
    ...of: [present: number, stacks: number, sets: number, length: number, nodes: number, node: number, set: number]
  ): void;
  sortBy(order: number, length: number, key: number, keys: number, next: number, into: number): void;
  places(
    ...of: [
      order: number,
      length: number,
      node: number,
      set: number,
      placeNode: number,
      placeSet: number,
      placeOf: number,
    ]
  ): number;
}

const MODULE = new WasmModule<Exports>(KERNEL);
const LEAST_PAIRS = 256;

/** An engine with a memory of its own. */
export function openEngine(): Engine {
  return MODULE.runs() ? new Kernel(MODULE.instance()) : PLAIN;
}

/** Whether a kernel stopped because its memory is full: addresses end at 4 GiB, some twenty million operations. */
export function isOutOfRoom(error: unknown): boolean {
  return error instanceof Error && error.name === 'RuntimeError';
}

/** Cells at an address, looked at anew each time: the memory may have grown since. */
class Column<T extends Typed> {
  readonly at: number;
  readonly length: number;
  private readonly memory: WasmMemory;
  private readonly kind: new (
    buffer: ArrayBuffer,
    at: number,
    length: number,
  ) => T;

  constructor(
    memory: WasmMemory,
    kind: new (buffer: ArrayBuffer, at: number, length: number) => T,
    at: number,
    length: number,
  ) {
    this.memory = memory;
    this.kind = kind;
    this.at = at;
    this.length = length;
  }

  get cells(): T {
    return new this.kind(this.memory.buffer, this.at, this.length);
  }

  first(length: number): Column<T> {
    return new Column(this.memory, this.kind, this.at, length);
  }
}

class MarkColumn extends Column<Uint8Array> {
  count = 0;
}

class Table implements PairTable {
  readonly at: number;
  private readonly kernel: Exports;

  constructor(kernel: Exports, expected: number) {
    this.kernel = kernel;
    this.at = kernel.pairs(2 ** Math.ceil(Math.log2(Math.max(expected, LEAST_PAIRS)))) >>> 0;
  }

  get length(): number {
    return this.kernel.pairsLength(this.at) >>> 0;
  }

  get firstAt(): number {
    return this.kernel.pairsFirst(this.at) >>> 0;
  }

  get secondAt(): number {
    return this.kernel.pairsSecond(this.at) >>> 0;
  }

  get first(): Uint32Array {
    return new Uint32Array(this.kernel.memory.buffer, this.firstAt, this.length);
  }

  get second(): Uint32Array {
    return new Uint32Array(this.kernel.memory.buffer, this.secondAt, this.length);
  }

  id(a: number, b: number): number {
    return this.kernel.pairId(this.at, a, b) >>> 0;
  }
}

class Kernel implements Engine {
  private readonly kernel: Exports;
  private readonly rooms: Rooms;
  private readonly held: Room;
  private readonly via: Room;
  private readonly lists: Room;
  private readonly work: Room;
  private readonly placed: Room;

  constructor(kernel: Exports) {
    this.kernel = kernel;
    this.rooms = new Rooms(kernel);
    this.held = new Room(kernel, this.rooms);
    this.via = new Room(kernel, this.rooms);
    this.lists = new Room(kernel, this.rooms);
    this.work = new Room(kernel, this.rooms);
    this.placed = new Room(kernel, this.rooms);
  }

  numbers(length: number): Column<Uint32Array> {
    return new Column(this.kernel.memory, Uint32Array, this.rooms.take(4 * length), length);
  }

  release(column: Numbers): void {
    this.rooms.release(at(column), 4 * column.length);
  }

  copy(cells: Uint32Array): Numbers {
    const column = this.numbers(cells.length);
    column.cells.set(cells);
    return column;
  }

  pairs(expected = LEAST_PAIRS): PairTable {
    return new Table(this.kernel, expected);
  }

  columns(table: PairTable): readonly [Numbers, Numbers] {
    const { memory } = this.kernel;
    const { firstAt, secondAt, length } = table as Table;
    return [new Column(memory, Uint32Array, firstAt, length), new Column(memory, Uint32Array, secondAt, length)];
  }

  gather(held: Codes, via: Codes | undefined, rows: Numbers, into: Numbers): void {
    const viaAt = via === undefined ? 0 : this.via.holding(via);
    this.kernel.gather(
      ...([this.held.copyOf(held), held.BYTES_PER_ELEMENT, held.length] as const),
      ...([viaAt, via?.BYTES_PER_ELEMENT ?? 0, via?.length ?? 0] as const),
      ...([at(rows), rows.length, at(into)] as const),
    );
  }

  overlay(codes: Numbers, to: Uint32Array, into: Numbers): void {
    this.kernel.overlay(at(codes), codes.length, this.lists.copyOf(to), at(into));
  }

  distinct(numbers: Numbers, below: number): Uint32Array {
    const into = this.lists.of(4 * Math.min(numbers.length, below));
    const found = this.kernel.distinct(at(numbers), numbers.length, this.work.zeros(below), into);
    return new Uint32Array(this.kernel.memory.buffer, into, found).slice();
  }

  join(a: Numbers, b: Numbers, table: PairTable, base: number, into: Numbers): void {
    this.kernel.join(at(a), at(b), into.length, (table as Table).at, base, at(into));
  }

  descend(nodes: Numbers, codes: Numbers, { first, frames }: Steps, table: PairTable): void {
    const firstAt = this.lists.copyOf(first);
    const framesAt = this.work.copyOf(frames);
    this.kernel.descend(at(nodes), at(codes), codes.length, firstAt, framesAt, (table as Table).at);
  }

  paths(table: PairTable, nodes: Uint32Array, below: readonly number[]): Paths {
    const { kernel } = this;
    const climbing = this.copy(nodes);
    const levels = below.map(() => this.numbers(nodes.length));
    for (const level of levels.toReversed()) kernel.climb((table as Table).at, at(climbing), nodes.length, at(level));
    let [order, next]: Numbers[] = [this.counted(nodes.length), this.numbers(nodes.length)];
    for (let i = levels.length - 1; i >= 0; i--) {
      const keys = below[i] as number;
      kernel.sortBy(
        at(order as Numbers),
        nodes.length,
        at(levels[i] as Numbers),
        keys,
        this.zeros(keys + 1),
        at(next as Numbers),
      );
      [order, next] = [next, order];
    }
    const found = { paths: levels.map(({ cells }) => cells.slice()), order: (order as Numbers).cells.slice() };
    for (const column of [climbing, ...levels, order, next]) this.release(column as Numbers);
    return found;
  }

  /** From 0 on. */
  private counted(length: number): Numbers {
    const numbers = this.numbers(length);
    const { cells } = numbers;
    for (let i = 0; i < length; i++) cells[i] = i;
    return numbers;
  }

  private zeros(cells: number): number {
    return this.work.zeros(4 * cells);
  }

  marks(length: number, all: boolean): Marks {
    const marks = new MarkColumn(this.kernel.memory, Uint8Array, this.rooms.take(length), length);
    if (all) marks.cells.fill(1);
    if (all) marks.count = length;
    return marks;
  }

  mark(cells: Cells, rows: Numbers, of: Numbers, marks: Marks): void {
    const held = this.held.copyOf(cells);
    marks.count += this.kernel.mark(
      ...([held, cells.BYTES_PER_ELEMENT, cells.length] as const),
      ...([at(rows), at(of), of.length, at(marks)] as const),
    );
  }

  marked(marks: Marks, of: Numbers, below: number): Uint32Array {
    const into = this.lists.of(4 * Math.min(of.length, below));
    const found = this.kernel.stacksOf(at(marks), at(of), of.length, this.work.zeros(below), into);
    return new Uint32Array(this.kernel.memory.buffer, into, found).slice();
  }

  emit(marks: Marks, stacks: Numbers, sets: Numbers, nodes: Uint32Array, into: SampleColumns, first: number): void {
    const nodesAt = this.lists.copyOf(nodes);
    const [node, set] = [at(into.node) + 4 * first, at(into.set) + 4 * first];
    this.kernel.emit(at(marks), at(stacks), at(sets), marks.length, nodesAt, node, set);
  }

  sequence({ node, set }: SampleColumns, length: number, rank: Uint32Array, sets: number): Sequence {
    const { kernel } = this;
    const [all, ranks, bySet] = [this.counted(length), this.numbers(length), this.numbers(length)];
    this.gather(rank, undefined, head(node, length), ranks);
    kernel.sortBy(at(all), length, at(set), sets, this.zeros(sets + 1), at(bySet));
    kernel.sortBy(at(bySet), length, at(ranks), rank.length, this.zeros(rank.length + 1), at(all));
    const [placeNode, placeSet, placeOf] = [this.numbers(length), bySet, this.numbers(length)];
    const places = kernel.places(at(all), length, at(ranks), at(set), at(placeNode), at(placeSet), at(placeOf));
    this.release(ranks);
    return { length: places, node: head(placeNode, places), labels: head(placeSet, places), order: all, placeOf };
  }

  places(marks: Marks, placeOf: Numbers, first: number): Numbers {
    const places = new Column(this.kernel.memory, Uint32Array, this.placed.of(4 * marks.length), marks.length);
    this.kernel.spread(at(marks), marks.length, at(placeOf) + 4 * first, at(places));
    return places;
  }

  totals(length: number): Totals {
    return new Column(this.kernel.memory, BigInt64Array, this.rooms.take(8 * length), length);
  }

  numbered(marks: Marks): Numbers {
    const numbers = new Column(this.kernel.memory, Uint32Array, this.placed.of(4 * marks.length), marks.length);
    this.kernel.numberMarked(at(marks), marks.length, at(numbers));
    return numbers;
  }

  addSums(sums: Totals, first: number, of: Sequence, begin: number, end: number, place: number, into: Totals): void {
    this.kernel.addSums(
      ...([at(sums), sums.length, first] as const),
      ...([at(of.order), at(of.placeOf), begin, end, place, at(into)] as const),
    );
  }

  add(cells: Cells, rows: Numbers, of: Numbers, places: Numbers, into: Totals): void {
    const held = this.held.copyOf(cells);
    this.kernel.addCells(
      ...([held, cells.BYTES_PER_ELEMENT, cells.length] as const),
      ...([at(rows), at(of), of.length, at(places), at(into)] as const),
    );
  }
}

function head(column: Numbers, length: number): Numbers {
  return (column as Column<Uint32Array>).first(length);
}

/** Every column that a kernel is given is one of its own. */
function at(column: Numbers | Totals | Marks): number {
  return (column as Column<Typed>).at;
}
