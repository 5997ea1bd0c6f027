import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { agentpprof, PROGRAM, type Ran, scratch } from './program.ts';

const place = scratch('start');
afterAll(() => place.remove());

const PROBE = join(place.path, 'probe.cjs');
const SEEN = join(place.path, 'seen.json');
writeFileSync(
  PROBE,
  `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(SEEN)}, JSON.stringify({
    files: Object.keys(require.cache), builtins: process.moduleLoadList })));`,
);

/** Runs the program and says which of its own files it loaded, without their hashes, and which modules of Node. */
function loadedBy(args: readonly string[]): { ran: Ran; files: string[]; builtins: Set<string> } {
  const ran = agentpprof(args, {
    home: place.path,
    env: { NODE_OPTIONS: `--require=${PROBE}`, XDG_CACHE_HOME: join(place.path, 'cache') },
  });
  const { files, builtins } = JSON.parse(readFileSync(SEEN, 'utf8')) as Record<'files' | 'builtins', string[]>;
  const own = files.filter(file => dirname(file) === dirname(PROGRAM)).map(file => basename(file));
  return {
    ran,
    files: own.map(name => name.replace(/(?:-[\w-]{8})?\.c?js$/, '')).sort(),
    builtins: new Set(builtins.map(name => name.replace('NativeModule ', ''))),
  };
}

const HELP = ['agentpprof', 'main', 'rolldown-runtime'];
const HEAVY = ['child_process', 'crypto', 'http', 'readline', 'v8', 'worker_threads', 'zlib'];

const UNUSUAL = ['child_process', 'fs/promises', 'http', 'readline', 'tty', 'worker_threads'];

describe('a command loads what it needs', () => {
  test.each([[['--help']], [['-h']], [['--version']]])(
    '%j loads no command and none of the modules they need',
    args => {
      const { ran, files, builtins } = loadedBy(args);
      expect([ran.code, ran.err]).toEqual([0, '']);
      expect(files).toEqual(HELP);
      expect(HEAVY.filter(name => builtins.has(name))).toEqual([]);
    },
  );

  test('a profile of a history that was read before loads one file more', () => {
    const args = ['-q', '--home', 'sample/home', '-o', join(place.path, 'out.pb.gz')];
    const first = loadedBy(args);
    const again = loadedBy(args);
    expect([first.ran.code, again.ran.code]).toEqual([0, 0]);
    expect(first.files).toContain('refresh');
    expect(again.files).toEqual([...HELP, 'usual']);
    expect(UNUSUAL.filter(name => again.builtins.has(name))).toEqual([]);
  });
});

describe('commands that are only mentioned', () => {
  const help = agentpprof(['--help']).out;
  const names = [...help.matchAll(/^ {2}([a-z]+)\b/gm)].map(found => found[1] as string);

  test('stand in the help as if they were declared', () => {
    expect(names).toEqual(expect.arrayContaining(['profile', 'sessions', 'tags', 'cache', 'cluster']));
    // Their names among the arguments have them all declared.
    const declared = agentpprof(['--agent', names.join(','), '--help', ...names.flatMap(name => ['--agent', name])]);
    expect(declared.out).toBe(help);
    expect(agentpprof(['help']).out).toBe(help);
  });

  test.each([['sessions'], ['tags'], ['cluster'], ['cache']])('%s is declared when it is asked for', name => {
    const asked = agentpprof([name, '--help']).out;
    expect(asked).toContain(`Usage: agentpprof ${name} `);
    expect(asked).not.toContain('--some');
    expect(agentpprof(['help', name]).out).toBe(asked);
  });

  test('the usual command needs no name, whatever stands before its flags', () => {
    const usual = agentpprof(['--home', 'sample/home', '--agent', 'codex', '--json']);
    expect(agentpprof(['profile', '--home', 'sample/home', '--agent', 'codex', '--json']).out).toBe(usual.out);
    expect(usual.code).toBe(0);
    expect(agentpprof(['--nonsense']).err).toContain("unknown option '--nonsense'");
  });
});

describe('how the start ends', () => {
  /** The start as it is built, with another program behind it. */
  function startOf(name: string, main: string): Ran {
    const folder = join(place.path, name);
    mkdirSync(folder);
    copyFileSync(PROGRAM, join(folder, 'agentpprof.js'));
    copyFileSync(resolve(PROGRAM, '../package.json'), join(folder, 'package.json'));
    writeFileSync(join(folder, 'main.cjs'), `exports.main = ${main};`);
    return agentpprof(['one', '--two'], { program: join(folder, 'agentpprof.js') });
  }

  test('the code that the program returns is that of the process', () => {
    const ran = startOf('code', "async (name, argv) => (console.log(name, argv.join(' ')), 3)");
    expect([ran.code, ran.out, ran.err]).toEqual([3, 'agentpprof one --two\n', '']);
  });

  test('work that stops halfway is no success', () => {
    const ran = startOf('halfway', '() => new Promise(() => {})');
    expect([ran.code, ran.out]).toEqual([13, '']);
    expect(ran.err).toBe('agentpprof: nothing is left to wait for, and the work is not done.\n');
  });

  test('an error that nobody expected is told with the place it came from', () => {
    const ran = startOf('thrown', 'async function failing() { throw new Error("unforeseen"); }');
    expect(ran.code).toBe(1);
    expect(ran.err).toMatch(/Error: unforeseen\n {4}at .*failing.*main\.cjs:1:\d+/);
  });
});
