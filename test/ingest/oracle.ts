import type { Keep } from '../../src/ingest/keep.ts';
import { prune } from '../../src/ingest/prune.ts';
import { type ReadOptions, readRecords } from '../../src/ingest/records.ts';
import { MAX_DEPTH } from '../../src/ingest/scanner.ts';

/** A record as delivered. `key order` counts: values are compared as JSON text. */
export interface Delivered {
  readonly json: string;
  readonly offset: number;
  readonly bytes: number;
  readonly line: number;
}

export interface Reading {
  readonly records: Delivered[];
  readonly lines: number;
  readonly badLines: number;
  readonly badLineNumbers: number[];
  readonly tornTail: boolean;
  readonly end: number;
}

const NEWLINE = 0x0a;

/** What a file of these bytes must give, by JSON.parse of whole lines and `prune`: slow, and plainly right. */
export function expected(bytes: Buffer, keep: Keep): Reading {
  const records: Delivered[] = [];
  const badLineNumbers: number[] = [];
  const marked = bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]));
  const first = marked ? 3 : 0;
  let start = first;
  let lines = 0;
  let badLines = 0;
  let tornTail = false;
  let end = 0;
  while (start < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, start);
    const stop = newline < 0 ? bytes.length : newline;
    const text = bytes.subarray(start, stop).toString('utf8');
    const value = parsed(text);
    const blank = /^[ \t\r]*$/.test(text);
    if (newline < 0 && (value === undefined || typeof value === 'number')) {
      tornTail = !blank;
      break;
    }
    lines++;
    if (value !== undefined) {
      const carriage = bytes[stop - 1] === 0x0d ? 1 : 0;
      records.push({
        json: JSON.stringify(prune(value, keep)),
        offset: start,
        bytes: stop - start - carriage,
        line: lines,
      });
    } else if (!blank) {
      badLines++;
      if (badLineNumbers.length < 5) badLineNumbers.push(lines);
    }
    start = newline < 0 ? stop : newline + 1;
    end = start;
  }
  return { records, lines, badLines, badLineNumbers, tornTail, end };
}

function parsed(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return depth(value) > MAX_DEPTH ? undefined : value;
}

function depth(value: unknown): number {
  let deepest = 0;
  const pending: [unknown, number][] = [[value, 0]];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [inner, level] = next;
    if (typeof inner !== 'object' || inner === null) continue;
    deepest = Math.max(deepest, level + 1);
    for (const member of Object.values(inner)) pending.push([member, level + 1]);
  }
  return deepest;
}

/** What `readRecords` gives. */
export function actual(path: string, keep: Keep, options: ReadOptions): Reading {
  const records: Delivered[] = [];
  const outcome = readRecords(
    path,
    keep,
    (value, offset, bytes, line) => records.push({ json: JSON.stringify(value), offset, bytes, line }),
    options,
  );
  const { lines, badLines, badLineNumbers, tornTail, end } = outcome;
  return { records, lines, badLines, badLineNumbers, tornTail, end };
}
