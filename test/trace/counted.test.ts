import fc from 'fast-check';
import { expect, it } from 'vitest';
import { counted, grouped } from '../../src/trace/counted.ts';

it('an integer is written as English does', () => {
  fc.assert(fc.property(fc.maxSafeInteger(), number => grouped(number) === number.toLocaleString('en-US')));
  for (const number of [0, 7, 999, 1000, -1000, 12_345, 999_999, 1_000_000])
    expect(grouped(number)).toBe(number.toLocaleString('en-US'));
});

it('what is counted stands in the plural but for one', () => {
  expect([0, 1, 2000].map(count => counted(count, 'rule'))).toEqual(['0 rules', '1 rule', '2,000 rules']);
  expect(counted(2, 'entry', 'entries')).toBe('2 entries');
});
