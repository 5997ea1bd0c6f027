import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countClaude, countCodex, countOf } from './count.ts';
import { ROOT } from './source.ts';

const scratch = mkdtempSync(path.join(tmpdir(), 'histories-'));
afterAll(() => rmSync(scratch, { recursive: true }));

function generate(name: string, ...options: string[]): string {
  const out = path.join(scratch, name);
  execFileSync(process.execPath, [path.join(ROOT, 'bench/generate-history.mjs'), '--out', out, ...options]);
  return out;
}

function truthOf(home: string) {
  return JSON.parse(readFileSync(path.join(home, 'truth.json'), 'utf8'));
}

function histories(home: string): string[] {
  const entries = readdirSync(home, { recursive: true, withFileTypes: true });
  return entries
    .filter(e => e.name.endsWith('.jsonl'))
    .map(e => path.join(e.parentPath, e.name))
    .sort();
}

function digest(home: string): string {
  const hash = createHash('sha256');
  for (const file of histories(home)) hash.update(path.relative(home, file)).update(readFileSync(file));
  return hash.digest('hex');
}

/** Subagents run inline in these histories, where nothing names them; they are left out of the comparison. */
function agrees(home: string): void {
  const [claude, codex] = truthOf(home).agents;
  expect({ ...countClaude(home), subagents: 0 }).toEqual({ ...countOf(claude), subagents: 0 });
  expect(countCodex(home)).toEqual(countOf(codex));
}

describe('the history that measurements are made with', () => {
  let home = '';
  beforeAll(() => {
    home = generate('torn', '--size', '8M', '--files', '12', '--torn');
  });

  it('holds what its truth.json says, by an independent count', () => {
    agrees(home);
  });

  it('has about the size that was asked for, and says its bytes and lines', () => {
    const { bytes, lines } = truthOf(home);
    expect(bytes).toBe(histories(home).reduce((sum, file) => sum + statSync(file).size, 0));
    expect(lines).toBe(
      histories(home).reduce((sum, file) => sum + readFileSync(file, 'utf8').split('\n').length - 1, 0),
    );
    expect(bytes / 8 / 1024 ** 2).toBeGreaterThan(0.95);
    expect(bytes / 8 / 1024 ** 2).toBeLessThan(1.5);
  });

  it('leaves one line half written when asked', () => {
    const torn = histories(home).filter(file => !readFileSync(file, 'utf8').endsWith('\n'));
    expect(torn.map(file => path.relative(home, file))).toEqual([truthOf(home).torn]);
  });

  it('is the same for the same options and another for another seed', () => {
    const small = ['--size', '200K', '--files', '4'];
    const [one, same, other] = [
      generate('1', ...small),
      generate('2', ...small),
      generate('3', ...small, '--seed', '9'),
    ];
    expect(digest(same)).toBe(digest(one));
    expect(digest(other)).not.toBe(digest(one));
  });

  it('grows at the end of its newest files, and truth.json with it', () => {
    const before = new Map(histories(home).map(file => [file, readFileSync(file)]));
    const { bytes } = truthOf(home);
    execFileSync(process.execPath, [path.join(ROOT, 'bench/generate-history.mjs'), '--out', home, '--append', '300K']);
    agrees(home);
    const grown = histories(home).filter(file => statSync(file).size > (before.get(file)?.length ?? 0));
    expect(grown.length).toBeGreaterThanOrEqual(2);
    expect(grown.length).toBeLessThanOrEqual(3);
    expect(truthOf(home).bytes - bytes).toBeGreaterThan(300 * 1024);
    for (const file of grown) {
      const old = before.get(file) as Buffer;
      expect(readFileSync(file).subarray(0, old.length).equals(old)).toBe(true);
    }
    expect(histories(home).every(file => readFileSync(file, 'utf8').endsWith('\n'))).toBe(true);
  });

  it('has texts in Chinese, pictures and repeated rows of one answer', () => {
    const all = histories(home)
      .map(file => readFileSync(file, 'utf8'))
      .join('');
    const signs = [/[\u4e00-\u9fff]{8}/, /"isSidechain":true/, /"type":"base64"/, /\\u001b\[32m/];
    expect(signs.filter(sign => !sign.test(all))).toEqual([]);
    const ids = [...all.matchAll(/"id":"(msg_01\w+)"/g)].map(match => match[1]);
    expect(ids.length).toBeGreaterThan(new Set(ids).size);
  });
});
