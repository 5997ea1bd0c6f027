import { describe, expect, test } from 'vitest';
import { groupsOf, rank, wilsonLower } from '../../src/profile/rank.ts';
import { Trace } from '../../src/trace/trace.ts';
import { allRows } from '../support/folding.ts';
import { operationsOf } from '../support/operations.ts';

test.each([
  [0, 0, 0],
  [0, 10, 0],
  [4, 4, 0.5101],
  [1, 1, 0.2065],
  [50, 100, 0.4038],
])('of %i failures in %i the share is surely at least %d', (failed, all, bound) => {
  expect(wilsonLower(failed, all)).toBeCloseTo(bound, 4);
});

describe('where to look first', () => {
  const trace = new Trace(
    operationsOf(`
      session main
        call 0-1 opus in=1 #m1
        tool 1-2 Bash command=curl status=error args=a #t1
        tool 2-3 Bash command=curl args=b #t2
        tool 3-4 Bash command=curl status=error args=c #t3
        tool 4-5 Bash command=curl args=a #t4
        tool 5-6 Bash command=ls #t5
        tool 6-7 Bash command=make status=error #t6
    `),
  );
  const groups = groupsOf(trace, allRows(trace), ['tool', 'command']);

  test('groups are ordered by how surely they fail: one failure of one proves less than two of four', () => {
    expect(groups.map(({ values, failed, operations }) => [values[1], failed, operations])).toEqual([
      ['make', 1, 1],
      ['curl', 2, 4],
      ['', 0, 1],
      ['ls', 0, 1],
    ]);
  });

  test('what failed comes first, then what was tried again after a failure, then the like of what fails', () => {
    expect(rank(trace, groups).map(({ row, direct }) => [row, direct])).toEqual([
      [6, 2],
      [1, 2],
      [3, 2],
      [4, 1],
      [2, 0],
      [0, 0],
      [5, 0],
    ]);
  });
});
