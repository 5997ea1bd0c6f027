import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Keep, WHOLE } from '../../src/ingest/keep.ts';
import { compileKeep } from '../../src/ingest/keep-table.ts';
import { KernelScanner } from '../../src/ingest/kernel/kernel.ts';
import { readRecords } from '../../src/ingest/records.ts';
import { PlainScanner } from '../../src/ingest/scan.ts';
import { MAX_DEPTH, MAX_LEFT } from '../../src/ingest/scanner.ts';
import { actual } from './oracle.ts';
import { scratch } from './scratch.ts';

const { write } = scratch();

describe.each(['js', 'kernel'] as const)('the %s engine', engine => {
  const read = (bytes: string, keep: Keep = WHOLE) => actual(write('f.jsonl', bytes), keep, { engine });

  /** What became of each line: `ok` a record, `-` nothing at all, `bad`; and `torn` for the tail. */
  function verdicts(bytes: string): string {
    const { records, lines, badLines, tornTail } = read(bytes);
    const texts = bytes.split('\n');
    const words = Array.from({ length: lines }, (_, i) => {
      if (records.some(record => record.line === i + 1)) return 'ok';
      return (texts[i] as string).trim() === '' ? '-' : 'bad';
    });
    expect(words.filter(word => word === 'bad').length).toBe(badLines);
    return [...words, ...(tornTail ? ['torn'] : [])].join(' ');
  }

  test.each([
    ['an empty file has no lines', '', ''],
    ['blank lines are neither records nor bad', '\n \t\r\n{}\n\n', '- - ok -'],
    ['a line that is not JSON costs itself alone', '{}\nwhat?\n{}\n', 'ok bad ok'],
    ['half a line in the middle costs itself alone', '{"a":1}\n{"a":\n{"a":2}\n', 'ok bad ok'],
    ['a newline inside a string ends the line', '{"a":"b\nc"}\n{}\n', 'bad bad ok'],
    ['an open string does not swallow the next line', '{"a":"b\n{"a":"b"}\n', 'bad ok'],
    ['two values on a line are no JSON', '{} {}\n{}{}\n', 'bad bad'],
    ['commas stand between members only', '{"a":1,}\n[1,]\n[,]\n{,}\n[1 2]\n', 'bad bad bad bad bad'],
    ['any JSON value is a record', '1\n"a"\nnull\ntrue\nfalse\n[]\n', 'ok ok ok ok ok ok'],
    ['words are whole', 'nul\ntrue1\nTrue\nfalse\n', 'bad bad bad ok'],
    ['numbers follow the grammar', '01\n1.\n-\n+1\n1e\n.5\n0x1\n-0\n1e5\n', 'bad bad bad bad bad bad bad ok ok'],
    ['controls in strings are no JSON', '"\u0001"\n"\t"\n"\u007f"\n', 'bad bad ok'],
    ['escapes are checked', '"\\x"\n"\\u12"\n"\\u12g4"\n"\\u00e9"\n', 'bad bad bad ok'],
    ['NUL bytes make a line bad, not the next', '\u0000\u0000\n{}\u0000\n{}\n', 'bad bad ok'],
    ['carriage returns before newlines are no part of lines', '{}\r\n\r\n{}\r\n', 'ok - ok'],
    ['a byte order mark may open a file', '\ufeff{}\n{}\n', 'ok ok'],
    ['elsewhere it is no JSON', '{}\n\ufeff1{}\n', 'ok bad'],
    ['a last line without newline is a record if it is whole', '{}\n{"a":1}', 'ok ok'],
    ['it is torn if it is not', '{}\n{"a":', 'ok torn'],
    ['white space at the end is nothing', '{}\n  ', 'ok'],
    ['a number at the end could go on', '{}\n12', 'ok torn'],
  ])('%s', (_sentence, bytes, expected) => expect(verdicts(bytes)).toBe(expected));

  test.each([
    '{"a":"\\x"}',
    '{"a":"\u0001"}',
    '{"a":{"b" 1}}',
    '{"a":[01]}',
    '{"a":nul}',
    '{"a":tru}',
    '{"a":{1:2}}',
    '{"a":[}]}',
    '{"\\x":1}',
  ])('what is dropped must be JSON too: %s', line => {
    expect(read(`${line}\n`, { keys: {} })).toMatchObject({ records: [], badLines: 1 });
  });

  test('nesting is followed to its limit, and no deeper, dropped or kept', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}\n`;
    for (const keep of [WHOLE, { keys: {} }]) {
      expect(read(nested(MAX_DEPTH) + nested(MAX_DEPTH + 1) + nested(100_000), keep)).toMatchObject({
        records: [{ line: 1 }],
        badLineNumbers: [2, 3],
      });
    }
  });

  test('the last of equal keys wins, however they are written', () => {
    const line = '{"a":1,"b":2,"\\u0061":"xyz"}\n';
    expect(read(line, { keys: { a: 2 } }).records[0]?.json).toBe('{"a":"xy"}');
  });

  test('keys are found with escapes, in any order, among look-alikes', () => {
    const line = '{"typ":0,"types":0,"t\\u0079pe":1,"ype":0,"\\"":2,"\\ud83d\\ude00":3,"键":4}\n';
    const keep = { keys: { 键: 0, '\u{1f600}': 0, '"': 0, type: 0 } };
    expect(read(line, keep).records[0]?.json).toBe('{"type":1,"\\"":2,"\u{1f600}":3,"键":4}');
  });

  test('only the first five bad lines are named', () => {
    expect(read('x\n'.repeat(9))).toMatchObject({ badLines: 9, badLineNumbers: [1, 2, 3, 4, 5] });
  });

  test('offsets and lengths are the bytes of the line in the file', () => {
    const path = write('f.jsonl', '\ufeff{"键":1}\r\n\r\n bad\n  {"b":"é"} \n["c"]');
    const bytes = readFileSync(path);
    const texts: string[] = [];
    readRecords(path, 0, (_value, offset, length) => texts.push(bytes.toString('utf8', offset, offset + length)), {
      engine,
    });
    expect(texts).toEqual(['{"键":1}', '  {"b":"é"} ', '["c"]']);
  });

  test('more lines than fit a table of rows lose nothing', () => {
    const lines = 10_000;
    const { records } = read('1\n'.repeat(lines));
    expect(records.length).toBe(lines);
    expect(records.at(-1)).toEqual({ json: '1', offset: 2 * (lines - 1), bytes: 1, line: lines });
  });

  test('a line of which too much is left is bad, whatever the chunks, and the next is read', () => {
    const strings = (megabytes: number) => `[${new Array(megabytes).fill(`"${'x'.repeat(1 << 20)}"`)}]\n`;
    const limit = MAX_LEFT >> 20;
    const sizes = (bytes: string, chunk: number) => {
      const seen: number[] = [];
      const outcome = readRecords(write('f.jsonl', bytes), WHOLE, value => seen.push((value as unknown[]).length), {
        engine,
        chunk,
      });
      return { seen, ...outcome };
    };
    expect(sizes(`${strings(limit + 2)}${strings(limit - 1)}[1]\n`, 256 << 10)).toMatchObject({
      seen: [limit - 1, 1],
      badLineNumbers: [1],
    });
    expect(sizes(`${strings(limit + 2)}[1]\n`, 64 << 20)).toMatchObject({ seen: [1], badLineNumbers: [1] });
  });

  test('memory does not grow with a line of which little is left', () => {
    const scanner = engine === 'kernel' ? new KernelScanner(1 << 16) : new PlainScanner(1 << 16);
    scanner.begin(compileKeep({ keys: { b: 9 } }));
    const feed = (text: string) => scanner.feed(scanner.input.write(text, scanner.inputAt));
    feed('{"a":"');
    const before = scanner.output.length;
    for (let i = 0; i < 500; i++) expect(feed('dropped \\u00e9 text '.repeat(2000))).toBe(0);
    expect(feed('","b":1}\n')).toBe(1);
    expect(scanner.output.length).toBe(before);
  });
});
