import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cellsOf } from '../../src/formats/cells.ts';
import { DIFF_FORMATS } from '../../src/formats/diff.ts';
import { writeDiffFolded } from '../../src/formats/diff-folded.ts';
import { writeDiffJson } from '../../src/formats/diff-json.ts';
import { writeDiffSvg } from '../../src/formats/diff-svg.ts';
import { diffSummary } from '../../src/formats/diff-terminal.ts';
import { compare, type DiffOptions } from '../../src/profile/diff.ts';
import { type DiffTree, diffTreeOf } from '../../src/profile/diff-tree.ts';
import { MEASURES } from '../../src/trace/measures.ts';
import { profileOfRows } from '../support/profiles.ts';
import { sideOf } from '../support/sides.ts';
import { HOSTILE_NAMES, randomProfile, sums } from './random-profile.ts';
import { elementsOf, parseXml, textIn } from './xml.ts';

const treeOf = (a: string, b: string, options: DiffOptions = {}) =>
  diffTreeOf(compare(sideOf(a, 'October'), sideOf(b, 'November'), options));

function written(write: (tree: DiffTree, sink: (chunk: string | Uint8Array) => void) => void, tree: DiffTree): string {
  const chunks: Buffer[] = [];
  write(tree, chunk => chunks.push(Buffer.from(chunk)));
  return Buffer.concat(chunks).toString('utf8');
}

const TWO_MONTHS = [
  ' agent:codex;prompt:debug 6000 | agent:codex;prompt:docs 900 | agent:pi 300',
  ' agent:codex;prompt:debug 9300 | agent:codex;prompt:docs 905 | agent:codex;prompt:review 700',
] as const;

describe('the picture', () => {
  const root = parseXml(written(writeDiffSvg, treeOf(...TWO_MONTHS, { noise: 0.01 })));
  const boxes = [...elementsOf(root)].filter(each => each.attributes.class === 'f');

  test('names both sides with their totals and always has its legend', () => {
    const texts = [...elementsOf(root)].filter(each => each.name === 'text').map(textIn);
    expect(texts).toContain('A October: 7.2 k tokens · B November: 10.9 k tokens');
    expect(texts).toEqual(
      expect.arrayContaining(['grew', 'shrank', 'only in November', 'only in October', 'within noise']),
    );
  });

  test('draws what both sides have, what appeared and what vanished, and greys what hardly changed', () => {
    const drawn = boxes.map(box => {
      const [title, rect] = box.children.filter(child => typeof child !== 'string');
      const [name, said] = textIn(title!).split('\n');
      return `${name} ${said} ${rect!.attributes.class}`;
    });
    expect(drawn).toEqual([
      'all +3.7 k · +51.5 % more-1',
      'agent:codex +4.0 k · +58.0 % more-1',
      'prompt:debug +3.3 k · +55.0 % more-1',
      'prompt:docs +5 · +0.6 % even-0',
      'prompt:review +700 · new new-0',
      'agent:pi -300 · gone gone-0',
    ]);
  });

  test('tells both sides in full under the pointer', () => {
    expect(textIn(boxes[1]!).split('\n').slice(2, 5)).toEqual([
      'A October: 6,900 tokens',
      'B November: 10,905 tokens',
      expect.stringContaining('change: +4,005 tokens'),
    ]);
  });
});

/** Both sides of one stack for each hostile name, as kinds, as values and as names of the sides. */
function hostile(): DiffTree {
  const side = (name: string, factor: bigint) => ({
    name,
    session: 'session',
    profile: profileOfRows(
      HOSTILE_NAMES.map((value, i) => ({
        stack: [
          { kind: 'a"<b>&', value },
          { kind: 'tool', value: value.repeat(2) },
        ],
        values: MEASURES.map(() => BigInt(i + 1) * factor),
      })),
      { comments: HOSTILE_NAMES },
    ),
  });
  return diffTreeOf(compare(side('</title><script>alert(1)</script>', 3n), side('\u202e調試"\' --><b>', 5n)));
}

describe('names', () => {
  test('are inert in the picture', () => {
    const root = parseXml(written(writeDiffSvg, hostile()));
    const names = [...elementsOf(root)].map(each => each.name);
    expect(names.filter(name => name === 'script')).toEqual(['script']);
    expect(new Set(names)).toEqual(new Set(['svg', 'title', 'style', 'rect', 'text', 'tspan', 'g', 'script']));
  });

  test.each(DIFF_FORMATS.filter(format => !format.binary).map(format => [format.name, format] as const))(
    'break no line and no tag of %s',
    (name, format) => {
      const text = written(format.write, hostile());
      // Folded text keeps control characters, as its readers do; all others show them to a person.
      const forbidden = { json: /[\u0000-\u0009\u000b-\u001f]/, folded: /[\r\u2028\u2029]/ }[name as 'json' | 'folded'];
      expect(text).not.toMatch(forbidden ?? /[\u0000-\u0008\u000b-\u001f\u202e]/);
      if (name === 'html') expect(text.match(/<script/g)).toHaveLength(2);
      expect(text.includes('\ufffd') || name === 'json').toBe(true);
    },
  );

  test.each([40, 80, 133])('stay within %i cells of a terminal', width => {
    for (const line of diffSummary(hostile(), { width }).split('\n')) expect(cellsOf(line)).toBeLessThanOrEqual(width);
  });
});

describe('a sentence stands where there is nothing to see', () => {
  test.each<[string, string, string, DiffOptions, RegExp]>([
    ['both sides are empty', '', '', {}, /Nothing was selected on either side/],
    ['the measure is zero', ' a:x 0', ' a:x 0', {}, /Nothing was selected|every value is zero/],
    [
      'nothing can be paired',
      's1@t1 a:x 3',
      's1@t2 a:x 3',
      { pair: 'task', pairName: 'task' },
      /No task is on both sides.*1 only in A \(October\), 1 only in B/,
    ],
    ['a side has no shares', ' a:x 3', ' a:x 0', { normalize: true }, /Tokens cannot be normalised/],
    ['A is empty', '', ' a:x 3', {}, /A \(October\) is empty: all of B \(November\) is new/],
    ['B is empty', ' a:x 3', '', {}, /B \(November\) is empty: all of A \(October\) is gone/],
    ['both sides are equal', ' a:x 3', ' a:x 3', {}, /Both sides are equal: no frame changed in tokens/],
    [
      'a side is negative',
      ' a:x 3 | a:y -5',
      ' a:x 3',
      {},
      /A \(October\) holds negative values: it is itself a difference/,
    ],
    ['there is one session', 's1 a:x 3', 's2 a:x 5', {}, /No interval is possible: October has fewer than 4 sessions/],
    [
      'there are no sessions',
      ' a:x 3',
      ' a:x 5',
      {},
      /No interval is possible: October does not tell its sessions apart/,
    ],
  ])('%s', (_, a, b, options, sentence) => {
    const tree = treeOf(a, b, options);
    for (const format of DIFF_FORMATS.filter(each => ['svg', 'html', 'text', 'json'].includes(each.name))) {
      const text = written(format.write, tree)
        .replace(/<[^>]*>/g, ' ')
        .replaceAll('\n', ' ');
      expect([format.name, text]).toEqual([format.name, expect.stringMatching(sentence)]);
    }
  });

  test('of a measure that both sides lack, what they have instead', () => {
    const side = (name: string) => ({
      name,
      profile: profileOfRows(
        [{ stack: [{ kind: 'a', value: 'x' }], values: MEASURES.map((_, m) => BigInt(m === 0 ? 3 : 0)) }],
        {},
      ),
    });
    expect(diffSummary(diffTreeOf(compare(side('A'), side('B'), { measure: 'errors' })))).toContain(
      'Neither side has errors: every value is zero. They have operations.',
    );
  });
});

describe('the terminal', () => {
  test('says what changed in words', () => {
    expect(diffSummary(treeOf(...TWO_MONTHS, { noise: 0.01 }), { width: 90 }).split('\n')).toEqual([
      '+3.7 k tokens · +51.5 %',
      'A October: 7.2 k tokens · B November: 10.9 k tokens',
      '',
      'B (November) has 3.7 k more tokens than A (October): 7.2 k to 10.9 k (+51.5 %).',
      '',
      'Largest changes',
      '+3.3 k  grew 55.0 %  6.0 k → 9.3 k  ████████  agent:codex › prompt:debug',
      '  +700       is new        0 → 700  █▊        agent:codex › prompt:review',
      '  -300      is gone        300 → 0  ▊         agent:pi',
      '',
      'Largest within noise',
      '+5  grew 0.6 %  900 → 905  ████████  agent:codex › prompt:docs',
      '',
      'By kind',
      '  agent   codex +4.0 k (+58.0 %)  pi -300 (gone)',
      '  prompt  debug +3.3 k (+55.0 %)  review +700 (new)',
      '',
      'No interval is possible: October does not tell its sessions apart. Grey: changes below 1 %',
      'of the larger side.',
      '',
    ]);
  });

  test('has colours only where they are wanted', () => {
    const tree = treeOf(...TWO_MONTHS);
    expect(diffSummary(tree)).not.toContain('\u001b');
    expect(diffSummary(tree, { color: true })).toContain('\u001b');
  });
});

test('folded text has both sides in two columns, sorted, without what is zero on both', () => {
  expect(written(writeDiffFolded, treeOf(' b:y 3 | a:x;b:y 2 | c:z 0', ' a:x;b:y 5 | c:z 0'))).toBe(
    'a:x;b:y 2 5\nb:y 3 0\n',
  );
});

test('JSON conserves every measure, node by node', () => {
  fc.assert(
    fc.property(randomProfile(true), randomProfile(true), (a, b) => {
      const made = compare({ name: 'A', profile: a }, { name: 'B', profile: b });
      const json = JSON.parse(written(writeDiffJson, diffTreeOf(made)));
      expect(json.schema).toBe('agentpprof.diff/1');
      MEASURES.forEach(({ name }, m) => {
        const sum = (key: 'self_a' | 'self_b') =>
          json.nodes.reduce((all: bigint, node: Record<typeof key, string[]>) => all + BigInt(node[key][m]!), 0n);
        expect([sum('self_a'), sum('self_b')]).toEqual([sums(a)[name], sums(b)[name]]);
        expect(BigInt(json.change[name])).toBe(sums(b)[name]! - sums(a)[name]!);
      });
    }),
  );
});

test.each(DIFF_FORMATS.map(format => [format.name, format] as const))(
  '%s has the same bytes for the same sides',
  (_, format) => {
    const side = (add: number) =>
      Array.from({ length: 9 }, (__, i) => `s${i} a:x ${i + add} | a:y;b:z ${(7 * i) % 5}`).join('\n');
    expect(written(format.write, treeOf(side(1), side(4)))).toBe(written(format.write, treeOf(side(1), side(4))));
  },
);
