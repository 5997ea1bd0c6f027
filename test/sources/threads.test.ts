import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { Gathered } from '../../src/sources/gathered.ts';
import { gather, settle } from '../../src/sources/load.ts';
import type { Earlier, LoadOptions } from '../../src/sources/read-file.ts';
import { threadsFor } from '../../src/sources/threads/count.ts';
import { gatherBeside } from '../../src/sources/threads/gather.ts';
import { Queue } from '../../src/sources/threads/queue.ts';
import type { HandedShare } from '../../src/sources/threads/share.ts';
import { doneWork, type Work } from '../../src/sources/threads/work.ts';
import { buffersOf } from '../../src/trace/handed.ts';
import { Trace } from '../../src/trace/trace.ts';
import { type Dump, differences, dumpOf } from '../store/world.ts';
import { directoriesOfAll, madeSamples, readDirectories } from './samples-of-all.ts';

/** Files of all readers, read by one thread and by several: nobody can tell the difference. */
const made = madeSamples();
afterAll(() => made.remove());

const LARGEST = 100_000;
const TEXTS = ['prompt', 'call', 'command', 'result'] as const;
const FILES = readDirectories(directoriesOfAll(made.path)).discovery.files.filter(({ size }) => size <= LARGEST);

const discoveryOf = (files = FILES) => ({ files, places: [], unknown: [], problems: [] as string[] });

/** Everything that comes of it. */
function dump(gathered: Gathered) {
  const { kinds, values, others } = gathered.ops.touches;
  const rows = [...gathered.ops.touches.rows];
  const files = gathered.files.map(({ resume, ...file }) => ({ ...file, resume: resume && [...resume.state()] }));
  // What ties rows to files, sessions and each other is kept as narrow as it can be.
  const { file, session, parent } = gathered.ops;
  const widths = [file, session, parent].map(({ width }) => width);
  const told = { widths, files: structuredClone(files), touches: [rows, [...kinds], [...values], [...others]] };
  settle(gathered);
  return {
    ...dumpOf(new Trace(gathered.ops)),
    ...told,
    ledgers: gathered.ledgers,
    problems: gathered.discovery.problems,
  };
}

type Share = { readonly takes: number; readonly fails: boolean };

/** Lets a thread take its part of the queue, the largest files that are left, and hands over what a real one would. */
function started({ takes, fails }: Share, work: Work): HandedShare | undefined {
  const queue = new Queue(work.files.length, work.queue);
  const files = Array.from({ length: takes }, () => queue.take()).flatMap(next => work.files[next ?? -1] ?? []);
  if (fails) return undefined;
  const share = doneWork(structuredClone({ ...work, files, queue: undefined }) as never);
  return structuredClone(share, { transfer: buffersOf(share.ops) });
}

const beside = (options: LoadOptions, shares: readonly Share[], files = FILES) => {
  const left = [...shares];
  return gatherBeside(discoveryOf(files), options, {
    count: shares.length,
    start: async work => started(left.shift() as Share, work),
  });
};

const SHARES = fc.array(fc.record({ takes: fc.nat(Math.ceil(FILES.length / 2)), fails: fc.boolean() }), {
  minLength: 1,
  maxLength: 4,
});

describe('several threads read what one reads', () => {
  const options: LoadOptions = { texts: TEXTS, resumable: ({ inode }) => inode % 3 > 0 };
  const expected = dump(gather(discoveryOf(), options));

  test('the samples are of many readers, and have rows of every sort', () => {
    expect(new Set(FILES.map(({ reader }) => reader.agent)).size).toBeGreaterThan(15);
    expect((expected as Dump).kind?.length).toBeGreaterThan(500);
    expect(expected.files.filter(({ resume }) => resume).length).toBeGreaterThan(10);
  });

  test('whoever takes which file, and whoever fails', async () => {
    await fc.assert(
      fc.asyncProperty(SHARES, async shares => {
        expect(differences(expected as never, dump(await beside(options, shares)) as never)).toEqual([]);
      }),
      { numRuns: 12 },
    );
  });

  test('beside what an earlier run has', async () => {
    await fc.assert(
      fc.asyncProperty(SHARES, fc.infiniteStream(fc.boolean()), async (shares, coins) => {
        const old = FILES.filter(() => coins.next().value);
        const before = gather(discoveryOf(old), options);
        const earlier: Earlier = {
          ops: before.ops,
          known: file => {
            const rows = before.files[old.indexOf(file)];
            return rows && { rows };
          },
        };
        const now = await beside({ ...options, earlier }, shares);
        // What an earlier run knows has its texts and touches elsewhere.
        const { touches, ...own } = dump(now);
        const { touches: _, ...all } = expected;
        const isText = (name: string) => name.startsWith('text.');
        const without = (each: object) => Object.fromEntries(Object.entries(each).filter(([name]) => !isText(name)));
        expect(differences(without(all) as never, without(own) as never)).toEqual([]);
        expect(touches[0]?.length).toBeLessThanOrEqual(expected.touches[0]?.length ?? 0);
      }),
      { numRuns: 8 },
    );
  });
});

describe('and of damaged files the same', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentpprof-threads-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Copies of the files, each with a byte flipped, a stretch doubled, or its end gone. */
  function damaged(hurts: readonly { readonly how: number; readonly at: number }[]) {
    return FILES.map((file, i) => {
      const bytes = readFileSync(file.path);
      const { how, at } = hurts[i % hurts.length] as (typeof hurts)[number];
      const place = at % Math.max(1, bytes.length);
      const rest = bytes.subarray(place);
      if (how === 0 && bytes.length > 0) bytes[place] = (bytes[place] as number) ^ (1 << (at % 8));
      const made = how === 1 ? bytes.subarray(0, place) : how === 2 ? Buffer.concat([bytes, rest]) : bytes;
      const path = join(folder, `${i}-${basename(file.path)}`);
      writeFileSync(path, made);
      return { ...file, path, size: made.length };
    });
  }

  test('flipped, cut and doubled, whoever takes which file', async () => {
    const hurts = fc.array(fc.record({ how: fc.nat(3), at: fc.nat() }), { minLength: 5, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(SHARES, hurts, async (shares, made) => {
        const files = damaged(made);
        const options: LoadOptions = { texts: TEXTS, resumable: ({ inode }) => inode % 3 > 0 };
        const one = dump(gather(discoveryOf(files), options));
        expect(differences(one as never, dump(await beside(options, shares, files)) as never)).toEqual([]);
      }),
      { numRuns: 6 },
    );
  });
});

test('a file is taken once, and progress is the sum of all', () => {
  const queue = new Queue(3);
  const other = new Queue(3, queue.shared);
  expect([queue.take(), other.take(), queue.take(), other.take(), queue.take()]).toEqual([
    0,
    1,
    2,
    undefined,
    undefined,
  ]);
  queue.done(5 << 20);
  other.done(7 << 20);
  expect([queue.bytes, other.bytes]).toEqual([12 << 20, 12 << 20]);
});

describe('threads are started where they pay', () => {
  const GIB = 2 ** 30;
  test.each([
    ['less than two gigabytes', 1.9 * GIB, 8, 0],
    ['two gigabytes', 2 * GIB, 8, 1],
    ['five gigabytes', 5.5 * GIB, 8, 4],
    ['five gigabytes and two cores', 5.5 * GIB, 2, 1],
    ['one core', 50 * GIB, 1, 0],
    ['very much, and very many cores', 500 * GIB, 128, 7],
  ])('%s', (_, unread, cores, threads) => {
    expect(threadsFor(unread, cores)).toBe(threads);
  });
});
