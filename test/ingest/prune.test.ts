import { describe, expect, test } from 'vitest';
import type { Keep } from '../../src/ingest/keep.ts';
import { cutText, prune } from '../../src/ingest/prune.ts';

describe('a cut keeps whole characters within a number of UTF-8 bytes', () => {
  test.each([
    ['abc', 3, 'abc'],
    ['abc', 2, 'ab'],
    ['abc', 0, ''],
    ['é', 1, ''],
    ['aé', 2, 'a'],
    ['中文', 5, '中'],
    ['\u{1f600}x', 3, ''],
    ['\u{1f600}x', 4, '\u{1f600}'],
    ['a\ud83d', 3, 'a'],
    ['a\ud83d', 4, 'a\ud83d'],
    ['\n\n', 1, '\n'],
  ])('%j to %i bytes is %j', (text, limit, cut) => expect(cutText(text, limit)).toBe(cut));
});

describe('a rule', () => {
  const cases: [string, unknown, Keep, unknown][] = [
    [
      'as a number keeps all and cuts strings at any depth',
      { a: ['long', { b: 'longer' }], c: 1 },
      2,
      { a: ['lo', { b: 'lo' }], c: 1 },
    ],
    ['keeps the keys it names', { a: 1, b: 2 }, { keys: { a: 0 } }, { a: 1 }],
    ['has one rule for other keys', { a: 'xyz', b: 'xyz' }, { keys: { a: 1 }, rest: 2 }, { a: 'x', b: 'xy' }],
    ['sees through arrays, nested ones too', [[{ a: 1, b: 2 }], { b: 3 }], { keys: { a: 0 } }, [[{ a: 1 }], {}]],
    ['cuts a string where keys are expected', 'abcdef', { keys: {}, text: 3 }, 'abc'],
    ['cuts it to 200 bytes unless told', 'x'.repeat(300), { keys: {} }, 'x'.repeat(200)],
    ['keeps numbers, booleans and null where keys are expected', [1, true, null], { keys: {} }, [1, true, null]],
    ['never cuts key names', { abcdef: 'abcdef' }, 2, { abcdef: 'ab' }],
  ];
  test.each(cases)('%s', (_sentence, value, keep, kept) => expect(prune(value, keep)).toEqual(kept));

  test('takes __proto__ and constructor for ordinary keys', () => {
    const value = JSON.parse('{"__proto__":{"a":"xyz"},"constructor":1,"toString":2}');
    expect(JSON.stringify(prune(value, { keys: { ['__proto__']: 1 } }))).toBe('{"__proto__":{"a":"x"}}');
    expect(JSON.stringify(prune(value, { keys: {} }))).toBe('{}');
    expect(JSON.stringify(prune(value, { keys: { constructor: 0 } }))).toBe('{"constructor":1}');
  });
});
