import { describe, expect, test } from 'vitest';
import { accepts, companion, roots } from '../../../src/sources/cline/paths.ts';
import { cline } from '../../../src/sources/cline/reader.ts';
import { drawn, FIXTURES, filesBelow, readAll, readFiles, tokensByModel, touched } from '../reading.ts';

let ids = 0;
const message = (seconds: number, role: string, content: unknown, more: object = {}) => ({
  id: `i${++ids}`,
  role,
  content,
  ts: 1.8e12 + seconds * 1000,
  ...more,
});
const says = (seconds: number, text: string) =>
  message(seconds, 'user', [{ type: 'text', text: `<user_input mode="act">${text}</user_input>` }]);
const metrics = (inputTokens: number, cacheReadTokens: number, outputTokens: number) => ({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheWriteTokens: 0,
});
const answers = (seconds: number, blocks: object[], counts: object | undefined = metrics(10, 4, 2)) =>
  message(seconds, 'assistant', blocks, { modelInfo: { id: 'm' }, ...(counts ? { metrics: counts } : {}) });
const uses = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input });
const returns = (seconds: number, id: string, content: unknown) =>
  message(seconds, 'user', [{ type: 'tool_result', tool_use_id: id, content }]);
const lead = (...messages: unknown[]) => ({
  version: 1,
  agent: 'lead',
  sessionId: 's1',
  origin: { mode: 'user', sessionId: 's1', version: '3.0.65' },
  messages,
});
const LEAD = '/h/.cline/data/sessions/s1/s1.messages.json';
const read = (document: object, beside: Record<string, unknown> = {}) =>
  readAll(cline, { [LEAD]: [document] }, [], beside);

describe('usage', () => {
  test('cached input is a part of the input', () => {
    expect(
      drawn(read(lead(says(0, 'Go'), answers(2, [{ type: 'text', text: 'ok' }], metrics(100, 60, 9)))), {
        times: true,
      }),
    ).toEqual(['prompt "Go" 0..0', '  call m 40+60+0+9+0 0..2']);
  });

  test('an answer without counts is unknown, an error that is only shown is no answer', () => {
    const shown = message(2, 'assistant', [{ type: 'text', text: 'quota of me@x.y' }], {
      metadata: { displayOnly: true, displayRole: 'error' },
    });
    const bare = message(3, 'assistant', [], {});
    expect(drawn(read(lead(says(0, 'Go'), shown, bare)))).toEqual([
      'prompt "Go"',
      '  event api-error error api-error',
      '  call - ?',
    ]);
  });

  test('answers that do not sum to what the session says are told', () => {
    const status = (usage: object) => ({
      's1.json': { cwd: '/w', model: 'm', metadata: { git: { branch: 'main' }, usage } },
    });
    const document = lead(says(0, 'Go'), answers(1, []), answers(2, []));
    expect(read(document, status(metrics(20, 8, 4))).ledgers[0]?.notes).toEqual([]);
    expect(read(document, status(metrics(30, 8, 4))).ledgers[0]?.notes).toHaveLength(1);
    expect(read(document, status({})).ops.sessions.all[0]).toMatchObject({ cwd: '/w' });
  });
});

describe('what was typed', () => {
  test.each([
    ['<user_input mode="plan">Go on</user_input>', 'prompt "Go on"'],
    ['<user_input mode="act">Go</user_input>\n<files>x</files>', 'prompt "Go"'],
    ['plain words', 'prompt "plain words"'],
    ['<environment_details>x</environment_details>', 'event message'],
    ['[client] a file changed', 'event message'],
  ])('%s', (text, expected) => {
    expect(drawn(read(lead(message(0, 'user', [{ type: 'text', text }]))))).toEqual([expected]);
  });
});

describe('tool calls', () => {
  test.each<[string, unknown, string]>([
    ['a list of results', [{ query: 'ls', result: 'x', success: true }], ''],
    ['an exit code', [{ query: 'x', result: '', error: 'Command exited with code 3', success: false }], 'error exit-3'],
    [
      'the second of two commands',
      [
        { result: 'x', success: true },
        { error: 'Command exited with code 2', success: false },
      ],
      'error exit-2',
    ],
    ['JSON in a string', '{"query":"e","result":"x","success":true}', ''],
    [
      'a failure in a string',
      '{"query":"e","error":"No match found for old_text","success":false}',
      'error edit-mismatch',
    ],
    ['a string that was cut', '{"query":"e","success":false,"result":"xxx', 'error tool-error'],
    ['plain text', 'done', ''],
    ['nothing', undefined, ''],
  ])('%s', (_, content, expected) => {
    const got = read(lead(answers(1, [uses('t', 'run_commands', { commands: ['ls'] })]), returns(3, 't', content)));
    expect(drawn(got)[1]).toBe(`  tool run_commands ${expected}`.trimEnd());
  });

  test('what ran has touched its places', () => {
    const blocks = [
      uses('1', 'read_files', { files: [{ path: '/w/a' }, { path: '/w/b' }] }),
      uses('2', 'editor', { path: '/w/c', old_text: 'x', new_text: 'y' }),
      uses('3', 'editor', { path: '/w/d', new_text: 'y' }),
      uses('4', 'run_commands', { commands: ['ls', { command: 'pwd' }] }),
      uses('5', 'fetch_web_content', { requests: [{ url: 'https://a.example' }] }),
    ];
    const said = [
      'x',
      '{"result":"Edited /w/c","success":true}',
      '{"result":"File created successfully at: /w/d","success":true}',
      'x',
      'x',
    ];
    const got = read(lead(answers(1, blocks), ...said.map((content, i) => returns(2, String(i + 1), content))));
    expect(touched(got)).toEqual([
      'read /w/a',
      'read /w/b',
      'write /w/c',
      'create /w/d',
      'shell ls',
      'shell pwd',
      'url https://a.example',
    ]);
  });

  test('a call without result is unanswered', () => {
    expect(drawn(read(lead(answers(1, [uses('t', 'editor', {})]))))).toEqual([
      'call m 6+4+0+2+0',
      '  tool editor unanswered',
    ]);
  });
});

test('a subagent hangs on the call whose task is its first message', () => {
  const agent = (task: string, id: string) => ({
    version: 1,
    agent: 'subagent',
    sessionId: `s1__${id}`,
    origin: { mode: 'subagent', parentThreadId: 's1', subagent: id },
    messages: [message(2, 'user', [{ type: 'text', text: task }]), answers(3, [], metrics(5, 0, 1))],
  });
  const spawns = [uses('1', 'spawn_agent', { task: 'Look left' }), uses('2', 'spawn_agent', { task: 'Look right' })];
  const files = {
    '/s/s1/agent_a.messages.json': [agent('Look right', 'a')],
    '/s/s1/agent_b.messages.json': [agent('Look left', 'b')],
    '/s/s1/s1.messages.json': [
      lead(
        says(0, 'Go'),
        answers(1, spawns),
        returns(5, '1', '{"text":"x","usage":{"inputTokens":5}}'),
        returns(5, '2', 'x'),
      ),
    ],
  };
  const got = readAll(cline, files, [], { 's1.json': { cwd: '/w' } });
  const { ops, links } = got;
  expect(tokensByModel(got).get('all')).toMatchObject({ calls: 3, total: 12 + 6 + 6 });
  expect(ops.sessions.all.slice(0, 2)).toMatchObject([{ parent: 's1', subagent: '', cwd: '/w' }, { parent: 's1' }]);
  const tasks = [0, 1].map(session => ops.spawnedPrompt.low[links.spawn[session] as number]);
  expect(tasks).toEqual([ops.sessions.all[0]?.spawnPrompt?.low, ops.sessions.all[1]?.spawnPrompt?.low]);
});

test('messages of unknown roles and other documents are counted', () => {
  expect([...(read(lead(message(0, 'tool', 'x'), 7)).ledgers[0]?.unknown ?? [])]).toEqual([
    ['message of tool', 1],
    ['message of nobody', 1],
  ]);
  expect([...(read({ sessionId: 's' }).ledgers[0]?.unknown ?? [])]).toEqual([['document without messages', 1]]);
});

test('the fixture of a real run reads without the shared corpus', () => {
  const got = readFiles(
    cline,
    filesBelow(`${FIXTURES}/cline`, path => path.endsWith('.messages.json')),
  );
  expect(tokensByModel(got).get('all')).toMatchObject({ calls: 8, total: 93956 });
  expect(got.ledgers.flatMap(ledger => ledger.notes)).toEqual([]);
});

test('places', () => {
  const paths = (env: NodeJS.ProcessEnv) => roots('/h', env).map(root => root.path);
  expect(paths({})).toEqual(['/h/.cline/data/sessions']);
  expect(paths({ CLINE_DIR: '/c' })).toEqual(['/c/data/sessions']);
  expect(paths({ CLINE_DATA_DIR: '/d' })).toEqual(['/d/sessions']);
  expect(
    ['s/s.messages.json', 's/agent_1.messages.json', 's/s.json', 's/x/y.messages.json'].filter(accepts),
  ).toHaveLength(2);
  expect(companion('/s/1795970745560_du8wv/1795970745560_du8wv.json')).toBe(true);
  expect(companion('/s/1795970745560_du8wv/1795970745560_du8wv.messages.json')).toBe(false);
});
