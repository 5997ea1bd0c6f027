import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { idKey } from '../../src/privacy/id-key.ts';
import { openPseudonyms, pseudonymsWith } from '../../src/privacy/pseudonym.ts';

const KEYED = { AGENTPPROF_ID_KEY: 'a key for tests' };

let home: string;
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'pseudonym-'));
});

describe('the key of ids', () => {
  test('is made once, readable by its owner alone, and read ever after', () => {
    const first = idKey({ HOME: home });
    const folder = path.join(home, '.config/agentpprof');
    expect(first.warning).toBeUndefined();
    expect(first.key).toHaveLength(32);
    expect(idKey({ HOME: home })).toEqual(first);
    expect(readdirSync(folder)).toEqual(['id.key']);
    expect(readFileSync(path.join(folder, 'id.key'))).toEqual(first.key);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(path.join(folder, 'id.key')).mode & 0o777).toBe(0o600);
  });

  test('follows XDG_CONFIG_HOME, unless that is relative', () => {
    idKey({ HOME: home, XDG_CONFIG_HOME: path.join(home, 'conf') });
    expect(existsSync(path.join(home, 'conf/agentpprof/id.key'))).toBe(true);
    idKey({ HOME: home, XDG_CONFIG_HOME: 'conf' });
    expect(existsSync(path.join(home, '.config/agentpprof/id.key'))).toBe(true);
  });

  test('differs between users, and AGENTPPROF_ID_KEY takes its place without touching the disk', () => {
    const other = mkdtempSync(path.join(tmpdir(), 'pseudonym-'));
    expect(idKey({ HOME: home }).key).not.toEqual(idKey({ HOME: other }).key);
    const untouched = path.join(home, 'nobody');
    expect(idKey({ HOME: untouched, ...KEYED })).toEqual(idKey({ HOME: other, ...KEYED }));
    expect(existsSync(untouched)).toBe(false);
  });

  test('is the same for processes that start together', async () => {
    const program = path.join(home, 'key.mjs');
    const entry = fileURLToPath(new URL('../../src/privacy/id-key.ts', import.meta.url));
    await build({
      stdin: {
        contents: `import { idKey } from ${JSON.stringify(entry)}; process.stdout.write(idKey(process.env).key.toString('hex'));`,
        resolveDir: path.dirname(entry),
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: program,
      logLevel: 'error',
    });
    const run = () =>
      new Promise<string>((resolve, reject) => {
        const child = spawn(process.execPath, [program], { env: { HOME: home }, stdio: ['ignore', 'pipe', 'inherit'] });
        let output = '';
        child.stdout.on('data', chunk => {
          output += chunk;
        });
        child.on('error', reject).on('close', () => resolve(output));
      });
    const keys = await Promise.all(Array.from({ length: 8 }, run));
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toBe(readFileSync(path.join(home, '.config/agentpprof/id.key')).toString('hex'));
    expect(readdirSync(path.join(home, '.config/agentpprof'))).toEqual(['id.key']);
  });

  const obstacles: [what: string, prepare: (config: string) => void, says: RegExp][] = [
    ['a file where the folder should be', config => writeFileSync(config, ''), /ENOTDIR|EEXIST/],
    [
      'a key cut short',
      config => {
        mkdirSync(path.join(config, 'agentpprof'), { recursive: true });
        writeFileSync(path.join(config, 'agentpprof/id.key'), 'short');
      },
      /is damaged; delete it/,
    ],
    [
      'a folder in place of the key',
      config => mkdirSync(path.join(config, 'agentpprof/id.key'), { recursive: true }),
      /is not a file; delete it|EISDIR/,
    ],
    [
      'a pipe in place of the key',
      config => {
        mkdirSync(path.join(config, 'agentpprof'), { recursive: true });
        execFileSync('sh', ['-c', 'mkfifo "$0"', path.join(config, 'agentpprof/id.key')]);
      },
      /is not a file; delete it/,
    ],
  ];
  test.each(obstacles)('%s costs stable ids and is said, but stops nothing', (_, prepare, says) => {
    const config = path.join(home, '.config');
    prepare(config);
    const before = readdirSync(home, { recursive: true });
    const { warning, of } = openPseudonyms({ HOME: home });
    expect(warning).toMatch(says);
    expect(warning).toContain('set AGENTPPROF_ID_KEY');
    expect(warning).not.toContain(home);
    expect(of('session', 'a')).toMatch(/^s-[0-9a-f]{10}$/);
    expect(openPseudonyms({ HOME: home }).of('session', 'a')).not.toBe(of('session', 'a'));
    expect(readdirSync(home, { recursive: true })).toEqual(before);
  });
});

describe('pseudonyms', () => {
  const { of, nameOf, matches, find } = openPseudonyms(KEYED);
  const ID = '0199a213-81a0-7800-8aa0-bbab2a035a53';

  test('are the same in every run with the same key, and tell nothing without it', () => {
    expect(of('session', ID)).toBe(openPseudonyms(KEYED).of('session', ID));
    expect(of('session', ID)).not.toBe(pseudonymsWith(Buffer.alloc(32)).of('session', ID));
    expect(of('session', ID)).toMatch(/^s-[0-9a-f]{10}$/);
  });

  test('of a session are the same wherever it is named; other kinds share none', () => {
    expect(of('parent_session', ID)).toBe(of('session', ID));
    expect(of('prompt_id', ID)).toMatch(/^p-[0-9a-f]{10}$/);
    expect(of('prompt_id', ID).slice(2)).not.toBe(of('session', ID).slice(2));
    expect(of('trace', ID)).toMatch(/^trace-[0-9a-f]{10}$/);
    expect(of('constructor', ID)).toMatch(/^constructor-/);
    expect(nameOf('project', 'shop')).toMatch(/^project-[0-9a-f]{8}$/);
    expect(nameOf('project', 'shop').slice(8)).not.toBe(nameOf('branch', 'shop').slice(7));
  });

  test('of nothing is nothing', () => {
    expect([of('session', ''), nameOf('project', '')]).toEqual(['', '']);
  });

  const selectors: [what: string, selector: string, matches: boolean][] = [
    ['the id', ID, true],
    ['the pseudonym', of('session', ID), true],
    ['four characters of the id', ID.slice(0, 4), true],
    ['three characters of the id', ID.slice(0, 3), false],
    ['four digits of the pseudonym', of('session', ID).slice(0, 6), true],
    ['three digits of the pseudonym', of('session', ID).slice(0, 5), false],
    ['the middle of the id', ID.slice(4), false],
    ['more than the id', `${ID}0`, false],
    ['the pseudonym of a prompt', of('prompt_id', ID), false],
    ['nothing', '', false],
  ];
  test.each(selectors)('a session is selected by %s: %s', (_, selector, expected) => {
    expect(matches(selector, ID)).toBe(expected);
  });

  test('a short id of another agent is selected whole', () => {
    expect(matches('7', '7')).toBe(true);
    expect(matches('7', '71')).toBe(false);
    expect(matches('', '')).toBe(false);
  });

  test('a whole id means that session alone, a prefix all that begin with it', () => {
    const ids = ['task-1', 'task-12', 'other', 'task-12', ''];
    expect(find('task-1', ids)).toEqual(['task-1']);
    expect(find('task', ids)).toEqual(['task-1', 'task-12']);
    expect(find(of('session', 'other'), ids)).toEqual(['other']);
    expect(find('nobody', ids)).toEqual([]);
  });

  test('any id is found by its own pseudonym and by every long enough prefix', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.nat(60), (id, length) => {
        expect(find(of('session', id), [id, 'another'])).toEqual([id]);
        const prefix = id.slice(0, length);
        expect(matches(prefix, id)).toBe(prefix === id || prefix.length >= 4);
      }),
    );
  });
});
