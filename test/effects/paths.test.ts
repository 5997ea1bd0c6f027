import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Project } from '../../src/effects/paths.ts';
import { UNKNOWN } from '../../src/effects/shell/syntax.ts';

const LINUX = new Project(['/home/ada/proj']);
const WINDOWS = new Project(['C:\\Users\\Ada\\proj']);
const NONE = new Project([]);

describe('a path is shown relative to its project', () => {
  it.each([
    ['/home/ada/proj/src/main.rs', '', 'src/main.rs'],
    ['/home/ada/proj', '', '.'],
    ['/home/ada/proj/', '', '.'],
    ['src/main.rs', '/home/ada/proj', 'src/main.rs'],
    ['./src//main.rs/', '/home/ada/proj', 'src/main.rs'],
    ['main.rs', '/home/ada/proj/src', 'src/main.rs'],
    ['../a.md', '/home/ada/proj/src', 'a.md'],
    ['../../other/x', '/home/ada/proj/src', 'external/home'],
    ['../../proj/x', '/home/ada/proj/src', 'x'],
    ['a/../../../../../../etc/x', '/home/ada/proj', 'external/system'],
    ['src/main.rs', '', 'src/main.rs'],
    ['src/*', '/home/ada/proj', 'src/*'],
    ['~/proj/src/a', '/home/ada/proj', 'src/a'],
    ['file:///home/ada/proj/a%20b.txt', '', 'a b.txt'],
    ['file://localhost/home/ada/proj/a', '', 'a'],
    ['/home/ada/proj/日本/文.txt', '', '日本/文.txt'],
    ['/home/ada/project2/x', '', 'external/home'],
    ['/home/ada/proj/src\0/../../x', '', 'src'],
    ['', '/home/ada/proj', ''],
  ])('%s in %s is %s', (path, cwd, shown) => {
    expect(LINUX.place(path, cwd)).toBe(shown);
  });

  it.each([
    ['C:\\Users\\Ada\\proj\\src\\a.ts', '', 'src/a.ts'],
    ['c:/users/ada/PROJ/Src/A.ts', '', 'Src/A.ts'],
    ['C:\\Users/Ada\\proj/src\\a.ts', '', 'src/a.ts'],
    ['src\\a.ts', 'C:\\Users\\Ada\\proj', 'src/a.ts'],
    ['..\\a.ts', 'C:\\Users\\Ada\\proj\\src', 'a.ts'],
    ['/c/Users/Ada/proj/a.ts', '', 'a.ts'],
    ['/mnt/c/Users/Ada/proj/a.ts', '', 'a.ts'],
    ['file:///C:/Users/Ada/proj/a.ts', '', 'a.ts'],
    ['\\\\?\\C:\\Users\\Ada\\proj\\a.ts', '', 'a.ts'],
    ['~\\proj\\a.ts', '', 'a.ts'],
    ['D:\\data\\x', '', 'external/other'],
    ['\\\\server\\share\\x', '', 'external/other'],
    ['C:\\Users\\Ada\\AppData\\Local\\Temp\\x', '', 'external/tmp'],
    ['C:\\Users\\Ada\\.claude\\settings.json', '', 'external/claude-code'],
    ['C:\\Users\\Bob\\x', '', 'external/home'],
    ['C:\\Windows\\System32\\x', '', 'external/system'],
    ['C:\\Program Files\\x', '', 'external/system'],
  ])('on Windows %s in %s is %s', (path, cwd, shown) => {
    expect(WINDOWS.place(path, cwd)).toBe(shown);
  });

  it('finds Windows paths of a history without any known project', () => {
    const share = new Project(['\\\\nas\\work\\api']);
    expect(share.place('\\\\NAS\\Work\\api\\a.ts', '')).toBe('a.ts');
    // Another share of the same server is another place.
    expect(share.place('\\\\nas\\other\\api\\a.ts', '')).toBe('external/other');
    expect(NONE.place('src\\a.ts', '')).toBe('src/a.ts');
    expect(NONE.place('C:\\Users\\Ada\\x\\a.ts', '')).toBe('external/home');
  });

  it('gives files of worktrees the names they have in the repository', () => {
    const project = new Project(['/home/ada/proj', '/home/ada/wt/fix-1', '/home/ada/proj/src']);
    const paths = [
      '/home/ada/wt/fix-1/src/a.ts',
      '/home/ada/proj/src/a.ts',
      '/home/ada/proj/.claude/worktrees/agent-1/src/a.ts',
      '/home/ada/proj/.worktrees/3/src/a.ts',
    ];
    expect(new Set(paths.map(path => project.place(path, '')))).toEqual(new Set(['src/a.ts']));
    expect(project.place('a.ts', '/home/ada/proj/src')).toBe('src/a.ts');
  });

  it("takes a worktree in an agent's folder for the project and the rest of the folder for the agent's", () => {
    const project = new Project(['/home/ada/proj', '/home/ada/.codex/worktrees/1f/proj']);
    expect(project.place('/home/ada/.codex/worktrees/1f/proj/a.ts', '')).toBe('a.ts');
    expect(project.place('/home/ada/.codex/config.toml', '')).toBe('external/codex');
  });
});

describe('outside the project only the kind of place is shown', () => {
  it.each([
    ['/tmp/x', 'external/tmp'],
    ['/private/tmp/x', 'external/tmp'],
    ['/var/folders/zz/T/x', 'external/tmp'],
    ['/dev/shm/x', 'external/tmp'],
    ['/home/ada/notes.md', 'external/home'],
    ['/home/bob', 'external/home'],
    ['/Users/bob/x', 'external/home'],
    ['/root/.bashrc', 'external/home'],
    ['~/.bashrc', 'external/home'],
    ['~', 'external/home'],
    ['/home/ada/.claude/plans/a.md', 'external/claude-code'],
    ['/home/ada/.claude.json', 'external/claude-code'],
    ['/Users/bob/.codex/config.toml', 'external/codex'],
    ['~/.gemini/settings.json', 'external/gemini-cli'],
    ['~/.gemini/antigravity/x', 'external/antigravity'],
    ['~/.local/share/opencode/opencode.db', 'external/opencode'],
    ['/etc/hosts', 'external/system'],
    ['/usr/lib/x', 'external/system'],
    ['/Applications/X.app', 'external/system'],
    ['/data/x', 'external/other'],
    ['/', 'external/other'],
  ])('%s is %s', (path, shown) => {
    expect(LINUX.place(path, '')).toBe(shown);
  });

  it('does not take a home, all homes or the whole disk for a project', () => {
    for (const root of ['/', '/home', '/Users']) {
      expect(new Project([root]).place('/home/ada/secret.txt', '')).toBe('external/home');
    }
    const home = new Project(['/home/ada']);
    expect(home.place('/home/ada/notes.md', '')).toBe('notes.md');
    expect(home.place('/home/ada/.claude/x', '')).toBe('external/claude-code');
    expect(home.place('/home/bob/x', '')).toBe('external/home');
  });
});

describe('a path that is known only in part', () => {
  it.each([
    [`/tmp/x-${UNKNOWN}/y`, 'external/tmp'],
    [`~/.claude/${UNKNOWN}`, 'external/claude-code'],
    [`/etc/${UNKNOWN}`, 'external/system'],
    [`/home/ada/${UNKNOWN}`, ''],
    [`/home/${UNKNOWN}`, ''],
    [`/home/ada/proj/src/${UNKNOWN}.ts`, ''],
    [`${UNKNOWN}/x`, ''],
    [`/${UNKNOWN}`, ''],
  ])('%j is %j', (path, shown) => {
    expect(LINUX.place(path, '/home/ada/proj')).toBe(shown);
  });
});

describe('no path gives its owner away', () => {
  const part = fc.oneof(
    fc.constantFrom(
      '..',
      '.',
      'src',
      'home',
      'Users',
      'proj',
      'tmp',
      '.claude',
      '.codex',
      'a b',
      '日本',
      '~',
      'mnt',
      'c',
    ),
    fc.string({ minLength: 1, maxLength: 5 }),
  );
  const path = fc
    .tuple(
      fc.constantFrom(
        '',
        '/',
        '~/',
        '/home/zoe/',
        '/Users/zoe/',
        '/home/zoe/proj/',
        'C:\\Users\\zoe\\',
        'c:/users/zoe/proj/',
        'file:///home/zoe/',
        '/mnt/c/Users/zoe/',
        '/c/Users/zoe/',
        '\\\\zoe\\share\\',
        '//',
        '/root/',
      ),
      fc.array(part, { maxLength: 6 }),
      fc.constantFrom('/', '\\'),
    )
    .map(([head, parts, separator]) => head + parts.join(separator));
  const roots = fc.subarray([
    '/home/zoe/proj',
    '/home/zoe',
    '/',
    '/home',
    'C:\\Users\\zoe\\proj',
    '/mnt/c/Users/zoe/proj',
    '/tmp/proj',
    '/home/zoe/proj/src',
  ]);
  const cwd = fc.constantFrom(
    '',
    '/home/zoe/proj',
    '/home/zoe/proj/src',
    '/',
    '/home',
    'C:\\Users\\zoe\\proj',
    '/tmp',
    '~',
    'relative/dir',
    '/home/zoe',
  );

  it('whatever path, directory and roots', () => {
    fc.assert(
      fc.property(roots, path, cwd, (given, text, from) => {
        const shown = new Project(given).place(text, from);
        expect(shown).not.toMatch(/^(?:[/~\\]|[A-Za-z]:[\\/])/);
        expect(shown).not.toContain('zoe');
        expect(shown).not.toMatch(/(?:^|\/)\.\.(?:\/|$)/);
        expect(shown).not.toMatch(/[\u0000-\u001f]/);
        expect(shown.length).toBeLessThanOrEqual(241);
      }),
      { numRuns: 3000 },
    );
  });

  it('and its name is cut, never inside a character', () => {
    const long = LINUX.place(`/home/ada/proj/${'😀'.repeat(400)}/${'b'.repeat(300)}.ts`, '');
    expect(long.length).toBeLessThanOrEqual(241);
    expect(long).not.toMatch(/(?:^|[^\ud800-\udbff])[\udc00-\udfff]|[\ud800-\udbff](?![\udc00-\udfff])/);
    expect(long.endsWith('.ts')).toBe(true);
  });
});
