import fc from 'fast-check';
import { expect, test } from 'vitest';
import { placesPlusOne, Side, type Stretch } from '../../src/store/places.ts';
import { Kind, NO_ROW } from '../../src/trace/kinds.ts';
import { Operations } from '../../src/trace/operations.ts';

function rowsOf(count: number): Operations {
  const ops = new Operations();
  const session = ops.sessions.of('agent', 's', 0);
  for (let row = 0; row < count; row++) ops.add(Kind.event, session, NO_ROW, 0, 0, 0, 0);
  return ops;
}

const COUNT = 20;
/** Some rows, each stretch behind the one before, with gaps of rows that are not part of the whole. */
const stretches = fc
  .array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 5 }), fc.nat(3)), { maxLength: 5 })
  .map(parts => {
    const found: Stretch[] = [];
    let [row, at] = [0, 0];
    for (const [gap, length, others] of parts) {
      const first = row + gap;
      const end = Math.min(COUNT, first + length);
      if (first >= end) break;
      found.push({ at: (at += others), first, end });
      at += end - first;
      row = end;
    }
    return found;
  });

test('property: what cells name stands in the whole where the row that they name stands', () => {
  const named = fc.array(fc.option(fc.nat(COUNT - 1)), { minLength: COUNT, maxLength: COUNT });
  fc.assert(
    fc.property(stretches, named, fc.boolean(), (found, names, wide) => {
      const side = new Side(rowsOf(COUNT));
      const places = new Map<number, number>();
      for (const { at, first, end } of found) {
        side.stand(first, placesPlusOne(at + end - first).subarray(at));
        for (let row = first; row < end; row++) places.set(row, at + row - first);
      }
      const placeOf = (name: number | null) => (name === null ? NO_ROW : (places.get(name) ?? NO_ROW));
      for (let row = 0; row < COUNT; row++) expect(side.placeOf(row)).toBe(placeOf(row));
      const rows = new Uint32Array(2 * COUNT + 20);
      const parents = new Uint32Array(rows.length);
      side.rowsIn(
        found,
        Uint32Array.from(names, name => name ?? NO_ROW),
        rows,
      );
      const plusOne = names.map(name => (name === null ? 0 : name + 1));
      side.rowsPlusOneIn(found, wide ? Uint16Array.from(plusOne) : Uint8Array.from(plusOne), parents);
      for (const { at, first, end } of found)
        for (let row = first; row < end; row++) {
          const place = placeOf(names[row] ?? null);
          expect(rows[at + row - first]).toBe(place);
          expect(parents[at + row - first]).toBe(place === NO_ROW ? 0 : place + 1);
        }
    }),
  );
});

test('cells that end before their rows name the first session, and no parent', () => {
  const side = new Side(rowsOf(4));
  side.sessions[0] = 7;
  side.stand(0, placesPlusOne(4));
  const all = [{ at: 1, first: 0, end: 4 }];
  const [sessions, parents] = [new Uint8Array(6), new Uint8Array(6)];
  side.sessionsIn(all, Uint8Array.of(0), sessions);
  side.rowsPlusOneIn(all, Uint8Array.of(0, 1), parents);
  expect([...sessions]).toEqual([0, 7, 7, 7, 7, 0]);
  expect([...parents]).toEqual([0, 0, 1, 0, 0, 0]);
});
