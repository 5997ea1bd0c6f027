import { type Cells, type Elsewhere, type Part, Room, type Rows, type Width } from './cells.ts';
import { NumberColumn, StringColumn } from './columns.ts';
import { Operations } from './operations.ts';
import { type TextKind, Texts } from './texts.ts';
import { Touches } from './touches.ts';

/**
 * Blocks of rows. What one file gave is read into operations of its own, whose rows and sessions count from 0, and is
 * then copied into the whole. So a reader's numbers stay right wherever the block comes to lie, and a history that is
 * put together again from blocks has its rows in the order in which a fresh reading gives them.
 */

/** Operations without rows whose string codes mean the same as those of `whole`: copying between the two moves bytes. */
export function beside(whole: Operations, texts: Texts): Operations {
  const { strings } = whole.columns();
  const source = {
    numbers: () => new NumberColumn(),
    strings: (name: string) => new StringColumn(strings.get(name)?.dictionary),
    extra: (prefix: string) => (prefix === 'free.' ? whole.free.keys() : whole.given.keys()),
  };
  return new Operations(texts, source, Touches.beside(whole.touches));
}

/** The memory of one block, used again for the next: fresh pages cost more than what is written to them. */
export class BlockRoom {
  private readonly whole: Operations;
  private readonly texts: Iterable<TextKind>;
  private spare: Operations | undefined;

  constructor(whole: Operations, texts: Iterable<TextKind>) {
    this.whole = whole;
    this.texts = texts;
  }

  /** Operations without rows, as `beside` makes them. */
  take(): Operations {
    const { spare } = this;
    this.spare = undefined;
    return spare ?? beside(this.whole, new Texts(this.texts));
  }

  /**
   * To be called when the rows were copied. A block with fields of its own is not used again, because the codes of its
   * next rows would not be those of the whole.
   */
  giveBack(block: Operations): void {
    if (block.free.size + block.given.size > 0) return;
    block.clear();
    this.spare = block;
  }
}

/**
 * Appends rows `first` to `end` of other operations with all their columns; gives the first new row. Parents, sessions
 * and files are copied as numbers and are the caller's to set right. Texts and touches stay where they are.
 */
export function copyRows(into: Operations, from: Operations, first: number, end: number): number {
  const at = into.length;
  placeRows(into, at, from, first, end);
  into.length = at + end - first;
  return at;
}

/** The same for stretches of rows, behind each other; columns in which none of these rows has anything are left alone. */
export function copyStretches(into: Operations, from: Operations, stretches: readonly Rows[]): number {
  const at = into.length;
  const last = stretches.reduce((most, { end }) => Math.max(most, end), 0);
  const least = stretches.reduce((first, each) => Math.min(first, each.first), last);
  const { numbers, strings } = from.columns();
  const own = into.columns();
  for (const [name, column] of numbers) {
    if (column.size <= least) continue;
    (own.numbers.get(name) ?? into.givenMeasure(name.slice('given.'.length))).append(at, column, stretches);
  }
  for (const [name, column] of strings) {
    if (column.size <= least) continue;
    const theirs = own.strings.get(name) ?? into.freeField(name.slice('free.'.length), column.dictionary);
    theirs.append(at, column, stretches);
  }
  into.length += stretches.reduce((sum, { first, end }) => sum + end - first, 0);
  return at;
}

/** The same over rows that are there already, from `at` on. */
export function placeRows(into: Operations, at: number, from: Operations, first: number, end: number): void {
  const { numbers, strings } = from.columns();
  const own = into.columns();
  for (const [name, column] of numbers) {
    if (column.cells.length === 0) continue;
    (own.numbers.get(name) ?? into.givenMeasure(name.slice('given.'.length))).place(at, column, first, end);
  }
  for (const [name, column] of strings) {
    if (column.codes.length === 0) continue;
    const theirs = own.strings.get(name) ?? into.freeField(name.slice('free.'.length), column.dictionary);
    theirs.place(at, column, first, end);
  }
}

/** Rows of some operations. */
export interface Run extends Rows {
  readonly from: Operations;
}

/** The rows of all runs behind each other; each column is put together when it is first used. */
export function ofRuns(runs: readonly Run[], texts: Texts): Operations {
  const room = new Room();
  const sources = [...new Set(runs.map(run => run.from))];
  const namesBehind = (prefix: string): string[] => {
    const names = sources.flatMap(source => [...(prefix === 'free.' ? source.free : source.given).keys()]);
    return [...new Set(names)];
  };
  const parts = <Column>(columnOf: (from: Operations) => Column): Part<Column>[] =>
    runs.map(({ from, first, end }) => ({ column: columnOf(from), first, end }));
  const ops = new Operations(texts, {
    numbers: name => {
      const own = new Map(sources.map(source => [source, source.columns().numbers.get(name) ?? new NumberColumn()]));
      return NumberColumn.joined(
        parts(from => own.get(from) as NumberColumn),
        room,
      );
    },
    strings: name => {
      const words = sources
        .map(source => source.columns().strings.get(name)?.dictionary)
        .find(each => each !== undefined);
      const own = new Map(
        sources.map(source => [source, source.columns().strings.get(name) ?? new StringColumn(words)]),
      );
      return StringColumn.joined(
        parts(from => own.get(from) as StringColumn),
        room,
      );
    },
    extra: namesBehind,
  });
  ops.length = runs.reduce((sum, run) => sum + run.end - run.first, 0);
  return ops;
}

/** Rows `first` to `end` of some operations, and what number each of their sessions has among those of these rows. */
export interface Stretch extends Rows {
  readonly sessions: ReadonlyMap<number, number>;
}

/**
 * Stretches of rows of some operations, each as operations of its own, with rows and sessions counted from 0. A column
 * is looked at when one of them first uses it, and then for all of them.
 */
export class Excerpts {
  private readonly from: Operations;
  private readonly stretches: readonly Stretch[];
  private readonly cuts = new Map<string, readonly Cells[]>();

  constructor(from: Operations, stretches: readonly Stretch[]) {
    this.from = from;
    this.stretches = stretches;
  }

  /** The rows of stretch `at`, with room for so many more; their sessions and texts are the caller's to give. */
  of(at: number, texts: Texts, more: number): Operations {
    const { numbers, strings } = this.from.columns();
    const { first, end } = this.stretches[at] as Stretch;
    const elsewhere = (name: string, width: Width): Elsewhere => ({
      length: end - first,
      width,
      fetch: () => longer(this.cut(name, at), more),
      glance: () => this.cut(name, at),
    });
    const ops = new Operations(
      texts,
      {
        numbers: name => {
          const column = numbers.get(name);
          if (name === 'session') return NumberColumn.stored(elsewhere(name, 4));
          return column && column.size > 0 ? NumberColumn.stored(elsewhere(name, column.width)) : new NumberColumn();
        },
        strings: name => {
          const column = strings.get(name);
          return column && column.size > 0
            ? StringColumn.sharing(() => column.dictionary, elsewhere(name, column.width) as Elsewhere<never>)
            : new StringColumn(column?.dictionary);
        },
        extra: prefix => (prefix === 'free.' ? this.from.free.keys() : this.from.given.keys()),
      },
      Touches.beside(this.from.touches),
    );
    ops.length = end - first;
    return ops;
  }

  /** The cells of a column in a stretch as they are where they came from; not to be written to. */
  cut(name: string, at: number): Cells {
    let cuts = this.cuts.get(name);
    if (!cuts) this.cuts.set(name, (cuts = this.cutAll(name)));
    return cuts[at] as Cells;
  }

  private cutAll(name: string): Cells[] {
    const { numbers, strings } = this.from.columns();
    const cells = (numbers.get(name) ?? strings.get(name))?.glance() ?? new Uint8Array(0);
    return this.stretches.map(stretch => {
      if (name === 'session') return ownSessions(cells, stretch);
      const own = cells.slice(stretch.first, stretch.end);
      if (name === 'parent') shift(own, -stretch.first);
      return own;
    });
  }
}

function ownSessions(cells: Cells, { first, end, sessions }: Stretch): Cells {
  const own = new Uint32Array(end - first);
  if (sessions.size > 1) for (let row = first; row < end; row++) own[row - first] = sessions.get(cells[row] ?? 0) ?? 0;
  return own;
}

function longer(cells: Cells, more: number): Cells {
  const larger = new (cells.constructor as new (length: number) => Cells)(cells.length + more);
  larger.set(cells);
  return larger;
}

/** Adds `by` to parents, where there are any. */
export function shift(parents: Cells, by: number): void {
  if (by === 0) return;
  for (let i = 0; i < parents.length; i++) if (parents[i] !== 0) parents[i] = (parents[i] as number) + by;
}

/** Adds `by` to the parents of rows `first` to `end`, where there are any. */
export function shiftParents(ops: Operations, first: number, end: number, by: number): void {
  if (by === 0) return;
  for (let row = first; row < end; row++) {
    const parent = ops.parent.get(row);
    if (parent !== 0) ops.parent.set(row, parent + by);
  }
}

/** Takes away free fields that no row has: they are no field of this history. */
export function dropEmptyFields(ops: Operations): void {
  for (const [name, column] of ops.free) if (column.codes.every(code => code === 0)) ops.free.delete(name);
}
