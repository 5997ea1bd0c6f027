import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { agentpprof, scratch } from './program.ts';

const place = scratch('evaluate');
afterAll(() => place.remove());

const file = join(place.path, 'runs.jsonl');
writeFileSync(
  file,
  Array.from({ length: 6 }, (_, session) =>
    ['cat a.ts:1', 'cat b.ts:1', 'npm test:2', 'npm test:2', 'git push:3'].map(word => {
      const [command, stage] = word.split(':');
      return `${JSON.stringify({ value: 1, fields: { session: `s${session}`, tool: 'Bash', command, stage } })}\n`;
    }),
  )
    .flat()
    .join(''),
);
const run = (...args: string[]) =>
  agentpprof(['evaluate', 'segments', '--operation-file', file, ...args], { home: place.path });

const SCORE = { p: expect.any(Number), r: expect.any(Number), f1: expect.any(Number) };
const WITH_INTERVAL = { ...SCORE, f1_interval: [expect.any(Number), expect.any(Number)] };

test('evaluate segments --json keeps its contract, controls among the results', () => {
  const { code, out } = run('--gold', 'stage', '--backend', 'auto,learned', '--folds', '3', '--draws', '50', '--json');
  const report = JSON.parse(out);
  expect(code).toBe(0);
  expect(Object.keys(report)).toEqual(['schema', 'operations', 'sessions', 'gold_groups', 'results']);
  expect(report).toMatchObject({
    schema: 'agentpprof.evaluate-segments/1',
    operations: 30,
    sessions: 6,
    gold_groups: 18,
  });
  for (const result of report.results)
    expect(result).toEqual({
      backend: expect.any(String),
      label_free: expect.any(Boolean),
      groups: expect.any(Number),
      b3: WITH_INTERVAL,
      boundary: WITH_INTERVAL,
      boundary_near: SCORE,
    });
  const names = report.results.map((result: { backend: string }) => result.backend);
  expect(names.slice(0, 3)).toEqual(['auto', 'learned', 'always-boundary']);
  expect(names).toEqual(expect.arrayContaining(['never-boundary', 'action-change', 'uniform-7', 'random-like-auto']));
});

test('the same evaluation gives the same bytes', () => {
  const once = () => run('--gold', 'stage', '--draws', '100', '--json').out;
  expect(once()).toBe(once());
});

test.each([
  [['--gold', 'nothing'], '--gold: there is no field "nothing"'],
  [['--gold', 'stage', '--backend', 'magic'], '--backend: there is no segmenter "magic"'],
  [['--gold', 'stage', '--folds', '1'], '--folds: wants a whole number of at least 2'],
  [['--gold', 'branch'], '--gold: no selected operation has a value'],
])('wrong usage %j names the flag and the way out', (args, message) => {
  const { code, err } = run(...args);
  expect(err).toContain(message);
  expect(code).toBe(2);
});
