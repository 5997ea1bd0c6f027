import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { FoundFile } from '../../src/sources/find.ts';
import { load } from '../../src/sources/load.ts';
import type { Reader } from '../../src/sources/reader.ts';
import { READERS, readerOf } from '../../src/sources/registry.ts';
import { Flag } from '../../src/trace/flags.ts';
import { Kind } from '../../src/trace/kinds.ts';
import { Trace } from '../../src/trace/trace.ts';
import { directoriesOfAll, madeSamples, readDirectories } from './samples-of-all.ts';

/** Damage to the bytes of files, for every reader there is, through the whole way from bytes to linked operations. */
const made = madeSamples();
const folder = mkdtempSync(join(tmpdir(), 'agentpprof-fuzz-'));
afterAll(() => {
  made.remove();
  rmSync(folder, { recursive: true, force: true });
});

const LARGEST = 60_000;
const FILES_A_READER = 4;

const samples = new Map<Reader, FoundFile[]>();
for (const file of readDirectories(directoriesOfAll(made.path)).discovery.files.sort((a, b) => a.size - b.size)) {
  const reader = readerOf(file.reader);
  const of = samples.get(reader) ?? [];
  if (of.length < FILES_A_READER && (file.size <= LARGEST || of.length === 0)) samples.set(reader, [...of, file]);
}

/** Reads bytes as a file of a reader, under the name of the sample they were made from. */
function read(sample: FoundFile, bytes: Buffer, second?: Buffer) {
  const paths = [bytes, ...(second === undefined ? [] : [second])].map((each, at) => {
    const path = join(folder, `${at}-${basename(sample.path)}`);
    writeFileSync(path, each);
    return { ...sample, path, size: each.length, inode: at + 1 };
  });
  const discovery = { files: paths, places: [], unknown: [], problems: [] as string[] };
  const histories = load(discovery, { texts: ['prompt'] });
  const { ops } = new Trace(histories.ops);
  let tokens = 0;
  let isSound = true;
  for (let row = 0; row < ops.length; row++) {
    const counts = Object.values(ops.tokens).map(column => column.get(row));
    isSound &&= [...counts, ops.start.get(row), ops.end.get(row)].every(
      count => Number.isSafeInteger(count) && count >= 0,
    );
    if (ops.kind.get(row) === Kind.call && !ops.has(row, Flag.copy)) tokens += counts.reduce((a, b) => a + b, 0);
  }
  return { tokens, isSound, problems: discovery.problems };
}

/** Samples whose records have no ids at all: that a second file is a copy of the first cannot be known. */
const NAMELESS = /^(openinference_client_span|otel_genai_deprecated)|^basic\.jsonl$|\.traj$/;

type Step = { readonly what: 'cut' | 'flip' | 'double' | 'move' | 'splice'; readonly at: number; readonly to: number };

function damaged(lines: readonly string[], others: readonly string[], steps: readonly Step[]): Buffer {
  const result = [...lines];
  for (const { what, at, to } of steps) {
    const i = at % Math.max(1, result.length);
    const j = to % Math.max(1, result.length);
    if (what === 'cut') result[i] = (result[i] ?? '').slice(0, to % Math.max(1, (result[i] ?? '').length));
    else if (what === 'double') result.splice(j, 0, result[i] ?? '');
    else if (what === 'move') result.splice(j, 0, ...result.splice(i, 1));
    else if (what === 'splice') result.splice(i, 0, others[to % Math.max(1, others.length)] ?? '');
    else {
      const line = Buffer.from(result[i] ?? '', 'latin1');
      if (line.length > 0) line[to % line.length] = (line[to % line.length] as number) ^ (1 << (at % 8));
      result[i] = line.toString('latin1');
    }
  }
  return Buffer.from(result.join('\n'), 'latin1');
}

const steps = (...kinds: Step['what'][]) =>
  fc.array(fc.record({ what: fc.constantFrom(...kinds), at: fc.nat(), to: fc.nat() }), { minLength: 1, maxLength: 6 });

const linesOf = (file: FoundFile) => readFileSync(file.path).toString('latin1').split('\n');
const all = [...samples].flatMap(([reader, files]) => files.map(file => ({ reader, file, name: basename(file.path) })));
const foreign = all.flatMap(({ file }) => linesOf(file).slice(0, 20));
const isText = ({ file }: { file: FoundFile }) => /\.(jsonl?|ndjson|traj)$/.test(file.path);

test('there is something to damage of every reader that has a sample', () => {
  expect([...samples.keys()].map(reader => reader.agent).length).toBeGreaterThan(5);
  expect(READERS.filter(reader => samples.get(reader)?.length === 0)).toEqual([]);
});

describe.each(all.map(each => ({ ...each, agent: each.reader.agent })))('$agent: $name', ({ reader, file, name }) => {
  const lines = linesOf(file);

  test('cut, flipped, doubled, moved and spliced: it reads to the end, and what it counts is sound', () => {
    const property = fc.property(steps('cut', 'flip', 'double', 'move', 'splice'), made => {
      const { isSound, problems } = read(file, damaged(lines, foreign, made));
      expect(isSound).toBe(true);
      // A damaged database or message may be refused, with its name; nothing else may.
      for (const problem of problems) expect(problem).toContain(name);
      if (isText({ file })) expect(problems).toEqual([]);
    });
    fc.assert(property, { numRuns: file.size > LARGEST ? 3 : 12 });
  });

  test('read twice, under two names, it counts once', () => {
    const bytes = readFileSync(file.path);
    if (reader.agent === 'operations' || NAMELESS.test(name)) return;
    expect(read(file, bytes, bytes).tokens).toBe(read(file, bytes).tokens);
  });

  test.runIf(isText({ file }) && !['operations', 'chrome-trace'].includes(reader.agent))(
    'rows that were written again or elsewhere never make it count more',
    () => {
      const before = read(file, readFileSync(file.path)).tokens;
      const property = fc.property(steps('double', 'move'), made => {
        expect(read(file, damaged(lines, foreign, made)).tokens).toBeLessThanOrEqual(before);
      });
      fc.assert(property, { numRuns: file.size > LARGEST ? 3 : 12 });
    },
  );
});
