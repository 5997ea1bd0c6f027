import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ChildOrder,
  childrenOf,
  frameTotals,
  measureIndex,
  stackOf,
  type Tree,
  totalOf,
  treeOf,
  UnknownMeasureError,
} from '../../src/profile/tree.ts';
import { randomProfile } from '../formats/random-profile.ts';
import { profileOf } from '../support/profiles.ts';

/** The tree as text: indented, `name total (self)`. */
function drawn(tree: Tree): string {
  const { nodes, frames } = tree.profile;
  const lines: string[] = [];
  const waiting = [0];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const frame = frames[nodes.frame[node]!];
    const name = node === 0 ? 'all' : `${frame!.kind}:${frame!.value}`;
    lines.push(`${'  '.repeat(tree.depth[node]!)}${name} ${tree.total[node]} (${tree.self[node]})`);
    waiting.push(...[...childrenOf(tree, node)].reverse());
  }
  return lines.join('\n');
}

describe('the tree of a profile', () => {
  test('keeps what ended at a frame apart from what passed through it', () => {
    expect(drawn(treeOf(profileOf('a:x;b:y 3 | a:x 2 | a:x;b:z;c:w 4 | a:v 7')))).toBe(
      ['all 16 (0)', '  a:x 9 (2)', '    b:z 4 (0)', '      c:w 4 (4)', '    b:y 3 (3)', '  a:v 7 (7)'].join('\n'),
    );
  });

  test.each<[ChildOrder, string]>([
    ['value', 'b:2 b:3 a:9 a:1'],
    ['name', 'a:1 a:9 b:2 b:3'],
  ])('orders children by %s, equals by name', (order, expected) => {
    const tree = treeOf(profileOf('b:3 5 | a:9 4 | a:1 1 | b:2 5'), { order });
    const { frames, nodes } = tree.profile;
    const names = [...childrenOf(tree, 0)].map(n => frames[nodes.frame[n]!]!).map(f => `${f.kind}:${f.value}`);
    expect(names.join(' ')).toBe(expected);
  });

  test('weighs changes by their size where they cancel in the total', () => {
    const tree = treeOf(profileOf('a:x;b:y 5 | a:x;b:z -5'));
    expect([tree.total[1], tree.weight[1], tree.signed]).toEqual([0n, 10n, true]);
  });

  test('holds values beyond the integers of a double', () => {
    const large = 2n ** 53n + 1n;
    const tree = treeOf(profileOf(`a:x ${large} | a:y ${large}`));
    expect(tree.total[0]).toBe(2n * large);
  });

  test('is built for a stack of 3,000 frames', () => {
    const path = Array.from({ length: 3000 }, (_, i) => `a:${i}`).join(';');
    const tree = treeOf(profileOf(`${path} 2`));
    expect([tree.total[0], tree.depth[3000], stackOf(tree.profile, 3000).length]).toEqual([2n, 3000, 3000]);
    expect(frameTotals(tree).total.every(total => total === 2n)).toBe(true);
  });

  test('counts a frame that recurs in a stack once', () => {
    const tree = treeOf(profileOf('a:x;b:y;a:x 3 | a:x 2 | b:y;a:x 1'));
    expect([...frameTotals(tree).total]).toEqual([6n, 4n]);
  });

  test('of no samples has a root of zero', () => {
    expect(drawn(treeOf(profileOf('')))).toBe('all 0 (0)');
  });

  test('names the measures there are when asked for another', () => {
    const profile = profileOf('a:x 1', { measures: [{ name: 'tokens', unit: 'count' }] });
    expect(() => measureIndex(profile, 'tokenz')).toThrow(UnknownMeasureError);
    expect(() => treeOf(profile, { measure: 'tokenz' })).toThrow('no measure "tokenz" in this profile; it has tokens');
  });
});

describe.each([
  ['profiles', false],
  ['differences', true],
])('over all %s', (_, signed) => {
  test('self values, samples and the root agree for every measure', () => {
    fc.assert(
      fc.property(randomProfile(signed), profile => {
        for (const { name } of profile.measures) {
          const tree = treeOf(profile, { measure: name });
          const self = tree.self.reduce((sum, value) => sum + value, 0n);
          expect(self).toBe(totalOf(profile, name));
          expect(tree.total[0]).toBe(self);
        }
      }),
    );
  });

  test('each total is the self value and the totals of the children, and no child weighs more than its parent', () => {
    fc.assert(
      fc.property(randomProfile(signed), profile => {
        const tree = treeOf(profile);
        for (let n = 0; n < tree.total.length; n++) {
          const children = [...childrenOf(tree, n)];
          expect(children.reduce((sum, child) => sum + tree.total[child]!, tree.self[n]!)).toBe(tree.total[n]);
          expect(children.every(child => tree.weight[child]! <= tree.weight[n]!)).toBe(true);
          if (!signed) expect(tree.weight[n]).toBe(tree.total[n]);
        }
        expect(tree.children.toSorted()).toEqual(Uint32Array.from({ length: tree.total.length - 1 }, (_, i) => i + 1));
      }),
    );
  });

  test('no frame exceeds the root', () => {
    fc.assert(
      fc.property(randomProfile(signed), profile => {
        const tree = treeOf(profile);
        expect(frameTotals(tree).weight.every(weight => weight <= tree.weight[0]!)).toBe(true);
      }),
    );
  });
});
