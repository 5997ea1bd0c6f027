import type { Cells, Codes } from '../../trace/columns.ts';
import { Pairs } from '../pairs.ts';
import type { Engine, Marks, Numbers, PairTable, Paths, SampleColumns, Sequence, Steps, Totals } from './engine.ts';

const column = <T extends { readonly length: number }>(cells: T): { length: number; cells: T } => ({
  length: cells.length,
  cells,
});

/** The engine in plain JavaScript: where WebAssembly does not run, and the kernel's twin in tests. */
export const PLAIN: Engine = {
  numbers: length => column(new Uint32Array(length)),
  copy: cells => column(cells.slice()),
  release: () => {},
  pairs: expected => new Pairs(expected),
  columns: ({ first, second, length }) => [column(first.subarray(0, length)), column(second.subarray(0, length))],

  gather(held: Codes, via: Codes | undefined, rows: Numbers, into: Numbers): void {
    rows.cells.forEach((row, i) => {
      into.cells[i] = held[via ? (via[row] ?? 0) : row] ?? 0;
    });
  },

  overlay(codes: Numbers, to: Uint32Array, into: Numbers): void {
    codes.cells.forEach((code, i) => {
      if (code !== 0) into.cells[i] = to[code] as number;
    });
  },

  distinct: ({ cells }) => Uint32Array.from(new Set(cells.filter(number => number !== 0))),

  join(a: Numbers, b: Numbers, table: PairTable, base: number, into: Numbers): void {
    for (let i = 0; i < into.length; i++) into.cells[i] = table.id(a.cells[i] as number, b.cells[i] as number) + base;
  },

  descend(nodes: Numbers, codes: Numbers, { first, frames }: Steps, table: PairTable): void {
    codes.cells.forEach((code, i) => {
      if (code === 0) return;
      for (let at = first[code] as number; at < (first[code + 1] as number); at++)
        nodes.cells[i] = table.id(nodes.cells[i] as number, frames[at] as number) + 1;
    });
  },

  paths({ first, second }: PairTable, nodes: Uint32Array, below: readonly number[]): Paths {
    const paths = below.map(() => new Uint32Array(nodes.length));
    nodes.forEach((node, i) => {
      let at = node;
      for (const path of paths.toReversed()) {
        path[i] = second[at - 1] as number;
        at = first[at - 1] as number;
      }
    });
    const compare = (a: number, b: number) => {
      const path = paths.find(path => path[a] !== path[b]);
      return path === undefined ? 0 : (path[a] as number) - (path[b] as number);
    };
    return { paths, order: Uint32Array.from(nodes.keys()).sort(compare) };
  },

  marks: (length, all) => ({
    ...column(new Uint8Array(length).fill(all ? 1 : 0)),
    count: all ? length : 0,
  }),

  mark(cells: Cells, rows: Numbers, of: Numbers, marks: Marks): void {
    rows.cells.forEach((row, i) => {
      const group = of.cells[i] as number;
      if ((cells[row] ?? 0) === 0 || marks.cells[group] === 1) return;
      marks.cells[group] = 1;
      marks.count++;
    });
  },

  marked: (marks, of) => Uint32Array.from(new Set(of.cells.filter((_, group) => marks.cells[group] === 1))),

  emit(marks: Marks, stacks: Numbers, sets: Numbers, nodes: Uint32Array, into: SampleColumns, at: number): void {
    for (let group = 0, to = at; group < marks.length; group++) {
      if (marks.cells[group] === 0) continue;
      into.node.cells[to] = nodes[stacks.cells[group] as number] as number;
      into.set.cells[to++] = sets.cells[group] as number;
    }
  },

  sequence({ node, set }: SampleColumns, length: number, rank: Uint32Array): Sequence {
    const rankOf = (sample: number) => rank[node.cells[sample] as number] as number;
    const setOf = (sample: number) => set.cells[sample] as number;
    const order = Array.from({ length }, (_, sample) => sample).sort(
      (a, b) => rankOf(a) - rankOf(b) || setOf(a) - setOf(b),
    );
    const [nodes, sets]: [number[], number[]] = [[], []];
    const placeOf = new Uint32Array(length);
    for (const sample of order) {
      if (rankOf(sample) !== nodes.at(-1) || setOf(sample) !== sets.at(-1)) {
        nodes.push(rankOf(sample));
        sets.push(setOf(sample));
      }
      placeOf[sample] = nodes.length - 1;
    }
    return {
      length: nodes.length,
      node: column(Uint32Array.from(nodes)),
      labels: column(Uint32Array.from(sets)),
      order: column(Uint32Array.from(order)),
      placeOf: column(placeOf),
    };
  },

  places(marks: Marks, placeOf: Numbers, first: number): Numbers {
    let sample = first;
    return column(Uint32Array.from(marks.cells, marked => (marked === 1 ? (placeOf.cells[sample++] as number) : 0)));
  },

  numbered(marks: Marks): Numbers {
    let count = 0;
    return column(Uint32Array.from(marks.cells, marked => (marked === 1 ? count++ : count)));
  },

  totals: length => column(new BigInt64Array(length)),

  add(cells: Cells, rows: Numbers, of: Numbers, places: Numbers, into: Totals): void {
    rows.cells.forEach((row, i) => {
      const value = cells[row] ?? 0;
      if (value === 0) return;
      const place = places.cells[of.cells[i] as number] as number;
      into.cells[place] = (into.cells[place] as bigint) + BigInt(value);
    });
  },

  addSums(
    sums: Totals,
    first: number,
    { order, placeOf }: Sequence,
    begin: number,
    end: number,
    place: number,
    into: Totals,
  ): void {
    for (const sample of order.cells.subarray(begin, end)) {
      const sum = sums.cells[sample - first];
      if (sum === undefined) continue;
      const to = (placeOf.cells[sample] as number) - place;
      into.cells[to] = (into.cells[to] as bigint) + sum;
    }
  },
};
