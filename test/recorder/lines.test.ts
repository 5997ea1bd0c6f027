import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Lines } from '../../src/recorder/lines.ts';

const LONGEST = 12;

test('property: lines are those of the whole text, whatever its chunks; longer ones are passed over and counted', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\n', 'é', '中', '😀'), maxLength: 80 });
  fc.assert(
    fc.property(text, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }), (whole, sizes) => {
      const bytes = Buffer.from(whole);
      const lines = new Lines(LONGEST);
      const found: string[] = [];
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const size = sizes[turn % sizes.length] as number;
        found.push(...lines.of(bytes.subarray(at, at + size)));
        at += size;
      }
      const all = whole.split('\n');
      const rest = all.pop() as string;
      expect(found).toEqual(all.filter(line => line.length <= LONGEST));
      expect(lines.tooLong).toBe(all.filter(line => line.length > LONGEST).length);
      expect(lines.unfinished).toBe(rest !== '');
    }),
    { numRuns: 1000 },
  );
});

test('a line of many chunks takes time in proportion to them, and no more memory than the longest line', () => {
  const lines = new Lines(1 << 20);
  const chunk = Buffer.alloc(1 << 16, 'x');
  for (let i = 0; i < 8192; i++) expect(lines.of(chunk)).toEqual([]);
  expect(lines.of(Buffer.from('\nnext\n'))).toEqual(['next']);
  expect(lines.tooLong).toBe(1);
});
