import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { agentpprof, scratch } from './program.ts';

/** A history in SQLite whose client is another process that runs on, as it is on a person's machine. */
const place = scratch('databases');
const home = join(place.path, 'home');
const folder = join(home, '.local/share/opencode');
const database = join(folder, 'opencode.db');
const temporary = join(place.path, 'tmp');
afterAll(() => place.remove());

/** Writes one answer of 9 + 1 tokens, says so, and another at each line it is told; at the end of its input it goes. */
const CLIENT = `
const { Database } = require(${JSON.stringify(createRequire(import.meta.url).resolve('node-sqlite3-wasm'))});
const db = new Database(process.argv[1]);
db.exec("pragma locking_mode=exclusive; pragma journal_mode=wal; pragma wal_autocheckpoint=0;"
  + "create table session (id text primary key, project_id text, parent_id text, directory text, version text, title text);"
  + "create table message (id text primary key, session_id text, time_created integer, time_updated integer, data text);"
  + "create table part (id text primary key, message_id text, session_id text, time_created integer, data text);"
  + "insert into session values ('s', 'p', null, '/w/repo', '1.18.0', 't');");
let n = 0;
const answer = () => {
  n++;
  const tokens = { input: 9, output: 1, reasoning: 0, total: 10, cache: { read: 0, write: 0 } };
  const time = { created: 1795970000000 + n * 1000, completed: 1795970000900 + n * 1000 };
  db.run("insert into message values (?, 's', ?, 0, ?)", ['m' + n, n, JSON.stringify({ role: 'assistant', modelID: 'm', path: { cwd: '/w/repo' }, time, tokens })]);
  process.stdout.write('ready\\n');
};
answer();
process.stdin.on('data', data => { if (String(data).includes('lock')) { db.exec('begin exclusive'); process.stdout.write('locked\\n'); } else answer(); });
process.stdin.on('end', () => process.exit());
`;

let client: ChildProcess;
const told = async (line: string) => {
  client.stdin?.write(`${line}\n`);
  await once(client.stdout as NonNullable<typeof client.stdout>, 'data');
};

beforeEach(async () => {
  for (const path of [folder, temporary]) {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path, { recursive: true });
  }
  client = spawn(process.execPath, ['-e', CLIENT, database], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(client.stdout as NonNullable<typeof client.stdout>, 'data');
});

afterEach(async () => {
  if (client.exitCode !== null) return;
  client.stdin?.end();
  await once(client, 'exit');
});

const contents = () =>
  readdirSync(folder).map(name => [name, name.endsWith('.lock') || readFileSync(join(folder, name)).toString('hex')]);
const reconciled = () => {
  const ran = agentpprof(['reconcile', '--home', home, '--json'], { home: place.path, env: { TMPDIR: temporary } });
  return { code: ran.code, err: ran.err, total: JSON.parse(ran.out).total };
};

test('what a running client wrote last is counted, and neither its folder nor the temporary one has anything new', async () => {
  expect(existsSync(`${database}-wal`)).toBe(true);
  for (const answers of [1, 2, 3]) {
    const before = contents();
    expect(reconciled()).toMatchObject({
      code: 0,
      err: '',
      total: { calls: answers, tokens: { total: 10 * answers } },
    });
    expect([contents(), readdirSync(temporary)]).toEqual([before, []]);
    if (answers < 3) await told('more');
  }
});

test('a lock that the client holds keeps nobody out', async () => {
  await told('lock');
  const before = contents();
  expect(reconciled()).toMatchObject({ code: 0, err: '', total: { calls: 1 } });
  expect(contents()).toEqual(before);
});

test('a broken database is named and costs itself alone; one that went away is nothing', async () => {
  client.stdin?.end();
  await once(client, 'exit');
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  expect(reconciled()).toMatchObject({ code: 0, total: { files: 0, calls: 0 } });
  writeFileSync(database, Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(4080, 7)]));
  const sessions = join(home, '.codex/sessions/2026/05/04');
  mkdirSync(sessions, { recursive: true });
  const name = 'rollout-2026-10-19T13-30-00-01a1545a-cfc0-7234-a5f7-521ac926f26c.jsonl';
  const sample = join(import.meta.dirname, '../../sample/home/.codex/sessions/2026/10/19', name);
  copyFileSync(sample, join(sessions, name));
  const ran = reconciled();
  expect([ran.code, ran.total.calls > 0, readdirSync(folder)]).toEqual([0, true, ['opencode.db']]);
  expect(ran.err).toContain('opencode.db');
  expect(readdirSync(temporary)).toEqual([]);
});
