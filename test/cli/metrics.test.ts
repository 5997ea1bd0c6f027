import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { listenAddress, serveMetrics } from '../../src/cli/metrics-server.ts';
import { startOf } from '../../src/recorder/recording.ts';
import { parsed } from '../exports/openmetrics-parser.ts';
import { headerOf, writeStory } from '../recorder/story.ts';
import { agentpprof, PROGRAM, scratch } from './program.ts';

const place = scratch('metrics');
afterAll(() => place.remove());
const FIXTURE = resolve(import.meta.dirname, '../fixtures/claude-code/projects');

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Starts the built program and gives its address once it has printed it. */
async function serving(home: string, ...args: string[]): Promise<{ url: string; child: ChildProcess }> {
  const env = { ...process.env, HOME: home, TZ: 'UTC', AGENTPPROF_ID_KEY: '00'.repeat(32) };
  const child = spawn(process.execPath, [PROGRAM, 'metrics', '--listen', '127.0.0.1:0', '--every', '1', ...args], {
    env,
  });
  children.push(child);
  const url = await new Promise<string>((done, fail) => {
    let said = '';
    child.stderr?.on('data', chunk => {
      said += chunk;
      const found = /http:\/\/\S+\/metrics/.exec(said)?.[0];
      if (found) done(found);
    });
    child.once('exit', () => fail(new Error(said)));
  });
  return { url, child };
}

async function scraped(url: string) {
  const response = await fetch(url);
  expect(response.headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  return parsed(await response.text());
}

/** Scrapes again and again until what is waited for is there; the test's own time limit ends it. */
async function until(url: string, holds: (got: ReturnType<typeof parsed>) => boolean) {
  for (;;) {
    const got = await scraped(url);
    if (holds(got)) return got;
    await new Promise(done => setTimeout(done, 200));
  }
}

describe('agentpprof metrics', () => {
  const home = join(place.path, 'home');
  const projects = join(home, '.claude/projects/-w');
  mkdirSync(projects, { recursive: true });
  const answer = (id: string, model = 'claude-opus-4-1') =>
    `${JSON.stringify({
      type: 'assistant',
      uuid: id,
      sessionId: '11111111-1111-4111-8111-111111111111',
      timestamp: '2026-11-01T00:00:00Z',
      cwd: '/w',
      message: {
        id,
        model,
        role: 'assistant',
        content: [{ type: 'text', text: 'x' }],
        usage: { input_tokens: 100, output_tokens: 10 },
      },
    })}\n`;
  const file = join(projects, '11111111-1111-4111-8111-111111111111.jsonl');
  const old = join(projects, '22222222-2222-4222-8222-222222222222.jsonl');
  const calls = 'agentpprof_calls_total{agent="claude-code",model="claude-opus-4-1"}';

  test('serves what export writes, and more as sessions grow; no counter ever goes down', async () => {
    writeFileSync(file, answer('m1') + answer('m2', 'a"b\\c\u001b[31m'));
    writeFileSync(old, answer('o1').replaceAll('1111', '2222'));
    utimesSync(old, 1e6, 1e6);
    const { url, child } = await serving(home);
    const first = await scraped(url);
    const exported = agentpprof(['export', '--format', 'openmetrics', '-o', '-', '--no-cache', '-q'], { home });
    for (const [key, value] of parsed(exported.out.replaceAll('\u001b', '\\\\x1b')).samples)
      expect([key, first.samples.get(key)]).toEqual([key, value]);
    expect(first.samples.get(calls)).toBe(2);
    expect([...first.labels.values()].map(each => each.model)).toContain('a"b\\c\\x1b[31m');

    let before = first;
    const stays = (now: typeof first) => {
      for (const [key, value] of before.samples)
        if (!key.includes('running')) expect(now.samples.get(key)).toBeGreaterThanOrEqual(value);
      before = now;
    };
    appendFileSync(file, answer('m3'));
    stays(await until(url, got => got.samples.get(calls) === 3));
    appendFileSync(old, answer('o2').replaceAll('1111', '2222'));
    stays(await until(url, got => got.samples.get(calls) === 4));
    writeFileSync(file, answer('m1'));
    appendFileSync(old, answer('o3').replaceAll('1111', '2222'));
    await new Promise(done => setTimeout(done, 1100));
    stays(await scraped(url));
    const ended = new Promise(done => child.once('exit', done));
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  }, 60_000);

  test('counts the processes of recordings under way, by what is recorded', async () => {
    const dir = join(place.path, 'recordings');
    mkdirSync(dir);
    const id = '20261101T000000Z-00c0de';
    writeStory(dir, '0 1 exec claude\n1 1 fork 2\n2 2 exec false\n3 2 exit 1\n4 1 fork 3', headerOf(id));
    writeFileSync(join(dir, `${id}.running`), JSON.stringify({ pid: process.pid, start: startOf(process.pid) }));
    const { url } = await serving(place.path, '--session-dir', FIXTURE, '--recordings', dir, '--no-cache');
    const { samples, types } = await scraped(url);
    expect(['running', 'started', 'failed'].map(name => types.get(`agentpprof_processes_${name}`))).toEqual([
      'gauge',
      'counter',
      'counter',
    ]);
    expect(samples.get('agentpprof_processes_running{agent="claude"}')).toBe(2);
    expect(samples.get('agentpprof_processes_started_total{agent="claude"}')).toBe(3);
    expect(samples.get('agentpprof_processes_failed_total{agent="claude"}')).toBe(1);
    expect([...samples.keys()].some(key => key.startsWith('agentpprof_tokens_total'))).toBe(true);
  }, 60_000);

  test.each<[string, string[], RegExp]>([
    ['an address that others reach', ['--listen', '0.0.0.0:0'], /--listen: 0\.0\.0\.0 can be reached .* --anywhere/],
    ['a name', ['--listen', 'example.com:1'], /--listen: example\.com is no IP address/],
    ['no port', ['--listen', '127.0.0.1'], /--listen: 127\.0\.0\.1 is no address/],
    ['never', ['--every', '0'], /--every: 0 is no number of seconds/],
    ['a home there is not', ['--home', '/nowhere'], /--home: there is no directory/],
  ])('%s is wrong usage', (_, args, message) => {
    const ran = agentpprof(['metrics', ...args], { home: place.path });
    expect([ran.code, ran.out]).toEqual([2, '']);
    expect(ran.err).toMatch(message);
  });
});

describe('the server', () => {
  test.each<[string, string, number]>([
    ['9464', '127.0.0.1', 9464],
    ['localhost:1', 'localhost', 1],
    ['127.3.4.5:80', '127.3.4.5', 80],
    ['[::1]:80', '::1', 80],
  ])('%s is an address of this machine', (given, host, port) =>
    expect(listenAddress(given, '--listen', false)).toEqual({ host, port }),
  );

  test.each(['', ':', '[]:1', '127.0.0.1:99999', '10.0.0.1:80', '[::]:80', '*:80', '127.0.0.1:80:80'])(
    '%j is none',
    given => expect(() => listenAddress(given, '--listen', false)).toThrow(/--listen/),
  );

  test('others may be allowed', () => {
    expect(listenAddress('0.0.0.0:80', '--listen', true)).toEqual({ host: '0.0.0.0', port: 80 });
  });

  const asked = (port: number, headers: Record<string, string>, method = 'GET', path = '/metrics') =>
    new Promise<number>((done, fail) => {
      request({ host: '127.0.0.1', port, headers, method, path }, response => {
        response.resume();
        done(response.statusCode ?? 0);
      })
        .on('error', fail)
        .end();
    });

  test('makes the text once for all that ask within its time, again after a failure, and refuses pages', async () => {
    let made = 0;
    const text = async () => {
      if (made++ === 0) throw new Error('/home/mallory');
      return '# EOF\n';
    };
    const server = await serveMetrics({ host: '127.0.0.1', port: 0 }, { text, floor: 1e9, flag: '--listen' });
    const host = `127.0.0.1:${server.port}`;
    expect(await asked(server.port, { host })).toBe(500);
    expect(await Promise.all([1, 2, 3].map(() => asked(server.port, { host })))).toEqual([200, 200, 200]);
    expect(made).toBe(2);
    expect(await asked(server.port, { host: 'attacker.example' })).toBe(403);
    expect(await asked(server.port, { host, origin: 'http://attacker.example' })).toBe(403);
    expect(await asked(server.port, { host }, 'POST')).toBe(405);
    expect(await asked(server.port, { host }, 'GET', '/')).toBe(404);
    const taken = { host: '127.0.0.1', port: server.port };
    await expect(serveMetrics(taken, { text, floor: 1, flag: '--listen' })).rejects.toThrow(/something else listens/);
    await server.close();
  });
});

describe('the strict parser of these tests', () => {
  const good = '# TYPE a counter\n# HELP a x\na_total{b="c\\"\\n"} 1\n# EOF\n';
  test('takes what is right', () => expect(parsed(good).samples.get('a_total{b="c\\"\\n"}')).toBe(1));
  test.each([
    good.replace('# EOF\n', ''),
    good.replace('a_total', 'a'),
    good.replace('b="c', 'b="\\c'),
    good.replace('} 1', '} -1'),
    good.replace('a_total{', 'a_total {'),
    good.replace('# EOF', 'a_total{b="c\\"\\n"} 1\n# EOF'),
    good.replace('# EOF', '# TYPE b counter\n# TYPE a counter\n# EOF'),
    good.replace('# HELP', '\n# HELP'),
  ])('refuses %j', text => expect(() => parsed(text)).toThrow());
});

describe('agentsight record --metrics', () => {
  const AGENTSIGHT = resolve(PROGRAM, '../agentsight.js');

  test('serves while the command runs, and is gone with it', async () => {
    const port = await new Promise<number>(done => {
      const probe = createServer().listen(0, '127.0.0.1', () => {
        const { port } = probe.address() as AddressInfo;
        probe.close(() => done(port));
      });
    });
    const url = `http://127.0.0.1:${port}/metrics`;
    const env = { ...process.env, HOME: join(place.path, 'recorded') };
    mkdirSync(env.HOME, { recursive: true });
    const wait = 'until [ -e stop ]; do sleep 0.1; done; exit 3';
    const out = ['--quiet', '--out', 'run', '--engine', 'none', '--metrics', `127.0.0.1:${port}`];
    const child = spawn(process.execPath, [AGENTSIGHT, 'record', ...out, '--', 'sh', '-c', wait], {
      env,
      cwd: env.HOME,
    });
    children.push(child);
    const ended = new Promise(done => child.once('exit', done));
    const answers = () =>
      fetch(url).then(
        response => response.status,
        () => 0,
      );
    while ((await answers()) !== 200) await new Promise(done => setTimeout(done, 100));
    writeFileSync(join(env.HOME, 'stop'), '');
    expect(await ended).toBe(3);
    while ((await answers()) !== 0) await new Promise(done => setTimeout(done, 100));
  }, 60_000);

  test.each(['0.0.0.0:9464', 'x'])('--metrics %s is refused before the command runs', given => {
    const out = join(place.path, 'never');
    const ran = spawnSync(process.execPath, [AGENTSIGHT, 'record', '--metrics', given, '--', 'touch', out]);
    expect([ran.status, existsSync(out)]).toEqual([2, false]);
    expect(ran.stderr.toString()).toMatch(/^agentsight: --metrics: /);
  });
});
