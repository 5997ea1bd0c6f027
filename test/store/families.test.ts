import { describe, expect, test } from 'vitest';
import { type Known, touchedBy } from '../../src/store/families.ts';
import { Kind, NO_ROW } from '../../src/trace/kinds.ts';
import { Operations } from '../../src/trace/operations.ts';
import type { Session } from '../../src/trace/sessions.ts';

type Key = readonly [high: number, low: number];

function rowsWith(...keys: Key[]): Operations {
  const ops = new Operations();
  const session = ops.sessions.of('agent', 's', 0);
  for (const [high, low] of keys) ops.key.set(ops.add(Kind.call, session, NO_ROW, 0, 0, 0, 0), high, low);
  return ops;
}

/** Two files of an earlier run, each a family of its own: three rows, then the others. */
function knownWith(...keys: Key[]): Known {
  const session = (id: string): Session => ({ agent: 'agent', id, file: 0 });
  const ops = rowsWith(...keys);
  for (let row = 3; row < keys.length; row++) ops.file.set(row, 1);
  return {
    ops,
    changes: [],
    sessions: [[session('one')], [session('two')]],
    files: [
      { first: 0, count: 3, family: 0 },
      { first: 3, count: keys.length - 3, family: 1 },
    ],
  };
}

const known = knownWith([1, 10], [0, 0], [2, 20], [3, 30], [0, 0], [4, 0]);
const block = (from: number, keys: readonly Key[], sessions: readonly Session[] = []) => ({
  ops: rowsWith(...keys),
  sessions,
  from,
});
const touched = (...blocks: ReturnType<typeof block>[]) => [...touchedBy(known, new Set(), blocks)];

describe('a new block touches the files that have something in common with it', () => {
  test.each<[name: string, keys: readonly Key[], files: readonly number[]]>([
    ['a key', [[2, 20]], [0]],
    [
      'keys of both',
      [
        [9, 9],
        [3, 30],
        [1, 10],
      ],
      [0, 1],
    ],
    ['a key of which one half is 0', [[4, 0]], [1]],
    [
      'nothing where only one half is the same',
      [
        [5, 20],
        [2, 21],
      ],
      [],
    ],
    ['nothing where the low bits are the same', [[2, 20 + 0x10000]], []],
    ['nothing without a key', [[0, 0]], []],
  ])('%s', (_, keys, files) => expect(touched(block(0, keys))).toEqual(files));

  test('what rows have that were there before is not asked for again', () => {
    const keys: Key[] = [
      [3, 30],
      [2, 20],
    ];
    expect(touched(block(1, keys))).toEqual([0]);
    expect(touched(block(2, keys))).toEqual([]);
  });

  test.each<[name: string, session: Session, files: readonly number[]]>([
    ['a session', { agent: 'agent', id: 'two', file: 0 }, [1]],
    ['not a session of another agent', { agent: 'other', id: 'two', file: 0 }, []],
    ['the parent of a session', { agent: 'agent', id: 'new', file: 0, parent: 'one' }, [0]],
    ['the session it is a fork of', { agent: 'agent', id: 'new', file: 0, forkedFrom: 'two' }, [1]],
  ])('%s', (_, session, files) => expect(touched(block(0, [], [session]))).toEqual(files));

  test('a session that an old one names as its parent', () => {
    const child: Session = { agent: 'agent', id: 'child', file: 0, parent: 'late' };
    const before = { ...known, sessions: [[child], []] };
    const late = block(0, [], [{ agent: 'agent', id: 'late', file: 0 }]);
    expect([...touchedBy(before, new Set(), [late])]).toEqual([0]);
  });

  test('files that have changed touch their families', () => {
    expect([...touchedBy(known, new Set([1]), [])]).toEqual([1]);
  });
});
