import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writeFolded } from '../../src/formats/folded.ts';
import { treeOf } from '../../src/profile/tree.ts';
import { textOf } from '../support/collect.ts';
import { parseFoldedLine, profileOf, profileOfRows } from '../support/profiles.ts';
import { randomProfile, sums } from './random-profile.ts';

const folded = (text: string) => textOf(writeFolded, profileOf(text)).trimEnd().split('\n');

describe('folded text', () => {
  test.each([
    ['is one sorted line a stack, root first', 'b:2;c:3 4 | a:1 2 | a:1;b:2 1', ['a:1 2', 'a:1;b:2 1', 'b:2;c:3 4']],
    ['leaves zeros out', 'a:1 0 | a:2 5', ['a:2 5']],
    ['leaves out what cancels', 'a:1 5 | a:1 -5 | a:2 1', ['a:2 1']],
    ['has signs in a difference', 'a:1 -3 | a:2 5', ['a:1 -3', 'a:2 5']],
    ['keeps what belongs to no frame', ' 7 | a:1 1', ['(no frame) 7', 'a:1 1']],
    ['keeps spaces and scripts', 'prompt:修复 登录 bug;tool:Read File 2', ['prompt:修复 登录 bug;tool:Read File 2']],
    ['is exact beyond the integers of a double', 'a:1 9007199254740993', ['a:1 9007199254740993']],
  ])('%s', (_, text, expected) => {
    expect(folded(text)).toEqual(expected);
  });

  test.each([
    ['rm -rf a; rm b', 'command:rm -rf a, rm b'],
    ['one\ntwo\r\nthree\u2028four', 'command:one two three four'],
    ['half \ud800', 'command:half \ufffd'],
  ])('replaces only what would break a line: %j', (value, expected) => {
    const profile = profileOfRows([{ stack: [{ kind: 'command', value }], values: Array(12).fill(1n) }]);
    expect(textOf(writeFolded, profile)).toBe(`${expected} 1\n`);
  });

  test('is one line where names differ only in what was replaced', () => {
    const row = (value: string) => ({ stack: [{ kind: 'a', value }], values: Array(12).fill(2n) });
    expect(textOf(writeFolded, profileOfRows([row('x;y'), row('x,y')]))).toBe('a:x,y 4\n');
  });

  test('writes the measure it is asked for', () => {
    const profile = profileOfRows([
      { stack: [{ kind: 'a', value: 'x' }], values: Array.from({ length: 12 }, (_, i) => BigInt(i)) },
    ]);
    expect(textOf(writeFolded, profile, { measure: 'cost' })).toBe('a:x 10\n');
  });

  test('of nothing is empty', () => {
    expect(textOf(writeFolded, profileOf(''))).toBe('');
  });

  test.each([
    ['profile', false],
    ['difference', true],
  ])('of any %s reads back to the same stacks and keeps the sum of every measure', (_, signed) => {
    fc.assert(
      fc.property(randomProfile(signed), profile => {
        for (const { name } of profile.measures) {
          const text = textOf(writeFolded, profile, { measure: name });
          const lines = text.split('\n').slice(0, -1);
          const rows = lines.map(parseFoldedLine);
          expect(rows.reduce((sum, row) => sum + row.value, 0n)).toBe(sums(profile)[name]);
          expect(rows.every(row => row.value !== 0n)).toBe(true);
          const again = profileOf(text, { measure: name });
          expect(textOf(writeFolded, again, { measure: name })).toBe(text);
          expect(treeOf(again, { measure: name }).total[0]).toBe(sums(profile)[name]);
          expect(lines).toEqual(
            [...lines].sort((a, b) => (a.slice(0, a.lastIndexOf(' ')) < b.slice(0, b.lastIndexOf(' ')) ? -1 : 1)),
          );
        }
      }),
    );
  });
});
