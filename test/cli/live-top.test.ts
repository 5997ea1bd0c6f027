import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { startOf } from '../../src/recorder/recording.ts';
import { headerOf, writeStory } from '../recorder/story.ts';
import { PROGRAM, scratch } from './program.ts';

const AGENTSIGHT = resolve(PROGRAM, '../agentsight.js');
const place = scratch('live-top');
afterAll(() => place.remove());

const EVIL = '\u001b[31mevil\u202e\u0007';
const ID = '11111111-1111-4111-8111-111111111111';
const now = () => new Date().toISOString();
const answer = (id: string, content: object[]) =>
  `${JSON.stringify({
    type: 'assistant',
    uuid: id,
    sessionId: ID,
    timestamp: now(),
    cwd: `/w/${EVIL}`,
    message: {
      id,
      model: 'claude-opus-4-1',
      role: 'assistant',
      content,
      usage: { input_tokens: 5000, output_tokens: 10 },
    },
  })}\n`;
const asks = (id: string, command: string) =>
  answer(id, [{ type: 'tool_use', id: `tool-${id}`, name: 'Bash', input: { command } }]);

let homes = 0;
/** A home with one session, in which a tool call runs. */
function home(): { path: string; file: string; env: NodeJS.ProcessEnv } {
  const path = join(place.path, `home-${homes++}`);
  const projects = join(path, '.claude/projects/-w');
  mkdirSync(projects, { recursive: true });
  const file = join(projects, `${ID}.jsonl`);
  writeFileSync(
    file,
    answer('m1', [{ type: 'text', text: 'x' }]) + asks('m2', `sleep 60 ${EVIL} # sk-ant-api03-${'x'.repeat(80)}`),
  );
  const env = { ...process.env, HOME: path, XDG_STATE_HOME: '', XDG_CACHE_HOME: '', TERM: 'xterm', COLUMNS: '140' };
  return { path, file, env: { ...env, AGENTPPROF_ID_KEY: '00'.repeat(32) } };
}

const top = (env: NodeJS.ProcessEnv, ...args: string[]) =>
  spawnSync(process.execPath, [AGENTSIGHT, 'top', ...args], { env, encoding: 'utf8' });

describe('agentsight top once', () => {
  test('lists sessions; no name acts on a terminal, no secret is in it', () => {
    const { out, code } = (({ stdout, status }) => ({ out: stdout, code: status }))(top(home().env, '--once'));
    expect(code).toBe(0);
    expect(out).toMatch(/claude-code +claude-opus-4-1 .* Bash 0:0\d {2}sleep 60/);
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]|sk-ant-api03/);
  });

  test('is what a pipe gets without --once, too', () => {
    const { stdout, status } = top(home().env);
    expect([status, stdout.split('\n').length]).toEqual([0, 4]);
  });

  test('--json has numbers, and no command', () => {
    const { stdout } = top(home().env, '--json');
    const { schema, sessions, recordings } = JSON.parse(stdout);
    expect([schema, sessions.length, recordings]).toEqual(['agentsight.top/1', 1, []]);
    expect(sessions[0]).toMatchObject({
      agent: 'claude-code',
      calls: 2,
      doing: 'tool',
      tokens: 10_020,
      context_tokens: 5000,
    });
    expect(sessions[0].running.map((each: { tool: string }) => each.tool)).toEqual(['Bash']);
    expect(sessions[0].id).toMatch(/^s-[0-9a-f]{10}$/);
    expect(stdout).not.toMatch(/sleep|sk-ant|\u001b|\u202e/);
  });

  test('shows recordings under way; a process number that another process has by now is not shown', () => {
    const { path, env } = home();
    const dir = join(path, 'run');
    mkdirSync(dir);
    const id = '20261101T000000Z-00c0de';
    const own = { ...headerOf(id), engine: { name: 'none' as const, version: '0' } };
    // The recorder of this recording is this test. Its process began at another time than the one that is recorded.
    writeStory(
      dir,
      `0 ${process.pid} exec claude\n1 ${process.pid} fork 4194303\n2 ${process.pid} connect 10.0.0.1:443`,
      own,
    );
    writeFileSync(join(dir, `${id}.running`), JSON.stringify({ pid: process.pid, start: startOf(process.pid) }));
    const { recordings } = JSON.parse(top(env, '--json', '--recordings', dir).stdout);
    expect(recordings).toMatchObject([{ id, program: 'claude', engine: 'none', started: 2, processes: [] }]);
    const [listed] = top(env, '--once', '--recordings', dir)
      .stdout.split('\n')
      .filter(line => line.includes('recording'));
    expect(listed).toContain('of 2 processes run');
  });

  test('what is not heard of within the time is left out', () => {
    const { env } = home();
    expect(JSON.parse(top(env, '--json', '--filter', 'x', '--within', '6h').stdout).sessions.length).toBe(1);
    expect(top(env, '--once', '--filter', 'nobody').stdout).toContain('no session matches the filter');
  });

  test.each<[string[], RegExp]>([
    [['--sort', 'name'], /--sort name: one of activity, tokens/],
    [['--within', 'soon'], /--within soon: a time such as 30m/],
    [['--home', '/nowhere'], /--home: there is no directory/],
  ])('%j is wrong usage', (args, message) => {
    const { status, stdout, stderr } = top(home().env, '--once', ...args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });
});

const hasScript = (() => {
  try {
    execFileSync('script', ['-qec', 'true', '/dev/null'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
})();

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** The program in a terminal of its own; then the state of that terminal. */
function terminal(env: NodeJS.ProcessEnv, ...args: string[]) {
  const inner = `echo pid $$; exec '${process.execPath}' '${AGENTSIGHT}' top ${args.join(' ')}`;
  const child = spawn(
    'script',
    ['-qec', `sh -c "${inner.replaceAll('$', '\\$')}"; echo code $?; stty -a`, '/dev/null'],
    { env },
  );
  children.push(child);
  let out = '';
  let wake = () => {};
  child.stdout.on('data', chunk => {
    out += chunk;
    wake();
  });
  const closed = new Promise<string>(done => child.on('close', () => done(out)));
  return {
    /** Waits until the screen has shown this since `from`; the test's own time limit ends it. */
    async shows(what: RegExp, from = 0): Promise<RegExpExecArray> {
      for (;;) {
        const found = what.exec(out.slice(from));
        if (found) return found;
        await new Promise<void>(done => {
          wake = done;
        });
      }
    },
    types: (keys: string) => child.stdin.write(keys),
    get at() {
      return out.length;
    },
    closed,
  };
}

describe.skipIf(!hasScript)('agentsight top in a terminal', () => {
  const restored = (out: string) => {
    expect(out).toContain('\u001b[?25h\u001b[?1049l');
    const after = out.slice(out.lastIndexOf('\u001b[?1049l'));
    expect(after).toMatch(/[^-]icanon/);
    expect(after).toMatch(/[^-]echo\b/);
    return /code (\d+)/.exec(after)?.[1];
  };

  test('shows what happens while it runs, obeys its keys, and q gives the terminal back', async () => {
    const { file, env } = home();
    const screen = terminal({ ...env, NO_COLOR: '' });
    await screen.shows(/1 session, 1 at work/);
    let from = screen.at;
    screen.types('s');
    await screen.shows(/s sort: tokens/, from);
    from = screen.at;
    screen.types('\r');
    await screen.shows(/last heard of/, from);
    from = screen.at;
    screen.types('\u001b');
    await screen.shows(/PROJECT/, from);
    from = screen.at;
    screen.types('/nobody');
    await screen.shows(/no session matches/, from);
    from = screen.at;
    screen.types('\u001b');
    await screen.shows(/Bash/, from);
    from = screen.at;
    appendFileSync(file, answer('m3', [{ type: 'text', text: 'x' }]));
    await screen.shows(/waits 0:\d\d/, from);
    screen.types('q');
    expect(restored(await screen.closed)).toBe('0');
  }, 60_000);

  test.each([
    ['SIGTERM', '143'],
    ['SIGHUP', '129'],
    ['SIGINT', '130'],
  ] as const)(
    '%s gives the terminal back',
    async (signal, code) => {
      const screen = terminal(home().env);
      const pid = Number((await screen.shows(/pid (\d+)\r?\n/))[1]);
      await screen.shows(/at work/);
      process.kill(pid, signal);
      expect(restored(await screen.closed)).toBe(code);
    },
    60_000,
  );

  test('Ctrl-C ends it like q, and with NO_COLOR nothing is coloured', async () => {
    const screen = terminal({ ...home().env, NO_COLOR: '1' });
    await screen.shows(/1 session, 1 at work/);
    screen.types('\u0003');
    const out = await screen.closed;
    expect(restored(out)).toBe('0');
    expect(out).not.toMatch(/\u001b\[\d*m/);
    const coloured = terminal({ ...home().env, NO_COLOR: '' });
    await coloured.shows(/1 session, 1 at work/);
    coloured.types('q');
    expect(await coloured.closed).toMatch(/\u001b\[7m>/);
  }, 60_000);
});
