import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keyed, plainKeyed } from '../../src/privacy/kernel/kernel.ts';

const lengths = fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 1300, max: 1400 }));
/** Texts of any characters and halves of characters, of lengths around those where a block ends and where the kernel has no room. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: fc.integer({ min: 0xd700, max: 0xe100 }).map(unit => String.fromCharCode(unit)), maxLength: 90 }),
  lengths.map(length => 'x'.repeat(length)),
  lengths.map(length => '\u4e2d'.repeat(length)),
);
const key = fc.uint8Array({ minLength: 0, maxLength: 80 }).map(bytes => Buffer.from(bytes));

test('the kernel gives the digits that Node gives, of one text after the other', () => {
  fc.assert(
    fc.property(
      key,
      fc.array(text, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 32 }),
      (key, texts, bytes) => {
        const [ours, theirs] = [keyed(key), plainKeyed(key)];
        for (const each of texts) expect(ours(each, 2 * bytes)).toBe(theirs(each, 2 * bytes));
      },
    ),
    { numRuns: 300 },
  );
});

test('two keys at once do not mix', () => {
  const [one, other] = [keyed(Buffer.from('one')), keyed(Buffer.from('other'))];
  expect([one('a', 8), other('a', 8), one('b', 8)]).toEqual([
    plainKeyed(Buffer.from('one'))('a', 8),
    plainKeyed(Buffer.from('other'))('a', 8),
    plainKeyed(Buffer.from('one'))('b', 8),
  ]);
});
