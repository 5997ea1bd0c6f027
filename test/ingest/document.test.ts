import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { prune } from '../../src/ingest/prune.ts';
import { readDocument } from '../../src/ingest/records.ts';
import { anyChunk, anyKeep, fileText } from './arbitrary.ts';
import { scratch } from './scratch.ts';

const { write } = scratch();

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}

describe.each(['js', 'kernel'] as const)('the %s engine', engine => {
  test('reads a document as JSON.parse and prune do, over any number of lines', () => {
    fc.assert(
      fc.property(fileText, anyKeep, anyChunk, fc.boolean(), (text, keep, chunk, pretty) => {
        const value = parsed(text);
        const written = pretty && value !== undefined ? JSON.stringify(value, null, '\t\r\n') : text;
        const expected = value === undefined ? undefined : prune(value, keep);
        const outcome = readDocument(write('f.json', written), keep, { engine, chunk });
        expect(JSON.stringify(outcome.value)).toBe(JSON.stringify(expected));
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['is empty', ''],
    ['is blank', ' \n\n'],
    ['is half written', '{\n"a": [1,\n'],
    ['has lines', '{"a":1}\n{"a":2}\n'],
    ['has a newline in a string', '{"a":"\n"}'],
    ['is broken and long', `{"a"!}\n${'{"b":1}\n'.repeat(9000)}`],
  ])('a file that %s is no document', (_what, text) => {
    expect(readDocument(write('f.json', text), 9, { engine }).value).toBeUndefined();
  });
});
