import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeFolder } from '../../src/disk/folder.ts';

const dir = mkdtempSync(join(tmpdir(), 'agentpprof-folder-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('a folder is made', () => {
  it('with those above it, for its owner alone, and the first one made is told', () => {
    expect(makeFolder(join(dir, 'a', 'b', 'c'))).toBe(join(dir, 'a'));
    expect(statSync(join(dir, 'a', 'b', 'c')).mode & 0o777).toBe(0o700);
    expect(statSync(join(dir, 'a')).mode & 0o777).toBe(0o700);
    expect(makeFolder(join(dir, 'a', 'b', 'd'))).toBe(join(dir, 'a', 'b', 'd'));
    expect(makeFolder(join(dir, 'a', 'b'))).toBeUndefined();
  });

  it('by a relative name, and behind a link', () => {
    const name = relative(process.cwd(), join(dir, 'relative', 'x'));
    expect(makeFolder(name)).toBe(relative(process.cwd(), join(dir, 'relative')));
    mkdirSync(join(dir, 'real'));
    symlinkSync('real', join(dir, 'link'));
    makeFolder(join(dir, 'link', 'below'));
    expect(existsSync(join(dir, 'real', 'below'))).toBe(true);
  });

  it('nowhere below a file or a link to nothing', () => {
    writeFileSync(join(dir, 'file'), '');
    symlinkSync('nothing', join(dir, 'dangling'));
    for (const name of ['file', 'file/x', 'dangling'])
      expect(() => makeFolder(join(dir, name))).toThrow(/EEXIST|ENOTDIR/);
  });

  it.skipIf(process.platform !== 'linux')('nowhere that a file system takes none, and that is told at once', () => {
    expect(() => makeFolder('/proc/agentpprof/x')).toThrow(/ENOENT/);
  });
});
