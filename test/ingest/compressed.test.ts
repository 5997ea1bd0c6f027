import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { WHOLE } from '../../src/ingest/keep.ts';
import { readHead, readRecords, recordAt } from '../../src/ingest/records.ts';
import { actual, expected } from './oracle.ts';
import { scratch } from './scratch.ts';

const { write } = scratch();

/** A Zstandard frame (RFC 8878) of raw blocks: no compression, but all the rest of the format. */
function zstdFrame(bytes: Buffer, block = 1000, checksum: Uint8Array = Buffer.alloc(0)): Buffer {
  const descriptor = 0x80 | (checksum.length > 0 ? 4 : 0);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(bytes.length);
  const parts: Uint8Array[] = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, descriptor, 0x40]), size];
  for (let at = 0; at === 0 || at < bytes.length; at += block) {
    const piece = bytes.subarray(at, at + block);
    const header = (piece.length << 3) | (at + block >= bytes.length ? 1 : 0);
    parts.push(Buffer.from([header & 255, (header >> 8) & 255, header >> 16]), piece);
  }
  return Buffer.concat([...parts, checksum]);
}

function skippableFrame(bytes: Buffer): Buffer {
  const head = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0]);
  head.writeUInt32LE(bytes.length, 4);
  return Buffer.concat([head, bytes]);
}

const LINES = Buffer.from(
  Array.from({ length: 4000 }, (_, i) => `{"n":${i},"text":"${'键 value '.repeat(i % 40)}"}\r\n`).join('') +
    '{"n":"torn',
);

const halves = [LINES.subarray(0, 77_777), LINES.subarray(77_777)] as const;

/** LINES again, written by the zstd program from a pipe: `zstd -9 < lines > lines.jsonl.zst`. */
const BY_ZSTD = readFileSync(join(import.meta.dirname, '../fixtures/ingest/lines.jsonl.zst'));

const PACKED: [string, Buffer][] = [
  ['what the zstd program wrote', BY_ZSTD],
  ['gzip', gzipSync(LINES)],
  ['gzip of two members', Buffer.concat(halves.map(half => gzipSync(half)))],
  [
    'gzip of many members',
    Buffer.concat(
      Array.from({ length: LINES.length / 500 + 1 }, (_, i) => gzipSync(LINES.subarray(i * 500, i * 500 + 500))),
    ),
  ],
  ['gzip with an empty member', Buffer.concat([gzipSync(Buffer.alloc(0)), gzipSync(LINES)])],
  ['Zstandard', zstdFrame(LINES)],
  [
    'Zstandard of two frames and a checksum',
    Buffer.concat([zstdFrame(halves[0], 900, Buffer.alloc(4)), zstdFrame(halves[1], 128 << 10)]),
  ],
  ['Zstandard behind a skippable frame', Buffer.concat([skippableFrame(Buffer.from('hello')), zstdFrame(LINES)])],
];

describe.each(PACKED)('%s', (_name, packed) => {
  const path = write('history', packed);

  test('gives what the plain file gives, offsets of the unpacked bytes included', () => {
    for (const engine of ['js', 'kernel'] as const) {
      expect(actual(path, WHOLE, { engine, chunk: 5000 })).toEqual(expected(LINES, WHOLE));
    }
  });

  test('is read on from an offset', () => {
    const whole = expected(LINES, 3);
    const from = whole.records[1000] as { offset: number; line: number };
    const rest = actual(path, 3, { from: from.offset, fromLine: from.line });
    expect(rest.records).toEqual(whole.records.slice(1000));
    expect(rest.end).toBe(whole.end);
  });

  test('shows the evidence of a record', () => {
    const { offset, bytes, json } = expected(LINES, WHOLE).records[3999] as {
      offset: number;
      bytes: number;
      json: string;
    };
    expect(JSON.stringify(JSON.parse(recordAt(path, offset, bytes)))).toBe(json);
  });
});

test('a byte order mark inside of compression is no part of the first line', () => {
  const bytes = Buffer.from('\ufeff{"a":1}\n');
  expect(actual(write('f', gzipSync(bytes)), WHOLE, {})).toEqual(expected(bytes, WHOLE));
});

describe('compressed data that breaks off', () => {
  test.each([
    ['gzip', gzipSync(LINES)],
    ['Zstandard', zstdFrame(LINES)],
  ])('%s gives what stands before, and says so', (_name, packed) => {
    const records: number[] = [];
    const path = write('f', packed.subarray(0, packed.length * 0.7));
    const outcome = readRecords(path, WHOLE, (_value, offset) => records.push(offset));
    expect(outcome).toMatchObject({ damage: 'truncated', tornTail: true, badLines: 0 });
    expect(records.length).toBeGreaterThan(1000);
    expect(records).toEqual(
      expected(LINES, WHOLE)
        .records.slice(0, records.length)
        .map(record => record.offset),
    );
  });

  test.each([
    ['gzip', gzipSync(LINES, { level: 0 }), 0xff],
    ['Zstandard', zstdFrame(LINES), 0x07],
  ])('%s that is broken in the middle gives what stands before, and says so', (_name, packed, byte) => {
    const broken = Buffer.from(packed);
    // The header of a block: its type becomes one that does not exist.
    if (_name === 'gzip') broken[10 + 5 + broken.readUInt16LE(11)] = byte;
    else broken[10 + 1003] = byte;
    const records: unknown[] = [];
    const outcome = readRecords(write('f', broken), WHOLE, value => records.push(value));
    expect(outcome.damage).toBe('corrupt');
    expect(records.length).toBeGreaterThan(0);
  });

  test('a file that only starts like compressed data is binary', () => {
    const garbage = Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0]), Buffer.alloc(500, 'garbage')]);
    expect(readHead(write('f', garbage), 5)).toEqual({ records: [], binary: true, empty: false });
  });
});
