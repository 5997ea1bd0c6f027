import fc from 'fast-check';
import { expect, test } from 'vitest';
import { beside, copyRows, copyStretches, Excerpts, ofRuns, type Run } from '../../src/trace/blocks.ts';
import { Kind, NO_ROW } from '../../src/trace/kinds.ts';
import { Operations } from '../../src/trace/operations.ts';
import { Texts } from '../../src/trace/texts.ts';

/** A block as one file gives it: a row for each of the fields. */
function block(whole: Operations, ...rows: readonly Readonly<Record<string, string>>[]): Operations {
  const ops = beside(whole, new Texts([]));
  for (const fields of rows) {
    const row = ops.add(Kind.tool, 0, NO_ROW, 0, 0, 0, 0);
    for (const [name, value] of Object.entries(fields)) ops.freeField(name).set(row, value);
  }
  return ops;
}

test('blocks bring free fields that the whole did not have, and later blocks go on with their words', () => {
  const whole = new Operations(new Texts([]));
  const blocks = [[{ phase: 'x' }, { phase: 'y' }], [{ phase: 'y', op: 'z' }, { op: 'x' }], [{ phase: 'w' }]];
  for (const rows of blocks) {
    const made = block(whole, ...rows);
    copyRows(whole, made, 0, made.length);
  }
  const values = (name: string) => [...Array(whole.length).keys()].map(row => whole.freeField(name).get(row));
  expect(values('phase')).toEqual(['x', 'y', 'y', '', 'w']);
  expect(values('op')).toEqual(['', '', 'z', 'x', '']);
  expect(whole.freeField('phase').values).toEqual(['', 'x', 'y', 'w']);
});

/** Rows of one kind or another, some under earlier ones, in two sessions. */
const rows = fc.array(
  fc.record({ session: fc.nat(1), up: fc.nat(5), start: fc.oneof(fc.nat(200), fc.nat(70_000)), tool: fc.nat(300) }),
  { minLength: 1, maxLength: 40 },
);

function made(given: readonly { session: number; up: number; start: number; tool: number }[]): Operations {
  const ops = new Operations(new Texts([]));
  for (const id of ['a', 'b']) ops.sessions.of('agent', id, 0);
  given.forEach(({ session, up, start, tool }, row) => {
    ops.add(Kind.tool, session, up === 0 || up > row ? NO_ROW : row - up, start, 0, row, 1);
    ops.field.tool.set(row, `tool ${tool}`);
  });
  return ops;
}

/** Every column, row by row, as what it says. */
function said(ops: Operations) {
  const { numbers, strings } = ops.columns();
  const all = [...numbers, ...strings].map(([name, column]) => [
    name,
    Array.from({ length: ops.length }, (_, row) => column.get(row)),
  ]);
  return Object.fromEntries(all);
}

test('property: an excerpt reads as its rows copied, and what is written to it is written nowhere else', () => {
  fc.assert(
    fc.property(rows, fc.nat(), fc.nat(), fc.array(fc.nat(200), { maxLength: 5 }), (given, a, b, written) => {
      const whole = made(given);
      const before = said(whole);
      const first = a % (whole.length + 1);
      const end = first + (b % (whole.length + 1 - first));
      const sessions = new Map([
        [1, 0],
        [0, 1],
      ]);
      const excerpts = new Excerpts(whole, [
        { first: 0, end: first, sessions },
        { first, end, sessions },
      ]);
      const excerpt = excerpts.of(1, new Texts([]), 2);
      const twin = beside(whole, new Texts([]));
      copyRows(twin, whole, first, end);
      for (let row = 0; row < twin.length; row++) {
        const up = twin.parentOf(row);
        twin.setParent(row, up === NO_ROW || up < first ? NO_ROW : up - first);
        twin.session.set(row, 1 - twin.session.get(row));
        if (up !== NO_ROW && up < first) excerpt.setParent(row, NO_ROW);
      }
      for (const ops of [excerpt, twin]) {
        for (const at of written) ops.field.tool.set(at % (end - first + 1), `new ${at}`);
        for (const at of written) ops.start.set(at % (end - first + 1), at * 1000);
      }
      expect(said(excerpt)).toEqual(said(twin));
      expect(said(whole)).toEqual(before);
    }),
  );
});

test('property: runs of rows behind each other, put together on first use, read as if they had been copied', () => {
  fc.assert(
    fc.property(rows, rows, fc.array(fc.tuple(fc.boolean(), fc.nat(), fc.nat()), { maxLength: 6 }), (a, b, told) => {
      const whole = made(a);
      const other = beside(whole, new Texts([]));
      const apart = made(b);
      copyRows(other, apart, 0, apart.length);
      const runs = told.map(([isFirst, from, count]): Run => {
        const ops = isFirst ? whole : other;
        const first = from % (ops.length + 1);
        return { from: ops, first, end: first + (count % (ops.length + 1 - first)) };
      });
      const twin = beside(whole, new Texts([]));
      for (const { from, first, end } of runs) copyRows(twin, from, first, end);
      const joined = ofRuns(runs, new Texts([]));
      const glanced = joined.start.glance();
      for (let row = 0; row < twin.length; row++) expect(glanced[row] ?? 0).toBe(twin.start.get(row));
      expect(said(joined)).toEqual(said(twin));
      const appended = beside(whole, new Texts([]));
      copyStretches(
        appended,
        whole,
        runs.filter(({ from }) => from === whole),
      );
      const alone = beside(whole, new Texts([]));
      for (const { from, first, end } of runs) if (from === whole) copyRows(alone, from, first, end);
      expect(said(appended)).toEqual(said(alone));
    }),
  );
});
