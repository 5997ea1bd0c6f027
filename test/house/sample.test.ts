import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { calcPrice } from '@pydantic/genai-prices';
import { afterAll, describe, expect, it } from 'vitest';
import { countClaude, countCodex, countOf } from './count.ts';
import { ROOT } from './source.ts';

const SAMPLE = path.join(ROOT, 'sample');
const HOME = path.join(SAMPLE, 'home');
const truth = JSON.parse(readFileSync(path.join(SAMPLE, 'truth.json'), 'utf8'));
const [claude, codex] = truth.agents;

function contents(folder: string): Map<string, string> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile());
  const files = found.map(entry => path.join(entry.parentPath, entry.name)).sort();
  return new Map(files.map(file => [path.relative(folder, file), readFileSync(file, 'utf8')]));
}

describe('the bundled sample history', () => {
  const scratch = mkdtempSync(path.join(tmpdir(), 'sample-'));
  afterAll(() => rmSync(scratch, { recursive: true }));

  it('is what its generator writes', () => {
    execFileSync(process.execPath, [path.join(ROOT, 'scripts/make-sample.mjs'), '--out', scratch]);
    const [committed, fresh] = [contents(HOME), contents(path.join(scratch, 'home'))];
    expect([...committed.keys()]).toEqual([...fresh.keys()]);
    for (const [name, text] of fresh) expect(committed.get(name) === text, name).toBe(true);
    expect(JSON.parse(readFileSync(path.join(scratch, 'truth.json'), 'utf8'))).toEqual(truth);
  });

  it('holds what truth.json says of Claude Code, by an independent count', () => {
    expect(countClaude(HOME)).toEqual(countOf(claude));
  });

  it('holds what truth.json says of Codex, by an independent count', () => {
    expect(countCodex(HOME)).toEqual(countOf(codex));
  });

  it('is small, and large enough to show something', () => {
    const bytes = [...contents(HOME).values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    expect(bytes).toBeLessThan(900_000);
    expect(claude.sessions + codex.sessions).toBeGreaterThanOrEqual(35);
    expect(claude.prompts + codex.prompts).toBeGreaterThanOrEqual(140);
    expect(claude.subagents).toBeGreaterThan(0);
    expect(codex.subagents).toBeGreaterThan(0);
    expect(claude.dropped.copied_history).toBeGreaterThan(0);
  });

  it('names only models that have a price', () => {
    const models = truth.agents.flatMap((agent: { models: object }) => Object.keys(agent.models));
    expect(models.length).toBeGreaterThanOrEqual(5);
    expect(models.filter((model: string) => !calcPrice({ input_tokens: 1 }, model))).toEqual([]);
  });

  it('has every kind of event that a view shows: failures, hosts, Chinese prompts, a fork, compactions', () => {
    const files = contents(HOME);
    const all = [...files.keys(), ...files.values()].join('\n');
    const signs = [
      '"is_error":true',
      'https://',
      '修复',
      '"compact_boundary"',
      '"compacted"',
      '/subagents/',
      '"api_error"',
    ];
    expect(signs.filter(sign => !all.includes(sign))).toEqual([]);
  });
});
