import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Keep } from '../../src/ingest/keep.ts';
import { actual, expected } from './oracle.ts';
import { scratch } from './scratch.ts';

const { write } = scratch();

/** What a scanner must not tear: escapes, characters of each length, and both where they are easily mistaken. */
const PIECES = [
  '\\"',
  '\\\\',
  '\\\\\\"',
  '\\n',
  '\\u00e9',
  '\\ud83d\\ude00',
  '\\ud83d',
  '\\ude00\\ud83d',
  '\\ud83d\\n',
  '\\ud83d\\ud83d\\ude00',
  'é',
  '中',
  '\u{1f600}',
  '中\\"\u{1f600}',
];

const BROKEN = ['\\x', '\\u12', '\\u12g4', '\\', '\u0001', '"', '\\"\\'];

/** Long enough that a piece stands in the first sixteen bytes, in any of the next sixty-four, and behind them. */
const LONGEST = 100;

const plain = (length: number): string => 'abcdefghij'.repeat(17).slice(0, length);

/** One line a place: the piece behind 0, 1, 2 ... bytes of plain text. */
const linesWith = (piece: string): string =>
  Array.from({ length: LONGEST }, (_, at) => `{"a":"${plain(at)}${piece}${plain(70)}","b":${at}}\n`).join('');

describe.each(['js', 'kernel'] as const)('the %s engine', engine => {
  const agrees = (path: string, keep: Keep, chunk?: number): void => {
    const options = chunk === undefined ? { engine } : { engine, chunk };
    expect(actual(path, keep, options)).toEqual(expected(readFileSync(path), keep));
  };

  test.each(PIECES)('cuts at any length around %j, wherever it stands', piece => {
    const path = write('f.jsonl', linesWith(piece));
    for (let cut = 0; cut < LONGEST + 20; cut++) agrees(path, cut);
  });

  test.each([...PIECES, ...BROKEN])('finds the end of text that is dropped behind %j', piece => {
    agrees(write('f.jsonl', linesWith(piece)), { keys: { b: 0 } });
  });

  test.each(BROKEN)('finds %j in text that is kept', piece => agrees(write('f.jsonl', linesWith(piece)), 1 << 20));

  test.each([...PIECES, ...BROKEN])('takes %j from two reads, wherever the first ends', piece => {
    const path = write('f.jsonl', `{"a":"${piece}${piece}","${piece}":[${'12.5e+1,true,null,-0'}]}\n{"b":false}\n`);
    const { length } = readFileSync(path);
    for (let chunk = 1; chunk < length; chunk++) {
      for (let cut = 0; cut < 8; cut++) agrees(path, cut, chunk);
      agrees(path, { keys: { b: 0 } }, chunk);
    }
  });

  test.each([1, 15, 16, 17, 63, 64, 65, 200])('compares keys of %i bytes to their end', length => {
    const key = plain(length);
    const near = [key, `${key}x`, key.slice(1), `x${key.slice(1)}`, `${key.slice(0, -1)}x`];
    const text = near.map((name, i) => `{"${name}":${i},"${name.replace('c', '\\u0063')}":9}\n`).join('');
    agrees(write('f.jsonl', text), { keys: { [key]: 0 } });
    agrees(write('f.jsonl', text), { keys: { [key]: 0, [`${key}y`]: 0 }, rest: { keys: {} } }, 7);
  });
});
