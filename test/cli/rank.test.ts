import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { agentpprof, scratch } from './program.ts';

const place = scratch('rank');
afterAll(() => place.remove());
const SAMPLE = join(resolve(import.meta.dirname, '../..'), 'sample/home');
const run = (...args: string[]) => agentpprof([...args, '--no-cache'], { home: place.path });

test('rank puts failed operations first, each with its place in a file', () => {
  const { ranked, operations } = JSON.parse(run('rank', '--home', SAMPLE, '--limit', '0', '--json').out);
  expect(ranked).toHaveLength(operations);
  const signals = ranked.map((each: { signal: string }) => each.signal);
  expect(signals[0]).toBe('failed');
  expect(signals.lastIndexOf('failed')).toBe(signals.filter((signal: string) => signal === 'failed').length - 1);
  expect(ranked[0].bytes).toBeGreaterThan(0);
});

test('--guided says which groups to open, and how much of the source they are', () => {
  const facts = JSON.parse(run('rank', '--home', SAMPLE, '--guided', '3', '--json').out);
  expect(facts.open).toHaveLength(3);
  expect(facts.share).toBeCloseTo(facts.bytes / facts.source_bytes);
  expect(facts.share).toBeLessThan(0.2);
  expect(facts.skeleton.reduce((sum: number, each: { failed: number }) => sum + each.failed, 0)).toBeGreaterThan(0);
});

test('evaluate ranking compares rankings and tells what ties alone gain', () => {
  const file = join(place.path, 'faults.jsonl');
  const rows = [0, 1, 2, 3].flatMap(session =>
    ['ls', 'make', 'make', 'cat'].map((command, at) => ({
      session: `s${session}`,
      tool: 'Bash',
      command,
      status: at === 1 ? 'error' : 'ok',
      fault: session < 3 && at === 1 ? '1' : '0',
      guess: String(at),
    })),
  );
  writeFileSync(file, rows.map(fields => `${JSON.stringify({ value: 1, fields })}\n`).join(''));
  const ran = run('evaluate', 'ranking', '--operation-file', file, '--gold', 'fault', '--score', 'guess', '--json');
  const { queries, skipped, results } = JSON.parse(ran.out);
  expect([queries, skipped]).toEqual([3, 1]);
  const maps = Object.fromEntries(results.map((each: { ranking: string; map: number }) => [each.ranking, each.map]));
  expect(maps).toMatchObject({ rank: 1, 'failed-alone': 1, guess: 1 / 3, 'control: all equal': 0.25 });
});

test('wrong usage names the flag', () => {
  expect(run('rank', '--home', SAMPLE, '--group', 'nothing')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--group'),
  });
});
