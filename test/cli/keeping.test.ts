import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { agentpprof, scratch } from './program.ts';

const place = scratch('keeping');
afterAll(() => place.remove());

const SESSION = 'home/.claude/projects/-srv-web/aaaa1111-0000-4000-8000-000000000001.jsonl';
const session = join(place.path, SESSION);
const row = (id: string, output: number) =>
  `${JSON.stringify({
    type: 'assistant',
    uuid: id,
    timestamp: '2026-11-01T10:00:00.000Z',
    sessionId: 'aaaa1111-0000-4000-8000-000000000001',
    cwd: '/srv/web',
    version: '2.1.0',
    requestId: `req_${id}`,
    message: {
      id: `msg_${id}`,
      role: 'assistant',
      model: 'claude-sonnet-4-5-20250929',
      content: [],
      usage: { input_tokens: 1, output_tokens: output },
    },
  })}\n`;

const own = join(place.path, 'home');
const env = {
  HOME: own,
  XDG_CACHE_HOME: join(own, '.cache'),
  XDG_DATA_HOME: join(own, '.local/share'),
  XDG_CONFIG_HOME: join(own, '.config'),
  XDG_STATE_HOME: join(own, '.local/state'),
};
const archive = join(own, '.local/share/agentpprof/archive');
const cache = join(own, '.cache/agentpprof');
const run = (...args: string[]) => agentpprof(args, { env });
const json = (...args: string[]) => JSON.parse(run(...args, '--json').out);
const output = () => json('reconcile').total.tokens.output as number;

beforeEach(() => {
  rmSync(own, { recursive: true, force: true });
  mkdirSync(dirname(session), { recursive: true });
  writeFileSync(session, row('a', 10) + row('b', 20));
});

describe('agentpprof archive', () => {
  test('keeps what its agent deletes, and counts it once before and after', () => {
    expect(output()).toBe(30);
    expect(json('archive').total).toMatchObject({ files: 1, new: 1, failed: 0 });
    expect(output()).toBe(30);
    appendFileSync(session, row('c', 40));
    expect(output()).toBe(70);
    expect(json('archive').total).toMatchObject({ again: 1 });
    rmSync(session);
    expect(output()).toBe(70);
    expect(json('archive').total).toMatchObject({ files: 0, only_here: 1 });
    expect(run('doctor').out).toMatch(/archive +searched|archive.*found/);
  });

  test('says what it would do and writes nothing with --dry-run', () => {
    const ran = run('archive', '--dry-run');
    expect([ran.code, ran.err]).toEqual([0, '']);
    expect(ran.out).toMatch(/claude-code +1 +1 +0/);
    expect(() => statSync(archive)).toThrow();
  });

  test('leaves young files with --older-than, and says so', () => {
    const ran = run('archive', '--older-than', '20d');
    expect(ran.out).toMatch(/only files last changed before 20d/);
    expect(json('archive', '--older-than', '20d').total).toMatchObject({ young: 1, new: 0 });
  });

  test('leads from a frame to the bytes of a copy', () => {
    run('archive', '-q');
    rmSync(session);
    const found = json('explain', 'agent:claude-code', '--view', 'tokens', '--include-previews').shown;
    expect(found.map((each: { bytes: number }) => each.bytes)).toEqual([
      row('a', 10).length - 1,
      row('b', 20).length - 1,
    ]);
    expect(found[0].file).toContain('archive/files');
    expect(found[0].preview).toContain('msg_a');
  });

  test('shows no home path', () => {
    for (const args of [['archive'], ['archive', '--json'], ['archive', '--dry-run']])
      expect(run(...args).out).not.toContain(own);
  });

  test('names a file that cannot be copied, copies the others and fails', () => {
    const other = join(dirname(session), 'bbbb1111-0000-4000-8000-000000000001.jsonl');
    writeFileSync(other, row('z', 1));
    // Where the copy would lie there is a directory.
    mkdirSync(`${join(archive, 'files', other)}.gz`, { recursive: true, mode: 0o700 });
    chmodSync(archive, 0o700);
    const ran = run('archive');
    expect(ran.code).toBe(1);
    expect(ran.err).toMatch(/not kept: .*bbbb1111.*: E/);
    expect(json('archive').total).toMatchObject({ same: 1, failed: 1 });
  });

  test.each([
    [['--older-than', 'soon'], /--older-than: cannot read "soon"/],
    [['--agent', 'nobody'], /--agent: there is no agent "nobody"/],
    [['--home', '/nowhere/at/all'], /--home: there is no directory/],
  ])('%s is wrong usage', (args, message) => {
    const ran = run('archive', ...args);
    expect([ran.code, ran.out]).toEqual([2, '']);
    expect(ran.err).toMatch(message);
  });
});

describe('agentpprof cache', () => {
  test('shows what is stored, in words and as JSON, without a home path', () => {
    expect(run('cache').out).toBe('~/.cache/agentpprof: nothing is stored\n');
    output();
    const ran = run('cache', 'status');
    expect([ran.code, ran.err]).toEqual([0, '']);
    expect(ran.out).toMatch(/1 stored history/);
    expect(ran.out).toMatch(/~ +whole/);
    const status = json('cache', 'status');
    expect(status).toMatchObject({ schema: 'agentpprof.cache/1', directory: '~/.cache/agentpprof', unfinished: 0 });
    expect(status.packs[0]).toMatchObject({
      state: 'whole',
      files: 1,
      operations: expect.any(Number),
      searched: ['~'],
    });
    expect(status.packs[0].history_bytes).toBe(statSync(session).size);
    expect(ran.out + JSON.stringify(status)).not.toContain(own);
  });

  test('tells damage, with exit code 1', () => {
    output();
    const pack = join(cache, readdirSync(cache)[0] as string);
    const bytes = readFileSync(pack);
    bytes[40] = (bytes[40] as number) ^ 1;
    writeFileSync(pack, bytes);
    expect(run('cache').code).toBe(1);
    expect(json('cache').packs[0].state).toBe('damaged');
    writeFileSync(pack, bytes.subarray(0, -10));
    expect(json('cache').packs[0].state).toBe('damaged');
    expect(run('reconcile').err).toContain('the stored history was damaged');
    expect(json('cache').packs[0].state).toBe('whole');
  });

  test('clear removes the packs and what models and clusters left, and nothing else', () => {
    output();
    for (const folder of ['clusters', 'llm']) {
      mkdirSync(join(cache, folder), { mode: 0o700 });
      writeFileSync(join(cache, folder, 'answer.json'), '{}');
    }
    writeFileSync(join(cache, 'mine.txt'), 'mine');
    expect(json('cache').beside).toEqual([
      { folder: 'clusters', files: 1, bytes: 2 },
      { folder: 'llm', files: 1, bytes: 2 },
    ]);
    expect(run('cache').out).toContain('\nllm: 1 file, 2 B\n');
    expect(json('cache', 'clear')).toMatchObject({ removed: 3, removed_bytes: expect.any(Number) });
    expect(readdirSync(cache)).toEqual(['clusters', 'llm', 'mine.txt']);
    expect(run('cache', 'clear').out).toMatch(/nothing to remove/);
    expect(output()).toBe(30);
  });

  test('is not used where others could read it', () => {
    output();
    chmodSync(cache, 0o755);
    expect(run('cache').out).toMatch(/others can see it/);
  });
});
