import { NumberColumn, type Part, StringColumn } from './columns.ts';
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

/** Rows `first` to `end` of some operations. */
export interface Run {
  readonly from: Operations;
  readonly first: number;
  readonly end: number;
}

/** The rows of all runs behind each other. The operations they come from share their dictionaries. */
export function ofRuns(runs: readonly Run[], texts: Texts): Operations {
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
      return NumberColumn.joined(parts(from => own.get(from) as NumberColumn));
    },
    strings: name => {
      const words = sources
        .map(source => source.columns().strings.get(name)?.dictionary)
        .find(each => each !== undefined);
      const own = new Map(
        sources.map(source => [source, source.columns().strings.get(name) ?? new StringColumn(words)]),
      );
      return StringColumn.joined(parts(from => own.get(from) as StringColumn));
    },
    extra: namesBehind,
  });
  ops.length = runs.reduce((sum, run) => sum + run.end - run.first, 0);
  return ops;
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
