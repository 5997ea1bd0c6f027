import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { agentpprof, scratch } from './program.ts';

const place = scratch('mistakes');
afterAll(() => place.remove());
const FIXTURE = join(import.meta.dirname, '../fixtures/gemini-cli');

test('a format that the ending of the file contradicts is wrong usage, and writes nothing', () => {
  const svg = join(place.path, 'x.svg');
  const ran = agentpprof(['--session-dir', FIXTURE, '-o', svg, '--format', 'json'], { home: place.path });
  expect([ran.code, ran.out, existsSync(svg)]).toEqual([2, '', false]);
  expect(ran.err).toMatch(/--format: json does not fit the ending of .*x\.svg, which is that of svg/);
  expect(agentpprof(['--session-dir', FIXTURE, '-o', svg, '--format', 'svg'], { home: place.path }).code).toBe(0);
  const other = join(place.path, 'x.out');
  expect(agentpprof(['--session-dir', FIXTURE, '-o', other, '--format', 'json'], { home: place.path }).code).toBe(0);
});

test('calls of which no usage was recorded are told wherever they show as 0', () => {
  const file = join(import.meta.dirname, '../fixtures/streams/codex.jsonl');
  const cut = join(place.path, 'cut.jsonl');
  expect(agentpprof(['--session-file', file], { home: place.path }).out).not.toContain('usage unknown');
  cutFile(file, cut);
  for (const command of [[], ['sessions'], ['reconcile']])
    expect(agentpprof([...command, '--session-file', cut], { home: place.path }).out).toContain(
      'usage unknown for 1 of 1 calls',
    );
  const { rows } = JSON.parse(agentpprof(['sessions', '--session-file', cut, '--json'], { home: place.path }).out);
  expect(rows).toEqual([expect.objectContaining({ calls: 1, unknown_usage_calls: 1, tokens: 0 })]);
});

/** The first turn without its end. */
function cutFile(from: string, to: string): void {
  const lines = readFileSync(from, 'utf8').split('\n');
  writeFileSync(to, `${lines.slice(0, 5).join('\n')}\n`);
}
