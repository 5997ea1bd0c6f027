import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cellsOf, cutToCells, graphemes, padToCells } from '../../src/formats/cells.ts';
import { HOSTILE_NAMES } from './random-profile.ts';

describe('the width of text in cells', () => {
  test.each([
    ['debug', 5],
    ['', 0],
    ['调试', 4],
    ['ｆｕｌｌ', 8],
    ['한글', 4],
    ['ひらがな', 8],
    ['naïve', 5],
    ['nai\u0308ve', 5],
    ['a\u200bb', 2],
    ['🎉', 2],
    ['👩‍👩‍👧‍👦', 2],
    ['❤️', 2],
    ['🇩🇪', 2],
    ['𠀀', 2],
    ['שלום', 4],
    ['…', 1],
  ])('of %j is %d', (text, cells) => {
    expect(cellsOf(text)).toBe(cells);
  });

  test.each([
    ['debug', 5, 'debug'],
    ['debugging', 5, 'debu…'],
    ['调试登录', 8, '调试登录'],
    ['调试登录', 7, '调试登…'],
    ['调试登录', 6, '调试…'],
    ['a👩‍👩‍👧‍👦bcd', 4, 'a👩‍👩‍👧‍👦…'],
    ['a👩‍👩‍👧‍👦bcd', 3, 'a…'],
    ['debug', 1, '…'],
    ['debug', 0, ''],
  ])('%j cut to %d is %j', (text, cells, expected) => {
    expect(cutToCells(text, cells)).toBe(expected);
  });

  test('a name cut at any width stays within it and ends between characters', () => {
    for (const name of HOSTILE_NAMES) {
      const whole = [...graphemes(name)];
      for (let cells = 0; cells <= 50; cells++) {
        const cut = cutToCells(name, cells);
        expect(cellsOf(cut)).toBeLessThanOrEqual(cells);
        expect(
          cut === name || cut === '' || cut === whole.join('') || whole.join('').startsWith(cut.slice(0, -1)),
        ).toBe(true);
      }
    }
  });

  test('padding gives exactly the width', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, cells) => {
        expect(cellsOf(padToCells(text, cells))).toBe(cells);
      }),
    );
  });

  test('a character buried under marks keeps only a few of them', () => {
    expect([...graphemes(`a${'\u0300'.repeat(500)}b`)].join('').length).toBeLessThan(40);
  });
});
