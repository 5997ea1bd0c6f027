import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { carryEngine, ENGINE, engineSources, keepEngine } from '../../scripts/house/engine.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

/** A project with an engine that was built from its sources. */
function project(): string {
  const root = mkdtempSync(join(tmpdir(), 'agentpprof-engine-'));
  roots.push(root);
  for (const [file, text] of [
    ['recorder/loader.c', 'int main;'],
    ['recorder/events.h', ''],
    ['scripts/build-recorder.mjs', 'clang -O2'],
    ['built', 'ELF'],
  ] as const) {
    mkdirSync(join(root, file, '..'), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  keepEngine(root, join(root, 'built'), engineSources(root));
  return root;
}

describe('a build carries the engine of the recorder', () => {
  it('that was built from the sources of today, ready to run', () => {
    const root = project();
    expect(carryEngine(root, join(root, 'dist'))).toBe('carried');
    expect(readFileSync(join(root, 'dist', ENGINE), 'utf8')).toBe('ELF');
    expect(statSync(join(root, 'dist', ENGINE)).mode & 0o111).toBe(0o111);
  });

  it.each<[string, (root: string) => void]>([
    ['a source has changed', root => writeFileSync(join(root, 'recorder/loader.c'), 'int main();')],
    ['a source is new', root => writeFileSync(join(root, 'recorder/new.h'), '')],
    ['a source is gone', root => rmSync(join(root, 'recorder/events.h'))],
    ['it would be built in another way', root => writeFileSync(join(root, 'scripts/build-recorder.mjs'), 'clang -O3')],
  ])('and none where %s', (_, change) => {
    const root = project();
    change(root);
    expect(carryEngine(root, join(root, 'dist'))).toBe('stale');
    expect(existsSync(join(root, 'dist', ENGINE))).toBe(false);
  });

  it('and none on another kind of machine, or where none was built', () => {
    const root = project();
    expect(carryEngine(root, join(root, 'dist'), 'mips')).toBe('stale');
    rmSync(join(root, 'node_modules/.cache', ENGINE));
    expect(carryEngine(root, join(root, 'dist'))).toBe('none');
    rmSync(join(root, 'node_modules'), { recursive: true });
    expect(carryEngine(root, join(root, 'dist'))).toBe('none');
  });
});

it('the package holds the engine exactly where dist/ does', () => {
  const listed = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: 'pipe',
    }),
  ) as [{ files: { path: string; mode: number }[] }];
  const engine = listed[0].files.find(({ path }) => path === `dist/${ENGINE}`);
  expect(engine !== undefined).toBe(existsSync(join(ROOT, 'dist', ENGINE)));
  if (engine) expect(engine.mode & 0o111).toBe(0o111);
});
