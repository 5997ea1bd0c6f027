import { appendFileSync, chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { WHOLE } from '../../src/ingest/keep.ts';
import { IngestError, readRecords, recordAt } from '../../src/ingest/records.ts';
import { scratch } from './scratch.ts';

const { folder, write } = scratch();

describe('a file that is being written', () => {
  /** Reads after each addition from where the last read ended; gives the values seen in each read, with their lines. */
  function follow(...additions: string[]): string[] {
    const path = write('growing.jsonl', '');
    let from = 0;
    let fromLine = 1;
    return additions.map(addition => {
      appendFileSync(path, addition);
      const seen: string[] = [];
      const outcome = readRecords(path, WHOLE, (value, _o, _b, line) => seen.push(`${line}:${JSON.stringify(value)}`), {
        from,
        fromLine,
      });
      from = outcome.end;
      fromLine += outcome.lines;
      const bad = outcome.badLineNumbers.map(line => `bad ${line}`);
      return [...seen, ...bad, ...(outcome.tornTail ? ['torn'] : [])].join(' ');
    });
  }

  test.each([
    [
      'half a line now, the whole next time, once',
      ['{"a":1}\n{"a"', ':2}\n{"a":3}\n'],
      ['1:{"a":1} torn', '2:{"a":2} 3:{"a":3}'],
    ],
    ['a whole line whose newline comes later', ['[1]\n[2]', '\n[3]\n'], ['1:[1] 2:[2]', '3:[3]']],
    ['its carriage return and newline', ['[1]', '\r\n', '[2]\r', '\n[3]'], ['1:[1]', '', '2:[2]', '3:[3]']],
    ['nothing new', ['[1]\n', '', '[2]\n'], ['1:[1]', '', '2:[2]']],
    ['white space behind a delivered line', ['[1]', '  ', ' \n[2]\n'], ['1:[1]', '', '2:[2]']],
    ['a delivered line that goes on is bad after all', ['[1]', ',[2]\n[3]\n'], ['1:[1]', '2:[3] bad 1']],
    ['a byte order mark alone, then lines', ['\ufeff', '[1]\n', '[2]\n'], ['', '1:[1]', '2:[2]']],
    ['bad and blank lines keep the count', ['x\n\n[3', ']\n[4]\n'], ['bad 1 torn', '3:[3] 4:[4]']],
    ['a torn number', ['1', '2\n'], ['torn', '1:12']],
  ])('%s', (_sentence, additions, readings) => expect(follow(...additions)).toEqual(readings));

  test('a file that became shorter gives nothing and no error', () => {
    const path = write('f.jsonl', '[1]\n');
    expect(readRecords(path, 0, () => undefined, { from: 400 })).toMatchObject({ lines: 0, bytes: 0, end: 400 });
  });
});

test('stops at the limit, and says where to go on', () => {
  const path = write('f.jsonl', '[1]\n[2]\n[3]\n');
  const seen: unknown[] = [];
  const outcome = readRecords(path, 0, value => seen.push(value), { limit: 2 });
  expect(seen).toEqual([[1], [2]]);
  expect(outcome).toMatchObject({ lines: 2, bytes: 8, end: 8, tornTail: false });
  expect(readRecords(path, 0, () => undefined, { limit: 0 })).toMatchObject({ lines: 0, bytes: 0, end: 0 });
});

test('a reader may read other files while it is given a record', () => {
  const outer = write('outer.jsonl', '{"n":1}\n{"n":2}\n');
  const inner = write('inner.jsonl', '{"m":7}\n{"m":8}\n{"m":9}\n');
  const seen: unknown[] = [];
  readRecords(outer, 0, value => {
    seen.push(value);
    readRecords(inner, { keys: {} }, each => seen.push(each), { limit: 2 });
  });
  expect(seen).toEqual([{ n: 1 }, {}, {}, { n: 2 }, {}, {}]);
});

test('an error of the reader comes out as it is, and the next file is read', () => {
  const path = write('f.jsonl', '[1]\n[2]\n');
  const failure = new Error('mine');
  expect(() =>
    readRecords(path, 0, () => {
      throw failure;
    }),
  ).toThrow(failure);
  const seen: unknown[] = [];
  readRecords(path, 0, value => seen.push(value));
  expect(seen).toEqual([[1], [2]]);
});

describe('a path that cannot be read gives a typed error with the path and the reason', () => {
  const reasonOf = (path: string): string => {
    try {
      readRecords(path, 0, () => undefined);
    } catch (error) {
      expect(error).toBeInstanceOf(IngestError);
      const { message, reason, path: where } = error as IngestError;
      expect(where).toBe(path);
      expect(message).toContain(path);
      expect(message).not.toMatch(/\n|\bat /);
      return reason;
    }
    return 'none';
  };

  test('it is not there', () => expect(reasonOf(join(folder, 'absent.jsonl'))).toBe('ENOENT'));

  test('it is a directory', () => {
    mkdirSync(join(folder, 'directory.jsonl'));
    expect(reasonOf(join(folder, 'directory.jsonl'))).toBe('EISDIR');
  });

  test('part of its path is a file', () => {
    write('file', '');
    expect(reasonOf(join(folder, 'file', 'below.jsonl'))).toBe('ENOTDIR');
  });

  test.skipIf(process.getuid?.() === 0)('it is not ours to read', () => {
    const path = write('secret.jsonl', '[1]\n');
    chmodSync(path, 0);
    expect(reasonOf(path)).toBe('EACCES');
  });
});

describe('the evidence of a record', () => {
  test('is the text of its byte range', () => {
    const path = write('f.jsonl', '{"a":"é"}\r\n[2]');
    const texts: string[] = [];
    readRecords(path, 0, (_value, offset, bytes) => texts.push(recordAt(path, offset, bytes)));
    expect(texts).toEqual(['{"a":"é"}', '[2]']);
  });

  test('is an error if the file became shorter', () => {
    const path = write('f.jsonl', '{"a":1}\n');
    writeFileSync(path, '{');
    expect(() => recordAt(path, 0, 7)).toThrow('it is shorter than it was');
  });
});
