import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Comparison, compare, type DiffOptions } from '../../src/profile/diff.ts';
import { scaled } from '../../src/profile/diff-align.ts';
import { differenceProfile, diffTreeOf, frameChanges, largestChanges } from '../../src/profile/diff-tree.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { MEASURES } from '../../src/trace/measures.ts';
import { randomProfile, sums } from '../formats/random-profile.ts';
import { drawn } from '../support/folding.ts';
import { sideOf } from '../support/sides.ts';

const bare = (profile: Profile, name = 'side') => ({ name, profile, session: 'session' });
const of = (a: string, b: string, options: DiffOptions = {}) => compare(sideOf(a, 'A'), sideOf(b, 'B'), options);

/** Each place of the tree as text: `a:x;b:y 3 -> 5 grew`. */
function places(comparison: Comparison): string[] {
  const tree = diffTreeOf(comparison);
  return Array.from(comparison.nodes.parent, (_, n) => {
    const path: string[] = [];
    for (let up = n; up !== 0; up = comparison.nodes.parent[up]!) {
      const frame = comparison.frames[comparison.nodes.frame[up]!]!;
      path.unshift(`${frame.kind}:${frame.value}`);
    }
    const { a, b, fate, noise } = tree.change(n);
    return `${path.join(';') || 'all'} ${a} -> ${b}${fate === 'stayed' ? '' : ` ${fate}`}${noise ? ' noise' : ''}`;
  });
}

const added = (columns: readonly BigInt64Array[]) =>
  columns.map(column => column.reduce((sum, value) => sum + value, 0n));

describe('a comparison', () => {
  test('puts what is the same work on both sides in one place, and keeps what only one side has', () => {
    expect(places(of(' a:x;b:y 30 | a:x;b:z 40 | a:w 5', ' a:x;b:y 36 | a:x;b:z 40 | a:v 9'))).toEqual([
      'all 75 -> 85',
      'a:v 0 -> 9 appeared',
      'a:w 5 -> 0 vanished',
      'a:x 70 -> 76',
      'b:y 30 -> 36'.replace('b:y', 'a:x;b:y'),
      'a:x;b:z 40 -> 40 noise',
    ]);
  });

  test('is as wide as the larger side in every place, so what is gone has its room beside what is new', () => {
    const { width } = diffTreeOf(of(' a:x;b:y 30 | a:x;b:z 5 | a:w 5', ' a:x;b:y 10 | a:x;b:z 8 | a:v 9'));
    expect([...width.total]).toEqual([52n, 9n, 5n, 38n, 30n, 8n]);
  });

  test('counts a frame within itself once', () => {
    const tree = diffTreeOf(of(' a:x;a:x 3 | a:x 1', ' a:x;a:x 5 | a:x 1'));
    expect(frameChanges(tree).map(({ frame, a, b }) => `${frame.value} ${a} ${b}`)).toEqual(['x 4 6']);
  });

  test('names causes and not the way to them, the largest first', () => {
    const comparison = of(' a:x;b:y;c:p 10 | a:x;b:z;c:q 10', ' a:x;b:y;c:p 90 | a:x;b:z;c:q 40 | a:w 7');
    const names = largestChanges(diffTreeOf(comparison)).map(n => comparison.frames[comparison.nodes.frame[n]!]!.value);
    // y and z are said by p and q; x is not: neither of them holds most of it.
    expect(names).toEqual(['x', 'p', 'q', 'w']);
  });

  test('takes changes below the threshold for noise', () => {
    const text = ' a:x 100000 | a:y 1000 | a:z 1000';
    const after = ' a:x 100000 | a:y 1090 | a:z 1200';
    expect(places(of(text, after))).toEqual([
      'all 102000 -> 102290',
      'a:x 100000 -> 100000 noise',
      'a:y 1000 -> 1090 noise',
      'a:z 1000 -> 1200',
    ]);
    expect(places(of(text, after, { noise: 0 }))[2]).toBe('a:y 1000 -> 1090');
  });
});

describe('conservation', () => {
  test('for every measure the changes add up to the total of B minus the total of A', () => {
    fc.assert(
      fc.property(randomProfile(true), randomProfile(true), (a, b) => {
        const made = compare(bare(a, 'A'), bare(b, 'B'));
        const [before, after] = [added(made.a.self), added(made.b.self)];
        const expected = MEASURES.map(({ name }) => sums(b)[name]! - sums(a)[name]!);
        expect(after.map((value, m) => value - before[m]!)).toEqual(expected);
        const signed = differenceProfile(made, []);
        expect(MEASURES.map(({ name }) => sums(signed)[name])).toEqual(expected);
      }),
    );
  });

  test('what stands on one side alone is that side', () => {
    fc.assert(
      fc.property(randomProfile(), profile => {
        const nothing = {
          ...profile,
          samples: {
            ...profile.samples,
            length: 0,
            node: new Uint32Array(),
            labels: new Uint32Array(),
            values: MEASURES.map(() => new BigInt64Array()),
          },
        };
        const made = compare(bare(nothing), bare(profile));
        const signed = differenceProfile(made, []);
        for (const { name } of MEASURES) expect(drawn(signed, name)).toEqual(drawn(profile, name));
      }),
    );
  });

  test('normalised, B adds up to the total of A, and every share moved by less than one from the exact one', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(1_000_000), { minLength: 1 }),
        fc.bigInt({ min: 0n, max: 1n << 60n }),
        (parts, mass) => {
          const values = BigInt64Array.from(parts, BigInt);
          const whole = added([values])[0]!;
          fc.pre(whole > 0n);
          const out = scaled(values, mass, whole);
          expect(added([out])[0]).toBe(mass);
          out.forEach((value, i) => {
            const error = value * whole - values[i]! * mass;
            expect(error < whole && error > -whole).toBe(true);
          });
        },
      ),
    );
  });

  test('equal sides have no change anywhere', () => {
    fc.assert(
      fc.property(randomProfile(), profile => {
        const made = compare(bare(profile), bare(profile));
        expect(made.b.self).toEqual(made.a.self);
        expect(largestChanges(diffTreeOf(made))).toEqual([]);
      }),
    );
  });
});

describe('normalising', () => {
  test('leaves the shifts between frames', () => {
    expect(places(of(' a:x 50 | a:y 50', ' a:x 300 | a:y 100', { normalize: true }))).toEqual([
      'all 100 -> 100 noise',
      'a:x 50 -> 75',
      'a:y 50 -> 25',
    ]);
  });

  test.each([
    ['A has nothing of the measure', ' a:x 0', ' a:x 3', ['tokens']],
    ['B has nothing of the measure', ' a:x 3', ' a:x 0', ['tokens']],
    ['a side is negative somewhere', ' a:x 3 | a:y -1', ' a:x 3', ['tokens']],
    ['neither has anything of it, which is no loss', ' a:x 0', ' a:x 0', []],
  ])('is not possible where %s', (_, a, b, not) => {
    const made = of(a, b, { normalize: true });
    expect(made.notNormalized).toEqual(not);
    expect(made.b.self).toEqual(made.a.self);
  });
});

describe('pairing', () => {
  test('compares the tasks of both sides by the mean of their sessions and leaves the others out', () => {
    const made = of(
      's1@t1 a:x 10 | a:y 4\ns2@t1 a:x 20\ns3@t2 a:x 6\ns4@only a:x 500',
      's5@t1 a:x 18\ns6@t2 a:x 6\ns7@other a:x 900',
      { pair: 'task', pairName: 'task' },
    );
    expect(made.paired).toEqual({ field: 'task', tasks: 2, onlyA: 1, onlyB: 1 });
    // t1: the mean of 10 and 20 against 18, of 4 and 0 against 0; t2: 6 against 6.
    expect(places(made)).toEqual(['all 23 -> 24', 'a:x 21 -> 24', 'a:y 2 -> 0 vanished']);
    expect(made.a.given).toEqual([540n]);
  });

  test('is the mean of each task to less than one a place, whatever the numbers', () => {
    const session = fc.record({
      task: fc.nat(3),
      name: fc.nat(9),
      frame: fc.constantFrom('x', 'y'),
      value: fc.nat(99),
    });
    fc.assert(
      fc.property(fc.array(session, { maxLength: 30 }), fc.array(session, { maxLength: 30 }), (first, second) => {
        const text = (rows: typeof first) =>
          rows.map(({ task, name, frame, value }) => `s${task}${name}@t${task} a:${frame} ${value}`).join('\n');
        const made = of(text(first), text(second), { pair: 'task' });
        const mean = (rows: typeof first, frame: string, task: number) => {
          const own = rows.filter(row => row.task === task);
          const sessions = new Set(own.map(row => row.name)).size;
          return own.filter(row => row.frame === frame).reduce((sum, row) => sum + row.value, 0) / sessions;
        };
        const tasks = [0, 1, 2, 3].filter(task => [first, second].every(rows => rows.some(row => row.task === task)));
        expect(made.paired!.tasks).toBe(tasks.length);
        for (const [rows, side] of [
          [first, 'a'],
          [second, 'b'],
        ] as const)
          frameChanges(diffTreeOf(made)).forEach(each => {
            const exact = tasks.reduce((sum, task) => sum + mean(rows, each.frame.value, task), 0);
            expect(Math.abs(Number(each[side]) - exact)).toBeLessThan(tasks.length + 1e-6);
          });
      }),
    );
  });
});

describe('intervals', () => {
  const sessions = (count: number, stack: string) =>
    Array.from({ length: count }, (_, i) => `s${i} ${stack.replace('N', String(10 + i))}`).join('\n');

  test.each([
    ['there are enough sessions on both sides', sessions(4, 'a:x N'), sessions(4, 'a:x N'), undefined],
    ['a side has a single session', sessions(1, 'a:x N'), sessions(9, 'a:x N'), { reason: 'few', of: 'A', least: 4 }],
    ['a side has three', sessions(4, 'a:x N'), sessions(3, 'a:x N'), { reason: 'few', of: 'B', least: 4 }],
    ['a side does not tell its sessions apart', ' a:x 3', sessions(9, 'a:x N'), { reason: 'bare', of: 'A' }],
    [
      'some samples of a side have no session',
      sessions(9, 'a:x N'),
      `${sessions(9, 'a:x N')}\n a:x 3`,
      { reason: 'bare', of: 'B' },
    ],
    ['a side is empty', '', sessions(9, 'a:x N'), { reason: 'empty', of: 'A' }],
  ])('where %s', (_, a, b, expected) => {
    const made = of(a, b);
    expect(made.noInterval).toEqual(expected);
    expect(made.intervals === undefined).toBe(expected !== undefined);
  });

  test('what one session alone made is noise, what all of them did is not', () => {
    const before = sessions(12, 'a:x N | a:y 5');
    const after = `${sessions(12, 'a:x N | a:y 9')}\nlast a:x 4000`;
    expect(places(of(before, after)).slice(1)).toEqual(['a:x 186 -> 4186 noise', 'a:y 60 -> 108']);
  });

  test('tasks are drawn where they are paired, and six are needed', () => {
    const tasks = (count: number, add: number) =>
      Array.from({ length: count }, (_, i) => `s${i}@t${i} a:x ${100 * (i + 1) + add}`).join('\n');
    expect(of(tasks(5, 0), tasks(5, 9), { pair: 'task' }).noInterval).toEqual({ reason: 'few', of: 'task', least: 6 });
    const made = of(tasks(6, 0), tasks(6, 9), { pair: 'task' });
    // Every task took nine more: whichever are drawn, the sum of six differences is the same.
    expect([made.intervals!.over, made.intervals!.nodes.low[0], made.intervals!.nodes.high[0]]).toEqual([
      'tasks',
      54,
      54,
    ]);
  });

  test('do not depend on the order in which samples or sessions come', () => {
    const lines = sessions(9, 'a:x N | b:y 7').split('\n');
    const there = of(lines.join('\n'), sessions(8, 'a:x N'));
    const back = of(lines.toReversed().join('\n'), sessions(8, 'a:x N'));
    expect(back.intervals).toEqual(there.intervals);
  });
});
