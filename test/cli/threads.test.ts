import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { discover } from '../../src/sources/discover.ts';
import { READERS } from '../../src/sources/registry.ts';
import { Queue } from '../../src/sources/threads/queue.ts';
import { startThread } from '../../src/sources/threads/start.ts';
import { doneWork, workOn } from '../../src/sources/threads/work.ts';
import { agentpprof, PROGRAM, SHARED, scratch } from './program.ts';

const place = scratch('threads');
afterAll(() => place.remove());

const SOURCES = ['test/fixtures', ...(SHARED ? [join(SHARED, 'corpus/real-agents')] : [])].flatMap(path => [
  '--session-dir',
  path,
]);

const profile = (args: readonly string[], more: Parameters<typeof agentpprof>[1] = {}) =>
  agentpprof([...SOURCES, '--format', 'pprof-raw', '-o', '-', ...args], { home: place.path, ...more });

describe('threads that read beside the first', () => {
  const alone = profile(['-q', '--no-cache', '--threads', '0']);

  test.each([1, 3])('%i of them give the same profile, byte for byte', count => {
    const beside = profile(['--no-cache', '--threads', `${count}`], { env: { NODE_DEBUG: 'worker' } });
    expect(alone.bytes.length).toBeGreaterThan(10_000);
    expect(beside.bytes.equals(alone.bytes)).toBe(true);
    expect(beside.err.match(/created Worker with ID/g)).toHaveLength(count);
  });

  test('the built thread reads, and gives what it has read', async () => {
    const found = discover({ homes: [], sessionFiles: [], sessionDirs: ['test/fixtures'], agents: [] }, READERS);
    const numbers = [...found.files.keys()].slice(0, 20);
    const work = workOn(found.files, numbers, { texts: ['prompt'] });
    const share = await startThread(work, join(PROGRAM, '../reading-thread.cjs'));
    expect(share?.files.map(({ at }) => at).sort((a, b) => a - b)).toEqual(numbers);
    expect(share?.ops).toEqual(doneWork({ ...work, queue: new Queue(numbers.length).shared }).ops);
  });

  test('what they read is stored, and read again by the next run without any', () => {
    const cache = { XDG_CACHE_HOME: join(place.path, 'cache') };
    for (const threads of ['2', '0', '2']) {
      const ran = profile(['-q', '--threads', threads], { env: cache });
      expect([ran.code, ran.bytes.equals(alone.bytes)]).toEqual([0, true]);
    }
  });

  test('a thread that cannot run costs nothing but time', () => {
    const lame = join(place.path, 'dist');
    cpSync(join(PROGRAM, '..'), lame, { recursive: true });
    for (const name of readdirSync(lame)) if (name.startsWith('reading-thread')) rmSync(join(lame, name));
    const ran = profile(['-q', '--no-cache', '--threads', '2'], { program: join(lame, 'agentpprof.js') });
    expect([ran.code, ran.err, ran.bytes.equals(alone.bytes)]).toEqual([0, '', true]);
  });

  test.each(['', 'x', '-1', '1.5', '65'])('%j is no number of threads', count => {
    const ran = profile(['--threads', count]);
    expect([ran.code, ran.out]).toEqual([2, '']);
    expect(ran.err).toContain('--threads');
    expect(ran.err).toContain('whole number from 0 to 64');
  });
});
