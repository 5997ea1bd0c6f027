import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { anyBytes, anyChunk, anyKeep, fileText } from './arbitrary.ts';
import { actual, type Delivered, expected, type Reading } from './oracle.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? 500);

const folder = mkdtempSync(join(tmpdir(), 'ingest-'));
const path = join(folder, 'file.jsonl');
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(['js', 'kernel'] as const)('the %s engine', engine => {
  test('gives what JSON.parse and prune give, for any text, rule and chunk size', () => {
    fc.assert(
      fc.property(fileText, anyKeep, anyChunk, (written, keep, chunk) => {
        const bytes = Buffer.from(written);
        writeFileSync(path, bytes);
        expect(actual(path, keep, { engine, chunk })).toEqual(expected(bytes, keep));
      }),
      { numRuns: RUNS },
    );
  });

  test('finds the records that JSON.parse finds in bytes that are not UTF-8', () => {
    const places = (reading: Reading) => ({
      ...reading,
      records: reading.records.map(({ offset, bytes, line }) => ({ offset, bytes, line })),
    });
    fc.assert(
      fc.property(anyBytes, anyKeep, anyChunk, (bytes, keep, chunk) => {
        writeFileSync(path, bytes);
        expect(places(actual(path, keep, { engine, chunk }))).toEqual(places(expected(bytes, keep)));
      }),
      { numRuns: RUNS },
    );
  });

  test('reads a file that grows as it reads the whole, wherever the first read found it cut', () => {
    fc.assert(
      fc.property(fileText, anyKeep, anyChunk, fc.nat(), (written, keep, chunk, where) => {
        const bytes = Buffer.from(written);
        const cut = where % (bytes.length + 1);
        writeFileSync(path, bytes.subarray(0, cut));
        const first = actual(path, keep, { engine, chunk });
        writeFileSync(path, bytes);
        const second = actual(path, keep, { engine, chunk, from: first.end, fromLine: 1 + first.lines });
        const whole = expected(bytes, keep);
        // A line that was JSON up to the cut and is not as a whole was delivered once, and stays so.
        const last = first.records.at(-1);
        const early = last !== undefined && !whole.records.some(record => record.offset === last.offset);
        const together = [...(early ? first.records.slice(0, -1) : first.records), ...second.records];
        const withoutLength = ({ json, offset, line }: Delivered) => ({ json, offset, line });
        expect(together.map(withoutLength)).toEqual(whole.records.map(withoutLength));
        expect(second.tornTail).toBe(whole.tornTail);
        expect(first.badLines + second.badLines).toBe(whole.badLines);
        if (early) return;
        expect(first.lines + second.lines).toBe(whole.lines);
        expect(second.end).toBe(whole.end);
      }),
      { numRuns: RUNS },
    );
  });
});

test('the engines agree to the byte on bytes that are not UTF-8', () => {
  fc.assert(
    fc.property(anyBytes, anyKeep, anyChunk, (bytes, keep, chunk) => {
      writeFileSync(path, bytes);
      expect(actual(path, keep, { engine: 'kernel', chunk })).toEqual(actual(path, keep, { engine: 'js' }));
    }),
    { numRuns: RUNS },
  );
});
