import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NumberColumn, StringColumn } from '../../src/trace/columns.ts';

/** A column that was cleared is as good as a new one, whatever it held and however wide that was. */
const row = fc.nat(200);
const number = fc.oneof(fc.nat(300), fc.nat(70_000), fc.maxSafeNat());
const writes = <T>(value: fc.Arbitrary<T>) => fc.array(fc.tuple(row, value), { maxLength: 30 });

test('property: a cleared column of numbers reads as a new one', () => {
  fc.assert(
    fc.property(writes(number), writes(number), (before, after) => {
      const [used, fresh] = [new NumberColumn(), new NumberColumn()];
      for (const [at, value] of before) used.set(at, value);
      used.clear(201);
      for (const column of [used, fresh]) for (const [at, value] of after) column.set(at, value);
      for (let at = 0; at <= 400; at++) expect(used.get(at)).toBe(fresh.get(at));
      expect(used.isEmpty).toBe(fresh.isEmpty);
    }),
  );
});

test('property: a cleared column of strings reads as a new one, and keeps its words', () => {
  const word = fc.oneof(
    fc.constant(''),
    fc.nat(400).map(n => `w${n}`),
  );
  fc.assert(
    fc.property(writes(word), writes(word), (before, after) => {
      const [used, fresh] = [new StringColumn(), new StringColumn()];
      for (let n = 0; n < 400; n += 150) used.code(`w${n}`);
      for (const [at, value] of before) used.set(at, value);
      used.clear(201);
      for (const column of [used, fresh]) for (const [at, value] of after) column.set(at, value);
      for (let at = 0; at <= 400; at++) expect(used.get(at)).toBe(fresh.get(at));
    }),
  );
});
