import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { characterNgrams } from '../../../src/meaning/text/ngrams.ts';
import { words } from '../../../src/meaning/text/words.ts';

describe('words of any script', () => {
  test.each([
    ['Fix the BUG, please!', ['fix', 'the', 'bug', 'please']],
    ["don't touch foo_bar", ["don't", 'touch', 'foo_bar']],
    ['src/main.ts:12', ['src', 'main', 'ts', '12']],
    ['修复bug', ['修复', 'bug']],
    ['bug修复', ['bug', '修复']],
    ['ＦＩＸ　it', ['fix', 'it']],
    ['Été déjà', ['été', 'déjà']],
    ['исправь ошибку', ['исправь', 'ошибку']],
    ['👍🎉 …', []],
    ['嗯', ['嗯']],
    ['', []],
  ])('%j', (text, found) => expect(words(text)).toEqual(found));

  test('scripts without spaces are cut into words of which all characters are kept', () => {
    for (const text of ['修一下登录页面的问题', 'ログインを直して', 'แก้ไขข้อผิดพลาด']) {
      expect(words(text).length).toBeGreaterThan(2);
      expect(words(text).join('')).toBe(text.normalize('NFKC'));
    }
  });

  test('property: ASCII words do not depend on what stands beside them', () => {
    const ascii = fc.string({ unit: fc.constantFrom(..."aZ9_ .'-/") });
    fc.assert(
      fc.property(ascii, text => {
        expect(words(`${text} 修`)).toEqual([...words(text), '修']);
      }),
    );
  });

  test('property: a text and its lower case have the same words', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'aBé修复 1_é') }), text => {
        expect(words(text.toUpperCase())).toEqual(words(text.toLowerCase()));
      }),
    );
  });

  test('100 KB without a space end', () => {
    expect(words('修'.repeat(100_000)).join('').length).toBe(100_000);
    expect(words('x'.repeat(100_000))).toHaveLength(1);
  });
});

describe('character n-grams', () => {
  const grams = (word: string, min: number, max: number) => {
    const found: string[] = [];
    characterNgrams(word, min, max, (padded, from, to) => found.push(padded.slice(from, to)));
    return found;
  };
  test.each([
    ['fix', 3, 3, [' fi', 'fix', 'ix ']],
    ['ab', 3, 4, [' ab', 'ab ', ' ab ']],
    ['a', 3, 4, [' a ']],
    ['修复', 2, 2, [' 修', '修复', '复 ']],
    ['👍🏽', 2, 2, [' 👍', '👍🏽', '🏽 ']],
  ])('%s, %i to %i', (word, min, max, found) => expect(grams(word, min, max)).toEqual(found));
});
