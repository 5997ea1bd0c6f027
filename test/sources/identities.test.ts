import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { READERS } from '../../src/sources/registry.ts';
import { sumOf, USAGE_RULES, violation } from '../../src/sources/usage.ts';
import { readDirectories } from './samples-of-all.ts';

const folder = mkdtempSync(join(tmpdir(), 'agentpprof-identities-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const used = { input: 100, cacheRead: 60, cacheWrite: 20, output: 50, reasoning: 30, extra: 0, total: undefined };

describe('the table of identities', () => {
  test('names agents that there are', () => {
    const known = new Set(READERS.map(reader => reader.agent));
    expect(Object.keys(USAGE_RULES).filter(agent => !known.has(agent))).toEqual([]);
  });

  test.each([
    ['codex', 150],
    ['claude-code', 230],
    ['gemini-cli', 180],
    ['opencode', 260],
  ] as const)('%s: the same counts sum to %i by its rule, and any other total is told', (agent, sum) => {
    const rule = USAGE_RULES[agent];
    expect(sumOf(used, rule)).toBe(sum);
    expect(violation({ ...used, total: sum }, rule)).toBe('');
    expect(violation({ ...used, total: sum + 1 }, rule)).toBe(`a total of ${sum + 1} where the kinds sum to ${sum}`);
  });
});

test('a violated identity is told with its file and line', () => {
  const count = (total: number, last: object) => ({
    timestamp: '2026-05-04T10:00:01.000Z',
    type: 'event_msg',
    payload: {
      type: 'token_count',
      info: { total_token_usage: { input_tokens: total, output_tokens: 1 }, last_token_usage: last },
    },
  });
  const rows = [
    { timestamp: '2026-05-04T10:00:00.000Z', type: 'session_meta', payload: { id: 't', cwd: '/w' } },
    count(5, { input_tokens: 5, output_tokens: 1, total_tokens: 6 }),
    count(9, { input_tokens: 4, cached_input_tokens: 7, output_tokens: 1, total_tokens: 5 }),
  ];
  writeFileSync(join(folder, 'rollout-x.jsonl'), rows.map(row => `${JSON.stringify(row)}\n`).join(''));
  const { ledgers } = readDirectories([folder]);
  expect(ledgers.map(({ path, notes }) => [path.slice(folder.length + 1), notes])).toEqual([
    [
      'rollout-x.jsonl',
      [expect.stringMatching(/^usage that contradicts itself at line 3, byte \d+: more cached input than input$/)],
    ],
  ]);
});
