import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerEach, chatReply, type Scripted, scriptedServer } from '../llm/server.ts';
import { scratch } from './program.ts';
import { running } from './running.ts';

const place = scratch('taggers');
const at = (name: string) => join(place.path, name);
const SECRET = `ghp_${'a1B2c3D4'.repeat(4)}`;
const PROMPTS = [
  'the login page answers 500',
  `修一下登录, token ${SECRET}`,
  'ok',
  'add a legend to the chart',
  'why is the sky blue',
];

beforeAll(() => {
  const folder = at('home/.claude/projects/-home-alice-web');
  mkdirSync(folder, { recursive: true });
  const rows = PROMPTS.flatMap((content, n) => [
    {
      type: 'user',
      uuid: `u${n}`,
      timestamp: `2026-11-01T10:0${n}:00.000Z`,
      sessionId: 's1',
      cwd: '/home/alice/web',
      version: '2.1.0',
      message: { role: 'user', content },
    },
    {
      type: 'assistant',
      uuid: `a${n}`,
      timestamp: `2026-11-01T10:0${n}:05.000Z`,
      sessionId: 's1',
      version: '2.1.0',
      message: {
        id: `m${n}`,
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        stop_reason: 'end_turn',
        content: [{ type: 'text', text: 'done' }],
        usage: { input_tokens: 10, output_tokens: 5 },
      },
    },
  ]);
  writeFileSync(join(folder, 's1.jsonl'), `${rows.map(row => JSON.stringify(row)).join('\n')}\n`);
});
afterAll(() => place.remove());

const FOLD = ['--stack', 'prompt', '-o', '-', '--view', 'operations'];
/** Prompts and calls by tag. */
const counts = (out: string) =>
  Object.fromEntries(
    out
      .trim()
      .split('\n')
      .map(line => [line.split(' ').slice(0, -1).join(' ').replace('prompt:', ''), Number(line.split(' ').at(-1))]),
  );

const VOCABULARY = {
  tags: [
    { tag: 'Login Work', description: 'x' },
    { tag: 'charts', description: 'y' },
  ],
};
const tagOf = (text: string) => ({
  tag: /login|登录/.test(text) ? 'login-work' : /chart/.test(text) ? 'charts' : 'other',
});
const model: Scripted = asked =>
  String(asked.body.messages[0].content).includes('Propose') ? chatReply(VOCABULARY) : answerEach(asked, tagOf);

describe('--tagger llm', () => {
  test('proposes a vocabulary once, tags with it, and needs no server afterwards', async () => {
    const server = await scriptedServer(model);
    const env = { HOME: at('one') };
    mkdirSync(at('one'));
    const args = ['--home', at('home'), '--tagger', 'llm', '--llm-url', server.url, ...FOLD];
    const ran = await running(args, env);
    expect([ran.code, counts(ran.out)]).toEqual([0, { 'login-work': 6, charts: 2, unmatched: 2 }]);
    expect(server.asked('/v1/chat/completions')).toHaveLength(2);
    const sent = JSON.stringify(server.asked());
    for (const canary of [SECRET, 'alice', '"ok"']) expect(sent).not.toContain(canary);
    await server.close();
    expect((await running(args, env)).out).toBe(ran.out);
  });

  test('--tag-cache keeps what was answered, hybrid goes on from it, and the comments tell the shares', async () => {
    const server = await scriptedServer(model);
    const cache = at('tags.json');
    const args = ['--home', at('home'), '--tag-cache', cache];
    const asking = ['--tagger', 'llm', '--llm-url', server.url, '--llm-model', 'tiny', '--no-cache', ...FOLD];
    const ran = await running([...args, ...asking], { HOME: at('one') });
    await server.close();
    expect(statSync(cache).mode & 0o777).toBe(0o600);
    expect(readFileSync(cache, 'utf8')).not.toContain('sky');
    const rules = at('none.yaml');
    writeFileSync(rules, 'version: 1\nrules: []\n');
    const warm = await running([...args, '--tag-rules', rules, ...FOLD], { HOME: at('one') });
    expect(counts(warm.out)).toEqual(counts(ran.out));
    const facts = JSON.parse((await running([...args, '--tag-rules', rules, '--json'], { HOME: at('one') })).out);
    expect(facts.tags.decided_by).toEqual({ cache: 3, turn: 1 });
    expect(facts.comments).toContain('tags decided by: the tag cache 3, continuation 1');
  });

  test("a vocabulary of one's own is closed, and rules decide before the model is asked", async () => {
    const server = await scriptedServer(asked => answerEach(asked, () => ({ tag: 'charts' })));
    const rules = at('own.yaml');
    writeFileSync(
      rules,
      'version: 1\nrules:\n  - { tag: access, words: [login, 登录] }\n  - { tag: charts, words: [zxqv] }\n',
    );
    const args = [
      '--home',
      at('home'),
      '--tagger',
      'llm',
      '--llm-url',
      server.url,
      '--model',
      'big',
      '--tag-rules',
      rules,
    ];
    const ran = await running([...args, ...FOLD], { HOME: at('one') });
    expect(counts(ran.out)).toEqual({ access: 6, charts: 4 });
    const [asked] = server.asked('/v1/chat/completions');
    expect(asked?.body.model).toBe('big');
    expect(
      asked?.body.response_format.json_schema.schema.properties.answers.items.properties.answer.properties.tag.enum,
    ).toEqual([...['access', 'charts', 'other']]);
    await server.close();
  });

  test('--dry-run prints what would be sent and sends nothing', async () => {
    const server = await scriptedServer(() => undefined);
    const args = [
      '--home',
      at('home'),
      '--tagger',
      'llm',
      '--llm-url',
      server.url,
      '--llm-model',
      'gpt-4o-mini',
      '--dry-run',
    ];
    const ran = await running(args, { HOME: at('two') });
    expect([ran.code, ran.err]).toEqual([0, '']);
    expect(ran.out).toMatch(/about [\d,]+ tokens in and [\d,]+ out, about \$0\.\d+; nothing was sent/);
    expect(ran.out).toContain('the login page answers 500');
    expect(ran.out).not.toContain(SECRET);
    const facts = JSON.parse((await running([...args, '--json'], { HOME: at('two') })).out);
    expect(facts).toMatchObject({ schema: 'agentpprof.dry-run/1', items: 4, cached: 0, model: 'gpt-4o-mini' });
    expect(server.asked('/v1/chat/completions')).toEqual([]);
    await server.close();
  });

  test('without a server it says so and what to do; without an address it is wrong usage', async () => {
    const server = await scriptedServer(() => undefined);
    await server.close();
    const gone = await running(['--home', at('home'), '--tagger', 'llm', '--llm-url', server.url], { HOME: at('two') });
    expect([gone.code, gone.out]).toEqual([1, '']);
    expect(gone.err).toContain(`--llm-url: no server answers at ${server.url} (ECONNREFUSED)`);
    const none = await running(['--home', at('home'), '--tagger', 'llm'], { HOME: at('two') });
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('--llm-url')]);
  });
});

describe('--tagger cluster', () => {
  test('gives the same tags again, and keeps to its cache', async () => {
    const cache = at('clusters.json');
    const args = ['--home', at('home'), '--tagger', 'cluster', ...FOLD];
    const first = await running(args, { HOME: at('three') });
    expect(Object.values(counts(first.out)).reduce((sum, n) => sum + n, 0)).toBe(10);
    const again = await running([...args, '--tag-cache', cache], { HOME: at('three') });
    expect(again.out).toBe(first.out);
    const bytes = readFileSync(cache, 'utf8');
    expect(bytes).not.toContain('the login page');
    expect((await running([...args, '--tag-cache', cache], { HOME: at('three') })).out).toBe(first.out);
    expect(readFileSync(cache, 'utf8')).toBe(bytes);
  });

  test.each([
    [['--tagger', 'magic'], '--tagger: there is no tagger "magic"'],
    [['--tag-cache', '/nowhere/x.json'], '--tag-cache /nowhere/x.json: there is no such file'],
    [['--tag-confidence', '2'], '--tag-confidence'],
    [['--dry-run'], '--dry-run'],
  ])('%j is wrong usage', async (args, said) => {
    const ran = await running(['--home', at('home'), ...args], { HOME: at('three') });
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(said)]);
  });
});
