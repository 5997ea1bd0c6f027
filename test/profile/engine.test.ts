import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Engine, Numbers } from '../../src/profile/kernel/engine.ts';
import { isOutOfRoom, openEngine } from '../../src/profile/kernel/kernel.ts';
import { PLAIN } from '../../src/profile/kernel/plain.ts';
import type { Cells, Codes } from '../../src/trace/columns.ts';

/** The kernel in WebAssembly gives what its twin in plain JavaScript gives; the folds of both are compared in laws.test.ts. */
const u32 = fc.integer({ min: 0, max: 0xffffffff });
const small = fc.integer({ min: 0, max: 40 });
const rowsOf = (cells: number) => fc.oneof(fc.integer({ min: 0, max: cells + 3 }), fc.constant(0xffffffff));
const codes: fc.Arbitrary<Codes> = fc.oneof(
  fc.array(fc.integer({ min: 0, max: 0xff })).map(list => Uint8Array.from(list)),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map(list => Uint16Array.from(list)),
  fc.array(u32).map(list => Uint32Array.from(list)),
);
const cells: fc.Arbitrary<Cells> = fc.oneof(
  codes,
  fc.array(fc.maxSafeInteger()).map(list => Float64Array.from(list)),
);

/** What both engines make of one thing. */
function same(act: (engine: Engine) => unknown): void {
  expect(act(openEngine())).toEqual(act(PLAIN));
}

describe('kernel and twin agree', () => {
  test('on the cells of rows, direct and through another column, of any width, beyond the ends', () => {
    fc.assert(
      fc.property(codes, fc.option(codes, { nil: undefined }), fc.array(rowsOf(12)), (held, via, list) => {
        same(engine => {
          const into = engine.numbers(list.length);
          engine.gather(held, via, engine.copy(Uint32Array.from(list)), into);
          return into.cells;
        });
      }),
    );
  });

  test('on codes that are replaced, and on those that occur', () => {
    fc.assert(
      fc.property(fc.array(small), fc.array(u32, { minLength: 41, maxLength: 41 }), (list, to) => {
        same(engine => {
          const [numbers, into] = [
            engine.copy(Uint32Array.from(list)),
            engine.copy(Uint32Array.from(list, n => n * 7)),
          ];
          engine.overlay(numbers, Uint32Array.from(to), into);
          return [engine.distinct(numbers, 41), into.cells];
        });
      }),
    );
  });

  test('on the ids of pairs, also of so many that tables grow and memory with them', () => {
    const many = fc.array(fc.tuple(u32, small), { minLength: 0, maxLength: 3000, size: 'max' });
    fc.assert(
      fc.property(many, fc.integer({ min: 0, max: 1 }), (list, base) => {
        same(engine => {
          const [a, b] = [0, 1].map(at => engine.copy(Uint32Array.from(list, pair => pair[at] as number)));
          const table = engine.pairs();
          const before = engine.numbers(1);
          const into = engine.numbers(list.length);
          engine.join(a!, b!, table, base, into);
          const [first, second] = engine.columns(table);
          return [into.cells, first.cells, second.cells, table.id(5, 5), table.id(1, 2), table.length, before.cells];
        });
      }),
      { numRuns: 40 },
    );
  });

  test('beyond 2 GiB of memory, where addresses have their highest bit set', () => {
    const far = openEngine();
    // Never touched, so it takes addresses and no memory.
    far.numbers(560_000_000);
    const act = (engine: Engine) => {
      const [rows, into] = [engine.copy(Uint32Array.of(2, 0, 9, 1, 1)), engine.numbers(5)];
      engine.gather(Uint8Array.of(7, 8, 9), undefined, rows, into);
      const table = engine.pairs();
      for (let n = 0; n < 600; n++) table.id(n, 3);
      engine.join(rows, into, table, 1, into);
      const totals = engine.totals(10);
      engine.add(Float64Array.of(5, 2 ** 53, 7), rows, rows, rows, totals);
      const sequence = engine.sequence(
        { node: rows, set: rows },
        5,
        Uint32Array.from({ length: 10 }, (_, n) => 9 - n),
        10,
      );
      return [
        into.cells,
        table.length,
        table.first.slice(590, 600),
        totals.cells,
        sequence.node.cells,
        sequence.placeOf.cells,
      ];
    };
    expect(act(far)).toEqual(act(PLAIN));
    expect(far.copy(Uint32Array.of(1)).cells.byteOffset).toBeGreaterThan(2 ** 31);
  });

  test('a memory that is full is said to be', () => {
    const engine = openEngine();
    let caught: unknown;
    try {
      for (let n = 0; n < 3; n++) engine.numbers(500_000_000);
    } catch (error) {
      caught = error;
    }
    expect(isOutOfRoom(caught)).toBe(true);
    expect(isOutOfRoom(new Error('another'))).toBe(false);
  });

  test('on steps down a tree', () => {
    const frames = fc.array(fc.array(fc.nat(3), { maxLength: 3 }), { minLength: 41, maxLength: 41 });
    fc.assert(
      fc.property(fc.array(fc.tuple(small, fc.nat(4))), frames, (list, framesOf) => {
        same(engine => {
          const [codes, nodes] = [0, 1].map(at => engine.copy(Uint32Array.from(list, each => each[at] as number)));
          const first = Uint32Array.from([0, ...framesOf.map(of => of.length)]);
          for (let code = 1; code < first.length; code++) first[code] = first[code]! + first[code - 1]!;
          const table = engine.pairs();
          engine.descend(nodes!, codes!, { first, frames: Uint32Array.from(framesOf.flat()) }, table);
          return [nodes!.cells, table.length];
        });
      }),
    );
  });

  test('on the paths to nodes of a tree, and their order', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(2), fc.nat(4), fc.nat(3))), list => {
        same(engine => {
          const table = engine.pairs();
          const of = engine.numbers(list.length);
          for (let level = 0; level < 3; level++)
            engine.join(of, engine.copy(Uint32Array.from(list, each => each[level] as number)), table, 1, of);
          return engine.paths(table, engine.distinct(of, table.length + 1), [3, 5, 4]);
        });
      }),
    );
  });

  test('on groups that hold something, on their samples, and on sums at their places, exact beyond 2^53', () => {
    fc.assert(
      fc.property(cells, cells, fc.array(fc.tuple(rowsOf(12), fc.nat(6))), (one, other, list) => {
        same(engine => {
          const rows = engine.copy(Uint32Array.from(list, ([row]) => row));
          const of = engine.copy(Uint32Array.from(list, ([, group]) => group));
          const marks = engine.marks(7, false);
          for (const each of [one, other]) engine.mark(each, rows, of, marks);
          const stacks = engine.copy(Uint32Array.of(3, 1, 3, 0, 2, 2, 1));
          const into = { node: engine.numbers(8), set: engine.numbers(8) };
          engine.emit(marks, stacks, of.length < 7 ? stacks : of, Uint32Array.of(9, 8, 7, 6), into, 1);
          const used = engine.marked(marks, stacks, 4);
          const numbered = engine.numbered(marks).cells.slice();
          const places = engine.places(marks, engine.copy(Uint32Array.of(9, 5, 1, 0, 3, 2, 4, 1)), 1);
          const totals = engine.totals(6);
          for (const each of [one, other]) engine.add(each, rows, of, places, totals);
          const all = engine.marks(3, true);
          return [
            ...[
              marks.count,
              marks.cells,
              used,
              numbered,
              into.node.cells,
              into.set.cells,
              totals.cells,
              all.count,
              all.cells,
            ],
            // What has no place may hold anything.
            places.cells.filter((_, group) => marks.cells[group] === 1),
          ];
        });
      }),
    );
  });

  test('on the order of samples, on those that share a place, and on sums that come to their places', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(5), fc.nat(3))),
        fc.uniqueArray(fc.nat(5), { minLength: 6 }),
        fc.array(fc.tuple(u32, fc.nat(9)), { minLength: 1, maxLength: 9 }),
        fc.nat(9),
        (list, rank, numbers, first) => {
          same(engine => {
            const columns = {
              node: engine.copy(Uint32Array.from(list, ([node]) => node)),
              set: engine.copy(Uint32Array.from(list, ([, set]) => set)),
            };
            const order = engine.sequence(columns, list.length, Uint32Array.from(rank), 4);
            const sums = engine.totals(numbers.length);
            const all = engine.copy(Uint32Array.from(numbers, (_, at) => at));
            const values = Float64Array.from(numbers, ([number]) => number * 2 ** 20);
            engine.add(values, all, all, all, sums);
            const [whole, part] = [engine.totals(order.length), engine.totals(order.length)];
            engine.addSums(sums, first, order, 0, list.length, 0, whole);
            // The samples of the later half of the places.
            const half = order.length >>> 1;
            const begin = order.order.cells.findIndex(sample => order.placeOf.cells[sample]! >= half);
            engine.addSums(sums, first, order, Math.max(0, begin), begin < 0 ? 0 : list.length, half, part);
            expect(part.cells.slice(0, order.length - half)).toEqual(whole.cells.slice(half));
            return [
              order.length,
              order.node.cells,
              order.labels.cells,
              order.order.cells,
              order.placeOf.cells,
              whole.cells,
            ];
          });
        },
      ),
    );
  });
});

test('room that was released is all zero when it is given out again, and no column loses its numbers to another', () => {
  const step = fc.record({
    length: fc.nat(70),
    release: fc.nat(9),
    kind: fc.constantFrom('numbers', 'totals', 'marks'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const engine = openEngine();
      const held: { column: Numbers; filled: number }[] = [];
      steps.forEach(({ length, release, kind }, at) => {
        if (kind === 'totals') expect(engine.totals(length).cells.every(cell => cell === 0n)).toBe(true);
        if (kind === 'marks') expect(engine.marks(length, false).cells.every(cell => cell === 0)).toBe(true);
        const column = engine.numbers(length);
        expect(column.cells.every(cell => cell === 0)).toBe(true);
        column.cells.fill(at + 1);
        held.push({ column, filled: at + 1 });
        const [gone] = release < held.length ? held.splice(release, 1) : [];
        if (gone) engine.release(gone.column);
        for (const { column, filled } of held) expect(column.cells.every(cell => cell === filled)).toBe(true);
      });
    }),
    { numRuns: 40 },
  );
});
