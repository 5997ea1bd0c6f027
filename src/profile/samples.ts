import { COST } from '../trace/amounts.ts';
import { MEASURES } from '../trace/measures.ts';
import type { Portion } from '../trace/portions.ts';
import type { Engine, Marks, Numbers, SampleColumns, Sequence, Totals } from './kernel/engine.ts';
import type { Placement } from './placement.ts';
import { type ValueColumns, valueColumns } from './value-columns.ts';

/**
 * Rows with equal stacks and labels are one group. Each portion that a group has is a sample; samples that come to stand at
 * one node with equal labels (the stack shows no split) share a place when they are put in order. Measures are added up for each
 * sample of the portions that have them, in the order of the rows, which touches less memory than a place for each measure of
 * each sample; they come to their places when these are looked at. No measure of a row is negative, so a group has a portion
 * if one of its rows has.
 */
export interface Samples {
  readonly length: number;
  /** In the order of a profile, by the rank of each node of the stacks. To be asked for once. */
  sequence(rank: Uint32Array, labelSets: number): Sequence;
  /**
   * One column a measure, in the order of a sequence, exact; `roundCost` makes micro-dollars of nano-dollars. The engine is asked
   * for nothing that could move its memory when they are looked at.
   */
  values(sequence: Sequence, roundCost: (nanos: BigInt64Array) => BigInt64Array): ValueColumns;
  /** Up to `most` rows of each sample of a sequence, in the order in which rows are given. */
  evidence(rows: Uint32Array, sequence: Sequence, most: number): number[][];
}

/** The samples of one kind of portion: one for each marked group, in their order, from number `first` on. */
interface Part {
  readonly portion: Portion;
  readonly marks: Marks;
  readonly first: number;
}

/** Sums of the samples from number `first` on. */
interface SampleSums {
  readonly first: number;
  readonly sums: Totals;
}

/** Samples whose values are looked at together. */
const BLOCK = 8192;

export function samplesOf(
  engine: Engine,
  placement: Placement,
  rows: Numbers,
  labels: Numbers,
  portions: readonly Portion[],
): Samples {
  const groups = grouped(engine, placement, labels);
  const { stacks } = groups;
  let length = 0;
  const parts = portions.map((portion): Part => {
    const marks = engine.marks(groups.length, portion.name === 'whole');
    const columnsOf = new Set(portion.measures.map(({ column }) => column));
    if (portion.name !== 'whole') for (const each of columnsOf) engine.mark(each.glance(), rows, groups.of, marks);
    const first = length;
    length += marks.count;
    return { portion, marks, first };
  });
  const columns: SampleColumns = { node: engine.numbers(length), set: engine.numbers(length) };
  for (const { portion, marks, first } of parts) {
    const nodes = new Uint32Array(stacks.length);
    const used = engine.marked(marks, groups.stack, stacks.length);
    const { cells: shared } = stacks.shared;
    const { cells: rest } = stacks.rest;
    const [from, path] = [
      Uint32Array.from(used, at => shared[at] as number),
      Uint32Array.from(used, at => rest[at] as number),
    ];
    used.forEach((stack, i) => {
      nodes[stack] = placement.node(from[i] as number, path[i] as number, portion.name);
    });
    engine.emit(marks, groups.stack, groups.labels, nodes, columns, first);
  }

  const sequence = (rank: Uint32Array, labelSets: number): Sequence => {
    const found = engine.sequence(columns, length, rank, labelSets);
    engine.release(columns.node);
    engine.release(columns.set);
    return found;
  };

  /** By measure. Measures of a portion that add up the same columns share their sums. */
  const sums = (): SampleSums[][] => {
    const all: SampleSums[][] = MEASURES.map(() => []);
    for (const { portion, marks, first } of parts) {
      if (marks.count === 0) continue;
      const numbers = engine.numbered(marks);
      const known: { readonly columns: readonly unknown[]; readonly sums: Totals }[] = [];
      for (const measure of new Set(portion.measures.map(each => each.measure))) {
        const columns = portion.measures.filter(each => each.measure === measure).map(({ column }) => column);
        let found = known.find(each => isSame(each.columns, columns));
        if (!found) {
          found = { columns, sums: engine.totals(marks.count) };
          for (const column of columns) engine.add(column.glance(), rows, groups.of, numbers, found.sums);
          known.push(found);
        }
        all[measure]?.push({ first, sums: found.sums });
      }
    }
    return all;
  };

  const values: Samples['values'] = (sequence, roundCost) => {
    const ofMeasure = sums();
    const block = engine.totals(Math.min(BLOCK, sequence.length));
    /** Of at most a block. */
    const put = (measure: number, { place, count, begin, end }: Places, into: BigInt64Array, at: number): void => {
      const own = ofMeasure[measure] as SampleSums[];
      if (own.length === 0) return void into.fill(0n, at, at + count);
      block.cells.fill(0n, 0, count);
      for (const { first, sums } of own) engine.addSums(sums, first, sequence, begin, end, place, block);
      into.set(block.cells.subarray(0, count), at);
    };
    const column = (measure: number): BigInt64Array => {
      const all = new BigInt64Array(sequence.length);
      for (const places of blocksIn(sequence, 0, all.length)) put(measure, places, all, places.place);
      return all;
    };
    const cost = roundCost(column(COST));
    return valueColumns(
      MEASURES.length,
      measure => (measure === COST ? cost : column(measure)),
      (from, count, into, stride) => {
        for (const places of blocksIn(sequence, from, from + count)) {
          for (let measure = 0; measure < MEASURES.length; measure++) {
            const at = measure * stride + places.place - from;
            if (measure === COST) into.set(cost.subarray(places.place, places.place + places.count), at);
            else put(measure, places, into, at);
          }
        }
      },
    );
  };

  const evidence = (given: Uint32Array, { length: places, placeOf }: Sequence, most: number): number[][] => {
    const kept: number[][] = Array.from({ length: places }, () => []);
    const placesIn = parts.map(({ marks, first }) => engine.places(marks, placeOf, first).cells.slice());
    const of = groups.of.cells;
    // One glance may overwrite what another saw.
    const cellsOf = portions.map(({ name, measures }) =>
      name === 'whole' ? [] : measures.map(({ column }) => column.glance().slice()),
    );
    given.forEach((row, i) => {
      portions.forEach(({ name }, at) => {
        if (name !== 'whole' && cellsOf[at]?.every(cells => (cells[row] ?? 0) === 0)) return;
        const list = kept[placesIn[at]?.[of[i] as number] as number] as number[];
        if (list.length < most && list.at(-1) !== row) list.push(row);
      });
    });
    return kept;
  };
  return { length, sequence, values, evidence };
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((each, at) => each === b[at]);
}

/** Neighbouring places, and which samples of the order went there. */
interface Places {
  readonly place: number;
  readonly count: number;
  readonly begin: number;
  readonly end: number;
}

function* blocksIn(sequence: Sequence, from: number, end: number): Generator<Places> {
  for (let place = from; place < end; place += BLOCK) {
    const count = Math.min(BLOCK, end - place);
    yield { place, count, begin: firstAt(sequence, place), end: firstAt(sequence, place + count) };
  }
}

/** How many samples of a sequence stand before a place. */
function firstAt({ order, placeOf }: Sequence, place: number): number {
  const [samples, places] = [order.cells, placeOf.cells];
  let [low, high] = [0, samples.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((places[samples[middle] as number] as number) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Groups {
  readonly length: number;
  /** The group of each row. */
  readonly of: Numbers;
  /** By group. */
  readonly stack: Numbers;
  readonly labels: Numbers;
  /** By stack: the two numbers of a placement. */
  readonly stacks: { readonly length: number; readonly shared: Numbers; readonly rest: Numbers };
}

/** The columns of the placement and the labels are taken over: their room is used for the groups, or again. */
function grouped(engine: Engine, { shared, rest }: Placement, labels: Numbers): Groups {
  const stacks = engine.pairs();
  const pairs = engine.pairs(4096);
  const of = shared;
  engine.join(shared, rest, stacks, 0, of);
  engine.release(rest);
  engine.join(of, labels, pairs, 0, of);
  engine.release(labels);
  const [stack, set] = engine.columns(pairs);
  const [above, below] = engine.columns(stacks);
  return {
    length: pairs.length,
    of,
    stack,
    labels: set,
    stacks: { length: stacks.length, shared: above, rest: below },
  };
}
