import fc from 'fast-check';
import { expect, test } from 'vitest';
import { frameTable, neighboursOf } from '../../src/profile/frame-table.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { stackOf, totalOf, treeOf } from '../../src/profile/tree.ts';
import { randomProfile } from '../formats/random-profile.ts';
import { profileOf } from '../support/profiles.ts';

/** What a frame or a pair of frames gets of each sample, by looking at every stack as a whole. */
function slow(profile: Profile, keysOf: (stack: number[]) => Iterable<string>): Map<string, bigint> {
  const at = profile.measures.findIndex(measure => measure.name === profile.measure);
  const found = new Map<string, bigint>();
  for (let i = 0; i < profile.samples.length; i++) {
    const value = profile.samples.values[at]![i]!;
    for (const key of new Set(keysOf(stackOf(profile, profile.samples.node[i]!))))
      found.set(key, (found.get(key) ?? 0n) + value);
  }
  return new Map([...found].filter(([, value]) => value !== 0n));
}

test('flat is what ended in a frame, cum what passed through it, once a stack', () => {
  fc.assert(
    fc.property(randomProfile(), profile => {
      const rows = frameTable(treeOf(profile));
      const as = (value: 'flat' | 'cum') =>
        new Map(rows.filter(row => row[value] !== 0n).map(row => [String(row.frame), row[value]]));
      expect(as('flat')).toEqual(slow(profile, stack => [String(stack.at(-1) ?? -1)]));
      expect(as('cum')).toEqual(slow(profile, stack => (stack.length === 0 ? ['-1'] : stack.map(String))));
    }),
  );
});

test('the flats add up to the total, negative ones too', () => {
  fc.assert(
    fc.property(randomProfile(true), profile => {
      const flat = frameTable(treeOf(profile)).reduce((sum, row) => sum + row.flat, 0n);
      expect(flat).toBe(totalOf(profile));
    }),
  );
});

test('callers and callees are pairs that stand above each other, each once a stack', () => {
  fc.assert(
    fc.property(randomProfile(), profile => {
      const pairs = slow(profile, stack => stack.map((frame, at) => `${stack[at - 1] ?? -1},${frame}`));
      const found = neighboursOf(treeOf(profile), () => true);
      const callers = new Map(found.flatMap(each => each.callers.map(([up, value]) => [`${up},${each.frame}`, value])));
      const callees = new Map(
        found.flatMap(each => each.callees.map(([down, value]) => [`${each.frame},${down}`, value])),
      );
      expect(callers).toEqual(pairs);
      expect(callees).toEqual(new Map([...pairs].filter(([key]) => !key.startsWith('-1,'))));
    }),
  );
});

test('neighbours stand with the largest first', () => {
  const profile = profileOf('a:p;t:x;c:small 3 | a:q;t:x;c:large 9 | a:q;t:x 2');
  const [found] = neighboursOf(treeOf(profile), frame => profile.frames[frame]!.value === 'x');
  const names = (list: readonly (readonly [number, bigint])[]) =>
    list.map(([frame, value]) => `${profile.frames[frame]!.value} ${value}`);
  expect([names(found!.callers), names(found!.callees)]).toEqual([
    ['q 11', 'p 3'],
    ['large 9', 'small 3'],
  ]);
});
