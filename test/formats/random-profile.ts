import fc from 'fast-check';
import type { Evidence, Frame, Label, Profile } from '../../src/profile/profile.ts';
import { MEASURES } from '../../src/trace/measures.ts';
import { profileOfRows, type SampleRow } from '../support/profiles.ts';

/** Names that broke formats somewhere: markup, separators, line breaks, scripts, halves of characters. */
export const HOSTILE_NAMES: readonly string[] = [
  '"><script>alert(1)</script>',
  "' onload='alert(1)",
  ']]>',
  '&amp; &lt;b&gt; & < > " \'',
  'a;b;c',
  'two\nlines\r\nand\u2028more\ttab',
  'ends with 12',
  ' spaces  around ',
  '',
  '__proto__',
  'constructor',
  'Vec<Map<K, V>>::push(self)',
  'שלום עולם',
  '\u202eright to left',
  '调试登录失败的问题',
  '👩‍👩‍👧‍👦🎉',
  'z\u0338\u0321\u0322a\u0336'.repeat(4),
  '\u0000\u001b[31m',
  '\ud800 alone',
  '\uffff\ufffe',
  'n'.repeat(2000),
];

const KINDS = ['agent', 'prompt', 'task', 'call', 'tool', 'model', 'token', 'file', 'own kind', 'a"<b>&'];

const frame: fc.Arbitrary<Frame> = fc.record({
  kind: fc.constantFrom(...KINDS),
  value: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('debug', 'review', 'Bash', 'src/main.rs') },
    { weight: 2, arbitrary: fc.constantFrom(...HOSTILE_NAMES) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  ),
});

const label: fc.Arbitrary<Label> = fc.oneof(
  fc.record({ key: fc.constantFrom('session', 'model', 'branch'), text: fc.constantFrom('a', 'b', '分支', '"<&') }),
  fc.record({ key: fc.constant('turn'), number: fc.integer(), unit: fc.constantFrom('count', 'bytes') }),
);

const evidence: fc.Arbitrary<Evidence> = fc.record({
  session: fc.constantFrom('s1', 's2'),
  file: fc.nat(9),
  offset: fc.maxSafeNat(),
  bytes: fc.nat(),
});

function value(signed: boolean): fc.Arbitrary<bigint> {
  const most = 1n << 55n;
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant(0n) },
    { weight: 4, arbitrary: fc.bigInt({ min: signed ? -1000n : 0n, max: 1000n }) },
    // Beyond the integers that a double holds, and below what a sum of a few could overflow.
    { weight: 1, arbitrary: fc.bigInt({ min: signed ? -most : 0n, max: most }) },
  );
}

/** Any profile of all measures; `signed` ones are differences. */
export function randomProfile(signed = false): fc.Arbitrary<Profile> {
  const row: fc.Arbitrary<SampleRow> = fc.record({
    stack: fc.array(frame, { maxLength: 7 }),
    values: fc.tuple(...MEASURES.map(() => value(signed))),
    labels: fc.uniqueArray(label, { maxLength: 3, selector: entry => entry.key }),
    evidence: fc.array(evidence, { maxLength: 2 }),
  });
  return fc
    .record({
      rows: fc.array(row, { maxLength: 25 }),
      measure: fc.constantFrom(...MEASURES.map(m => m.name)),
      comments: fc.array(fc.constantFrom('agentpprof 0.1.0', '时区 Asia/Shanghai', 'rules "a" & <b>'), {
        maxLength: 2,
      }),
      time: fc.bigInt({ min: 0n, max: (1n << 62n) - 1n }),
    })
    .map(({ rows, measure, comments, time }) =>
      profileOfRows(rows, { measure, comments, timeNanos: time, durationNanos: time / 7n }),
    );
}

/** Sum of each measure over the samples, the number that every format has to keep. */
export function sums(profile: Profile): Record<string, bigint> {
  return Object.fromEntries(
    profile.measures.map((m, i) => [m.name, profile.samples.values[i]!.reduce((sum, v) => sum + v, 0n)]),
  );
}
