import fc from 'fast-check';
import type { Keep } from '../../src/ingest/keep.ts';

/** Few keys, so that rules and records meet; awkward ones among them. */
const KEYS = [
  'a',
  'b',
  'ab',
  'type',
  'types',
  'é',
  '键',
  '\u{1f600}',
  '__proto__',
  'constructor',
  '',
  'x"y\\',
  '\ud83d',
  '\n',
];

const key = fc.constantFrom(...KEYS);

/** Characters of every length in UTF-8, lone surrogates and what must be escaped. */
const CHARACTERS = [
  'a',
  'Z',
  '7',
  ' ',
  '{',
  '[',
  ',',
  ':',
  '"',
  '\\',
  '/',
  '\n',
  '\r',
  '\u0000',
  '\u001f',
  '\u007f',
  'é',
  '中',
  '\u2028',
];
const SURROGATES = ['\u{1f600}', '\u{10ffff}', '\ud83d', '\ude00', '\ud800', '\udfff'];
const text = fc.oneof(
  fc.array(fc.constantFrom(...CHARACTERS, ...SURROGATES), { maxLength: 14 }).map(characters => characters.join('')),
  // Long enough for the kernel's blocks of 64, with runs of backslashes over their ends.
  fc
    .array(fc.constantFrom('a', 'plain words ', '中文字', '\\', '\\\\\\', '"', '\n', '\u{1f600}', '\ud83d'), {
      maxLength: 60,
    })
    .map(parts => parts.join('')),
);

const NUMBERS = [
  '0',
  '-0',
  '-1',
  '12',
  '1.5',
  '-0.25',
  '1e5',
  '1E+2',
  '2.5e-3',
  '123456789012345678901234567890',
  '1e999',
];

/** JSON text as a tree that can say what JSON objects can and JavaScript's cannot: duplicate keys. */
type Tree = { text: string } | { literal: string } | { array: Tree[] } | { object: [string, Tree][] };

const tree = fc.letrec<{ tree: Tree; object: Tree }>(tie => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...NUMBERS, 'true', 'false', 'null').map(literal => ({ literal })),
    text.map(each => ({ text: each })),
    fc.array(tie('tree'), { maxLength: 4 }).map(array => ({ array })),
    tie('object'),
  ),
  object: fc.array(fc.tuple(key, tie('tree')), { maxLength: 5 }).map(object => ({ object })),
}));

/** A stream of small numbers from a seed, for choices that need no shrinking of their own. */
function choices(seed: number): (below: number) => number {
  let state = seed | 1;
  return below => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) ^ (state << 7);
    return ((state >>> 9) % below) | 0;
  };
}

const SHORT: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '/': '\\/',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function writeText(value: string, choose: (below: number) => number, escapes: number): string {
  let out = '"';
  for (const character of value) {
    const point = character.codePointAt(0) as number;
    const mustEscape = point < 0x20 || character === '"' || character === '\\' || (point >= 0xd800 && point <= 0xdfff);
    if (!mustEscape && choose(10) >= escapes) out += character;
    else if (SHORT[character] && choose(2) === 0) out += SHORT[character];
    else {
      for (let i = 0; i < character.length; i++) {
        const hex = character.charCodeAt(i).toString(16).padStart(4, '0');
        out += `\\u${choose(2) === 0 ? hex : hex.toUpperCase()}`;
      }
    }
  }
  return `${out}"`;
}

function write(value: Tree, choose: (below: number) => number, spaces: number, escapes: number): string {
  const gap = (): string => (choose(10) < spaces ? ([' ', '\t', '\r', '  '][choose(4)] as string) : '');
  const inner = (each: Tree): string => {
    if ('text' in each) return writeText(each.text, choose, escapes);
    if ('literal' in each) return each.literal;
    if ('array' in each) return `[${gap()}${each.array.map(element => inner(element) + gap()).join(`,${gap()}`)}]`;
    const members = each.object.map(
      ([name, member]) => `${writeText(name, choose, escapes)}${gap()}:${gap()}${inner(member)}${gap()}`,
    );
    return `{${gap()}${members.join(`,${gap()}`)}}`;
  };
  return gap() + inner(value) + gap();
}

/** A line of JSON in any of its spellings. */
const jsonLine = fc
  .record({
    value: fc.oneof({ weight: 4, arbitrary: tree.object }, { weight: 1, arbitrary: tree.tree }),
    seed: fc.integer(),
    spaces: fc.constantFrom(0, 0, 0, 4),
    escapes: fc.constantFrom(0, 1, 8),
  })
  .map(({ value, seed, spaces, escapes }) => write(value, choices(seed), spaces, escapes));

const ASCII = [
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  'u',
  'd',
  '8',
  '0',
  '-',
  '.',
  'e',
  't',
  ' ',
  '\r',
  '\n',
  '\u0000',
  '\u001b',
  '\ufeff',
];

/** A line with bytes put in, taken out, or cut off; still UTF-8. */
const brokenLine = fc
  .tuple(jsonLine, fc.array(fc.tuple(fc.nat(), fc.nat(2), fc.constantFrom(...ASCII)), { minLength: 1, maxLength: 2 }))
  .map(([line, edits]) => {
    const characters = [...line];
    for (const [where, remove, insert] of edits) characters.splice(where % (characters.length + 1), remove, insert);
    return characters.join('');
  });

const oddLine = fc.constantFrom(
  '',
  ' ',
  '\r',
  '\t \r',
  '\u0000\u0000',
  'not json',
  '{',
  '{"a":1',
  '"a',
  '{"a":1}{"a":2}',
  '\ufeff{}',
  'nul',
  '12',
);

const line = fc.oneof(
  { weight: 6, arbitrary: jsonLine },
  { weight: 3, arbitrary: brokenLine },
  { weight: 1, arbitrary: oddLine },
);

/** A file: lines of all sorts, either newline, with or without mark and last newline. */
export const fileText: fc.Arbitrary<string> = fc
  .record({
    lines: fc.array(line, { maxLength: 6 }),
    newline: fc.constantFrom('\n', '\n', '\r\n'),
    mark: fc.constantFrom('', '', '\ufeff'),
    last: fc.boolean(),
  })
  .map(({ lines, newline, mark, last }) => mark + lines.join(newline) + (last && lines.length > 0 ? newline : ''));

/** Any bytes, JSON-like or not, often not UTF-8. */
export const anyBytes: fc.Arbitrary<Buffer> = fc
  .tuple(fileText, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 6 }))
  .map(([written, edits]) => {
    const bytes = Buffer.from(written);
    for (const [where, byte] of edits) if (bytes.length > 0) bytes[where % bytes.length] = byte;
    return bytes;
  });

const length = fc.oneof(fc.nat(14), fc.nat(14), fc.nat(400), fc.constant(1 << 20));
const cut = fc.oneof(
  { weight: 2, arbitrary: length },
  fc.record({ head: fc.nat(14), tail: fc.oneof(fc.nat(9), fc.nat(9), fc.nat(60)) }),
);

export const anyKeep: fc.Arbitrary<Keep> = fc.letrec<{ keep: Keep }>(tie => ({
  keep: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    cut,
    fc
      .record(
        { keys: fc.array(fc.tuple(key, tie('keep')), { maxLength: 5 }), rest: tie('keep'), text: cut },
        { requiredKeys: ['keys'] },
      )
      .map(({ keys, ...others }) => ({ keys: Object.fromEntries(keys), ...others })),
  ),
})).keep;

export const anyChunk: fc.Arbitrary<number> = fc.oneof(
  fc.integer({ min: 1, max: 40 }),
  fc.constantFrom(100, 256 << 10, 256 << 10),
);
