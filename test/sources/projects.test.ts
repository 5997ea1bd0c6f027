import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Projects } from '../../src/sources/projects.ts';

describe('the project of a working directory that is not on this machine', () => {
  test.each([
    ['/Users/x/Open Source/check', 'check', '/Users/x/Open Source/check'],
    ['/home/nobody/api/', 'api', '/home/nobody/api'],
    ['C:\\code\\my app', 'my app', 'C:\\code\\my app'],
    ['/srv/web/.claude/worktrees/fix-1', 'web', '/srv/web'],
    ['/home/nobody/.codex/worktrees/747c/hk/src', 'hk', '/home/nobody/.codex/worktrees/747c/hk'],
    ['/home/nobody', 'home', '/home/nobody'],
    ['C:\\Users\\nobody', 'home', 'C:\\Users\\nobody'],
    ['C:/Users/nobody', 'home', 'C:/Users/nobody'],
    ['\\\\?\\C:\\Users\\nobody', 'home', '\\\\?\\C:\\Users\\nobody'],
    ['\\\\wsl.localhost\\Debian\\home\\nobody', 'home', '\\\\wsl.localhost\\Debian\\home\\nobody'],
    ['\\\\nas\\Users\\nobody', 'home', '\\\\nas\\Users\\nobody'],
    ['\\\\nas\\work\\api', 'api', '\\\\nas\\work\\api'],
    ['/mnt/c/Users/nobody', 'home', '/mnt/c/Users/nobody'],
    ['/mnt/c/Users/nobody/api', 'api', '/mnt/c/Users/nobody/api'],
    ['/', '/', '/'],
  ])('%s is %s', (cwd, name, root) => {
    const project = new Projects().of(cwd);
    expect([project.name, project.root]).toEqual([name, root]);
  });
});

describe('the project of a directory that is here', () => {
  let top = '';
  beforeAll(() => {
    top = realpathSync(mkdtempSync(join(tmpdir(), 'projects-')));
    const git = (cwd: string, ...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.invalid', ...args], { cwd, stdio: 'ignore' });
    mkdirSync(join(top, 'main/packages/a'), { recursive: true });
    git(join(top, 'main'), 'init', '-q');
    writeFileSync(join(top, 'main/x'), 'x');
    git(join(top, 'main'), 'add', '.');
    git(join(top, 'main'), 'commit', '-qm', 'x');
    git(join(top, 'main'), 'worktree', 'add', '-q', join(top, 'elsewhere'));
    symlinkSync(join(top, 'main'), join(top, 'link'));
    mkdirSync(join(top, 'plain'));
  });
  afterAll(() => rmSync(top, { recursive: true, force: true }));

  test.each([
    ['a repository', 'main', 'main'],
    ['a folder inside it', 'main/packages/a', 'main'],
    ['a worktree of it', 'elsewhere', 'main'],
    ['a link to it', 'link', 'main'],
    ['a folder inside the link', 'link/packages/a', 'main'],
    ['a folder without git', 'plain', 'plain'],
  ])('%s', (_, cwd, root) => {
    const project = new Projects().of(join(top, cwd));
    expect(project.root).toBe(join(top, root));
    expect(project.roots).toContain(join(top, root));
  });
});
