import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentpprof, SHARED } from '../cli/program.ts';

/**
 * Runs of real clients against a scripted model whose every answer is known: `reconcile` must give what was billed,
 * as far as the client's files tell it.
 */
const RUNS = SHARED ? join(SHARED, 'corpus/real-agents') : '';
const EXPECTED: Record<string, { agent: string; total: number; files_tell_all: boolean }> = SHARED
  ? JSON.parse(readFileSync(join(RUNS, 'expected.json'), 'utf8'))
  : {};

/** Where a client's files do not tell all, the reason. */
const UNTOLD: Record<string, string> = {
  'claude-code-1.0.92': 'side requests of a small model (topics, titles, command prefixes) are written nowhere',
  'opencode-1.18.33': 'title requests are written nowhere',
  'gemini-cli-0.10.0': 'answers without text have no message: their tokens are lost',
  'claude-code-2.0.60':
    'side requests of a small model are written nowhere; cache warmers are, though nobody asked for them',
};

/** Providers whose output field leaves reasoning out; the truth names that field as it was sent. */
const APART = new Set(['gemini-cli']);

const runs = Object.entries(EXPECTED);

describe.skipIf(!SHARED)('what real clients were billed (needs the shared corpus)', () => {
  test.each(runs)('%s', (run, { agent, total, files_tell_all: tellsAll }) => {
    const { total: of } = JSON.parse(
      agentpprof(['reconcile', '--home', join(RUNS, run, 'home'), '--agent', agent, '--json']).out,
    );
    expect(of.tokens.total).toBe(total);
    expect(of.bad_lines).toBe(0);
    if (!tellsAll) {
      expect(Object.keys(UNTOLD).some(client => run.startsWith(client))).toBe(true);
      return;
    }
    const truth = JSON.parse(readFileSync(join(RUNS, run, 'truth.json'), 'utf8'));
    const told = Object.fromEntries(
      Object.entries<Record<string, number>>(of.models).map(([model, t]) => [
        model,
        {
          input: t.input,
          cache_read: t.cache_read,
          cache_write: t.cache_write,
          output: APART.has(agent) ? t.output! : t.output! + t.reasoning!,
          total: t.total,
        },
      ]),
    );
    const billed = Object.fromEntries(
      Object.entries<Record<string, number>>(truth.usageByModel).map(([model, t]) => [
        model,
        {
          input: t.input,
          cache_read: t.cache_read ?? 0,
          cache_write: t.cache_write ?? 0,
          output: t.output,
          total: t.total,
        },
      ]),
    );
    expect(told).toEqual(billed);
    expect(of.prompts).toBe(
      truth.prompts.filter((prompt: { prompt: string }) => !prompt.prompt.startsWith('/')).length,
    );
  });
});
