import { MEASURES } from '../trace/measures.ts';
import type { Portion } from '../trace/portions.ts';
import type { Engine, Marks, Numbers, SampleColumns, Sequence, Totals } from './kernel/engine.ts';
import type { Placement } from './placement.ts';

/**
 * Rows with equal stacks and labels are one group. Each portion that a group has is a sample; samples that come to stand at
 * one node with equal labels (the stack shows no split) share a place when they are put in order, and only then are the
 * measures of the rows added up, each at its place. No measure of a row is negative, so a group has a portion if one of its
 * rows has.
 */
export interface Samples {
  readonly length: number;
  /** In the order of a profile, by the rank of each node of the stacks. */
  sequence(rank: Uint32Array, labelSets: number): Sequence;
  /** One column a measure, in the order of a sequence, exact. */
  values(sequence: Sequence): Totals[];
  /** Up to `most` rows of each sample of a sequence, in the order in which rows are given. */
  evidence(rows: Uint32Array, sequence: Sequence, most: number): number[][];
}

/** The samples of one kind of portion: one for each marked group, in their order, from number `first` on. */
interface Part {
  readonly portion: Portion;
  readonly marks: Marks;
  readonly first: number;
}

export function samplesOf(
  engine: Engine,
  placement: Placement,
  rows: Numbers,
  labels: Numbers,
  portions: readonly Portion[],
): Samples {
  const groups = grouped(engine, placement, labels);
  const { stacks } = groups;
  const most = groups.length * portions.length;
  const columns: SampleColumns = { node: engine.numbers(most), set: engine.numbers(most) };
  let length = 0;
  const parts = portions.map((portion): Part => {
    const marks = engine.marks(groups.length, portion.name === 'whole');
    const columnsOf = new Set(portion.measures.map(({ column }) => column));
    if (portion.name !== 'whole') for (const each of columnsOf) engine.mark(each.glance(), rows, groups.of, marks);
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
    engine.emit(marks, groups.stack, groups.labels, nodes, columns, length);
    const first = length;
    length += marks.count;
    return { portion, marks, first };
  });

  const values = ({ length: places, placeOf }: Sequence): Totals[] => {
    const totals = MEASURES.map(() => engine.totals(places));
    for (const { portion, marks, first } of parts) {
      const placeOfGroup = engine.places(marks, placeOf, first);
      for (const { measure, column } of portion.measures)
        engine.add(column.glance(), rows, groups.of, placeOfGroup, totals[measure] as Totals);
    }
    return totals;
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
  return {
    length,
    sequence: (rank, labelSets) => engine.sequence(columns, length, rank, labelSets),
    values,
    evidence,
  };
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

function grouped(engine: Engine, { shared, rest }: Placement, labels: Numbers): Groups {
  const stacks = engine.pairs();
  const pairs = engine.pairs(4096);
  const of = engine.numbers(shared.length);
  engine.join(shared, rest, stacks, 0, of);
  engine.join(of, labels, pairs, 0, of);
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
