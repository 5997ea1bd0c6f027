import { expect, test } from 'vitest';
import { beside, copyRows } from '../../src/trace/blocks.ts';
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
