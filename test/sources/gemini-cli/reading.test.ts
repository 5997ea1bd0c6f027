import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { accepts, companion, identity, roots } from '../../../src/sources/gemini-cli/paths.ts';
import { geminiCli } from '../../../src/sources/gemini-cli/reader.ts';
import { drawn, FIXTURES, readAll, readFiles, tokensByModel, touched } from '../reading.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 4, 4) + seconds * 1000).toISOString();
const header = (more: object = {}) => ({ sessionId: 's1', projectHash: 'h', startTime: at(0), kind: 'main', ...more });
const says = (seconds: number, id: string, text: string) => ({
  id,
  timestamp: at(seconds),
  type: 'user',
  content: [{ text }],
});
const counts = (input: number, cached: number, output: number, thoughts: number, tool = 0) => ({
  input,
  cached,
  output,
  thoughts,
  tool,
  total: input + output + thoughts + tool,
});
const answers = (seconds: number, id: string, tokens?: object, more: object = {}) => ({
  id,
  timestamp: at(seconds),
  type: 'gemini',
  content: 'ok',
  model: 'g',
  ...(tokens ? { tokens } : {}),
  ...more,
});
const ran = (
  seconds: number,
  id: string,
  name: string,
  args: object,
  response: object,
  status = 'success',
  more: object = {},
) => ({
  id,
  name,
  args,
  status,
  timestamp: at(seconds),
  result: [{ functionResponse: { id, name, response } }],
  ...more,
});
const LINES = '/h/.gemini/tmp/repo/chats/session-1.jsonl';
const lines = (...records: unknown[]) => readAll(geminiCli, { [LINES]: [header(), ...records] });

describe('usage keeps its kinds apart', () => {
  test('cached tokens are a part of the input, thoughts stand beside the output, tool prompts are input', () => {
    const read = lines(
      says(0, 'u', 'Go'),
      answers(1, 'a', counts(11125, 7441, 20, 409)),
      answers(2, 'b', counts(10, 0, 1, 0, 5)),
    );
    expect(drawn(read)).toEqual(['prompt "Go"', '  call g 3684+7441+0+20+409', '  call g 15+0+0+1+0']);
    expect(tokensByModel(read).get('all')?.total).toBe(11554 + 16);
  });

  test('a total that is not their sum is told with its place, and never changes them', () => {
    const read = lines(answers(1, 'a', { ...counts(100, 50, 10, 0), total: 160 }));
    expect(tokensByModel(read).get('all')?.total).toBe(110);
    expect(read.ledgers[0]?.notes).toEqual([
      'usage that contradicts itself at byte 100: a total of 160 where the kinds sum to 110',
    ]);
  });

  test('an answer without counts is unknown and not nothing', () => {
    expect(drawn(lines(answers(1, 'a')))).toEqual(['call g ?']);
  });
});

describe('lines of one id are one message, the last stands', () => {
  test('counts and tool calls that come later', () => {
    const tool = ran(
      4,
      't',
      'run_shell_command',
      { command: 'ls' },
      { output: 'x\nExit Code: 2\nProcess Group PGID: 1' },
    );
    const read = lines(
      says(0, 'u', 'Go'),
      answers(2, 'a'),
      answers(2, 'a', counts(9, 0, 1, 0)),
      answers(2, 'a', counts(9, 0, 1, 0), { toolCalls: [tool] }),
      answers(6, 'b', counts(1, 0, 1, 0)),
    );
    expect(drawn(read, { times: true })).toEqual([
      'prompt "Go" 0..0',
      '  call g 9+0+0+1+0 0..2',
      '    tool run_shell_command error exit-2 2..4',
      '  call g 1+0+0+1+0 4..6',
    ]);
    expect(read.ledgers[0]?.repeatedRows).toBe(2);
  });

  test('a history listed again after a resume, without counts and with foreign ids, replaces nothing', () => {
    const again = [
      says(9, 'u', 'Go'),
      { id: 'a', timestamp: at(9), type: 'gemini', content: [{ text: 'ok' }] },
      says(9, 'x', 'not typed'),
    ];
    const read = lines(
      says(0, 'u', 'Go'),
      answers(1, 'a', counts(9, 0, 1, 0)),
      header(),
      { $set: { messages: again } },
      says(10, 'v', 'More'),
    );
    expect(drawn(read)).toEqual(['prompt "Go"', '  call g 9+0+0+1+0', 'prompt "More"']);
  });

  test('what a rewind takes back was asked and paid', () => {
    const read = lines(
      says(0, 'u', 'Go'),
      answers(1, 'a', counts(9, 0, 1, 0)),
      { $rewindTo: 'u' },
      says(2, 'v', 'Go on'),
    );
    expect(drawn(read)).toEqual(['prompt "Go"', '  call g 9+0+0+1+0', '  event rewind', 'prompt "Go on"']);
  });

  test('a compression is seen by the snapshot it leaves, once however often that is listed', () => {
    const set = { $set: { messages: [says(3, 's', '<state_snapshot>all</state_snapshot>')] } };
    expect(drawn(lines(says(0, 'u', 'Go'), set, set))).toEqual(['prompt "Go"', '  event compaction']);
  });
});

describe('what was typed and what was not', () => {
  test.each([
    ['<session_context>\nThis is the Gemini CLI.</session_context>', []],
    ['System: Please continue.', ['event continuation']],
    ['', []],
    ['/compress', ['prompt "/compress"']],
  ])('%j', (text, expected) => {
    expect(drawn(lines(says(0, 'u', text)))).toEqual(expected);
  });

  test('cancellations and errors are events, information is nothing, news is counted', () => {
    const row = (type: string, content: string) => ({ id: type, timestamp: at(1), type, content });
    const read = lines(
      says(0, 'u', 'Go'),
      row('info', 'Request cancelled.'),
      row('error', 'quota of me@x.y'),
      row('info', 'hi'),
      row('warning', 'x'),
      row('frob', ''),
      row('frob', ''),
    );
    expect(drawn(read)).toEqual([
      'prompt "Go"',
      '  event interruption interrupted interrupted',
      '  event api-error error api-error',
    ]);
    expect([...(read.ledgers[0]?.unknown ?? [])]).toEqual([['frob', 2]]);
  });

  test('until 0.3x messages of subagents stand in the document of the person', () => {
    const tool = ran(
      5,
      't',
      'delegate_to_agent',
      { agent_name: 'x', objective: 'Look at every module' },
      { output: 'done' },
    );
    const messages = [
      says(0, 'u', 'Go'),
      answers(1, 'a', counts(9, 0, 1, 0)),
      says(2, 'v', 'Your task: Look at every module.'),
      answers(3, 'b', counts(8, 0, 1, 0), { toolCalls: [tool] }),
    ];
    const read = readAll(geminiCli, { '/h/.gemini/tmp/p/chats/session-1.json': [{ ...header(), messages }] });
    expect(drawn(read)).toEqual([
      'prompt "Go"',
      '  call g 9+0+0+1+0',
      '  event task',
      '  call g 8+0+0+1+0',
      '    tool delegate_to_agent',
    ]);
  });
});

describe('tool calls', () => {
  test.each<[string, object, string[]]>([
    ['success', { output: 'Output: x\nExit Code: 0' }, ['', '']],
    ['success', { output: 'Command: x\\nExit Code: 1\\nSignal: 0' }, ['error', 'exit-1']],
    ['error', { error: "params must have required property 'absolute_path'" }, ['error', 'invalid-input']],
    ['error', { error: 'Failed to edit, could not find the string to replace.' }, ['error', 'edit-mismatch']],
    ['error', { error: 'File not found: /secret' }, ['error', 'not-found']],
    ['error', { error: 'Something of its own' }, ['error', 'tool-error']],
    ['cancelled', { error: '[Operation Cancelled] Reason: User did not allow tool call' }, ['denied', 'denied']],
    ['cancelled', { error: '[Operation Cancelled] Reason: x' }, ['interrupted', 'interrupted']],
    ['executing', { output: '' }, ['', '']],
  ])('%s with %j', (status, response, expected) => {
    const { ops } = lines(
      answers(1, 'a', counts(1, 0, 1, 0), {
        toolCalls: [ran(2, 't', 'run_shell_command', { command: 'x' }, response, status)],
      }),
    );
    expect([ops.field.status.get(1), ops.field.error.get(1)]).toEqual(expected);
  });

  test('what ran has touched its places; what was refused, nothing', () => {
    const tools = [
      ran(2, '1', 'read_file', { absolute_path: '/w/a' }, { output: '' }),
      ran(2, '2', 'write_file', { file_path: '/w/b' }, { output: '' }, 'success', {
        resultDisplay: { isNewFile: true },
      }),
      ran(2, '3', 'replace', { file_path: '/w/c' }, { output: '' }),
      ran(2, '4', 'replace', { file_path: '/w/d' }, { error: 'User did not allow tool call' }, 'cancelled'),
      ran(2, '5', 'run_shell_command', { command: 'ls', dir_path: 'sub' }, { output: '' }),
      ran(2, '6', 'web_fetch', { prompt: 'Read https://a.example/x and https://b.example.' }, { output: '' }),
      ran(2, '7', 'google_web_search', { query: 'q' }, { output: '' }),
      ran(2, '8', 'mcp_files_put', {}, { output: '' }, 'success', { displayName: 'put (files MCP Server)' }),
      ran(2, '9', 'read_many_files', { include: ['x', 'y'] }, { output: '' }),
    ];
    const read = lines(answers(1, 'a', counts(1, 0, 1, 0), { toolCalls: tools }));
    expect(touched(read)).toEqual([
      'read /w/a',
      'create /w/b',
      'write /w/c',
      'shell ls (sub)',
      'url https://a.example/x',
      'url https://b.example.',
      'search q',
      'read x',
      'read y',
    ]);
    expect(drawn(read)).toContain('  tool mcp_files_put files');
  });

  test('a call whose end is not written is unanswered', () => {
    const tool = { id: 't', name: 'read_file', args: {}, status: 'executing' };
    expect(drawn(lines(answers(1, 'a', counts(1, 0, 1, 0), { toolCalls: [tool] })))).toEqual([
      'call g 1+0+0+1+0',
      '  tool read_file unanswered',
    ]);
  });
});

describe('sessions', () => {
  test('a subagent hangs on the call that names it', () => {
    const spawn = ran(9, 't', 'invoke_agent', { agent_name: 'generalist', prompt: 'Look' }, { output: '' }, 'success', {
      agentId: 'sub',
    });
    const read = readAll(geminiCli, {
      '/h/.gemini/tmp/repo/chats/s1/sub.jsonl': [
        header({ sessionId: 'sub', kind: 'subagent', directories: ['/w'] }),
        says(2, 'u', 'Look'),
        answers(3, 'x', counts(5, 0, 1, 0)),
        says(4, 'v', 'And there'),
      ],
      [LINES]: [header(), says(0, 'u', 'Go'), answers(1, 'a', counts(9, 0, 1, 0), { toolCalls: [spawn] })],
    });
    expect(drawn(read, { sessions: true })).toEqual([
      '      event task +opensTurn @sub',
      '        call g 5+0+0+1+0 @sub',
      '        event message @sub',
      'prompt "Go" @s1',
      '  call g 9+0+0+1+0 @s1',
      '    tool invoke_agent @s1',
    ]);
    expect(read.ops.sessions.all[0]).toMatchObject({ parent: 's1', subagent: 'generalist', cwd: '/w' });
  });

  test('the directory: registered, named in the first message, or proved by its hash', () => {
    const hash = createHash('sha256').update('/w/my repo').digest('hex');
    const cwd = (records: unknown[], beside = {}) =>
      readAll(geminiCli, { [LINES]: records }, [], beside).ops.sessions.all[0]?.cwd;
    expect(cwd([header()], { '../../../projects.json': { projects: { '/w/other': 'other', '/w/r': 'repo' } } })).toBe(
      '/w/r',
    );
    expect(
      cwd([
        header(),
        { $set: { messages: [says(0, 'x', '<session_context>\n- **Workspace Directories:**\n  - /w/named\n- **x')] } },
      ]),
    ).toBe('/w/named');
    const tool = ran(2, 't', 'read_file', { file_path: '/w/my repo/src/a.ts' }, { output: '' });
    expect(cwd([header({ projectHash: hash }), answers(1, 'a', undefined, { toolCalls: [tool] })])).toBe('/w/my repo');
    expect(cwd([header(), answers(1, 'a', undefined, { toolCalls: [tool] })])).toBeUndefined();
  });

  test('a session under its hash and under its name counts once', () => {
    const records = [header(), says(0, 'u', 'Go'), answers(1, 'a', counts(9, 0, 1, 0))];
    const read = readAll(geminiCli, { '/h/.gemini/tmp/abc/chats/session-1.jsonl': records, [LINES]: records });
    expect(drawn(read)).toEqual(['prompt "Go"', '  call g 9+0+0+1+0']);
  });
});

test('the fixture of a real run reads without the shared corpus', () => {
  const read = readFiles(geminiCli, [`${FIXTURES}/gemini-cli/tmp/repo/chats/session-parallel.jsonl`]);
  expect(tokensByModel(read).get('all')).toMatchObject({ calls: 3, total: 34392 });
});

test('places', () => {
  const paths = (env: NodeJS.ProcessEnv) => roots('/h', env).map(root => root.path);
  expect(paths({})).toEqual(['/h/.gemini/tmp']);
  expect(paths({ GEMINI_CLI_HOME: '/o', GEMINI_DATA_DIR: '/d' })).toEqual(['/o/.gemini/tmp', '/d/tmp']);
  expect(
    [
      'p/chats/session-1.json',
      'p/chats/session-1.jsonl',
      'p/chats/s1/x.jsonl',
      'p/logs.json',
      'p/chats/x.md',
      'p/checkpoint-x.json',
    ].filter(accepts),
  ).toHaveLength(3);
  expect(companion('/h/.gemini/tmp/repo/.project_root')).toBe(true);
  expect(identity('/h/chats/session-1.jsonl')).toEqual({ id: '/h/chats/session-1', rank: 0 });
});
