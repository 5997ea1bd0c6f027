import { appendFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readHead } from '../../src/ingest/records.ts';
import { scratch } from './scratch.ts';

const { write } = scratch();

describe('the head of a file', () => {
  test('is its first records, long strings cut', () => {
    const path = write('f', `{"a":"${'x'.repeat(5000)}"}\nnot json\n[1]\n[2]\n`);
    expect(readHead(path, 2)).toEqual({ records: [{ a: 'x'.repeat(1024) }, [1]], binary: false, empty: false });
  });

  test('has the record of an unfinished line if it is whole', () => {
    expect(readHead(write('f', '{"a":1}'), 2).records).toEqual([{ a: 1 }]);
  });

  test('is not read further than asked once there is a record', () => {
    const path = write('f', '{"a":1}\n');
    for (let i = 0; i < 4; i++) appendFileSync(path, ' '.repeat(1 << 20));
    appendFileSync(path, '\n{"b":1}\n');
    expect(readHead(path, 2).records).toEqual([{ a: 1 }]);
  });

  test('follows a first line that is longer, to an end', () => {
    const line = (length: number) => `{"a":"${'x'.repeat(length)}"}\n`;
    expect(readHead(write('f', line(3 << 20)), 2).records.length).toBe(1);
    expect(readHead(write('f', line(5 << 20)), 2)).toEqual({ records: [], binary: false, empty: false });
  });

  test.each([
    ['no bytes', '', { records: [], binary: false, empty: true }],
    ['blank lines', '\n \r\n', { records: [], binary: false, empty: true }],
    ['a byte order mark', '\ufeff', { records: [], binary: false, empty: true }],
    ['prose', 'Dear all,\nhello\n', { records: [], binary: false, empty: false }],
    ['half a record', '{"a":', { records: [], binary: false, empty: false }],
    ['a database', 'SQLite format 3\u0000\u0010', { records: [], binary: true, empty: false }],
    ['a NUL byte behind a record', '{"a":1}\n\u0000\n', { records: [{ a: 1 }], binary: false, empty: false }],
  ])('of a file with %s', (_what, bytes, head) => expect(readHead(write('f', bytes), 20)).toEqual(head));
});
