import { describe, expect, test } from 'vitest';
import { accepts, companion, roots } from '../../../src/sources/qwen-code/paths.ts';
import { qwenCode } from '../../../src/sources/qwen-code/reader.ts';
import { drawn, FIXTURES, filesBelow, readAll, readFiles, tokensByModel, touched } from '../reading.ts';

let rows = 0;
const at = (seconds: number) => new Date(Date.UTC(2026, 4, 4) + seconds * 1000).toISOString();
const row = (seconds: number, type: string, more: object) => ({
  uuid: `u${++rows}`,
  sessionId: 's1',
  timestamp: at(seconds),
  type,
  cwd: '/w',
  version: '0.24.4',
  gitBranch: 'main',
  ...more,
});
const says = (seconds: number, text: string, more: object = {}) =>
  row(seconds, 'user', { provenance: 'real_user', message: { role: 'user', parts: [{ text }] }, ...more });
const meta = (input: number, cached: number, output: number, thoughts: number) => ({
  promptTokenCount: input,
  cachedContentTokenCount: cached,
  candidatesTokenCount: output,
  thoughtsTokenCount: thoughts,
  totalTokenCount: input + output,
});
const answers = (seconds: number, usage: object | undefined, parts: object[] = [{ text: 'ok' }], more: object = {}) =>
  row(seconds, 'assistant', {
    model: 'q',
    message: { role: 'model', parts },
    ...(usage ? { usageMetadata: usage } : {}),
    ...more,
  });
const calls = (id: string, name: string, args: object = {}) => ({ functionCall: { id, name, args } });
const event = (seconds: number, name: string, fields: object) =>
  row(seconds, 'system', {
    subtype: 'ui_telemetry',
    systemPayload: { uiEvent: { 'event.name': `qwen-code.${name}`, 'event.timestamp': at(seconds), ...fields } },
  });
const measured = (
  seconds: number,
  input: number,
  cached: number,
  output: number,
  thoughts: number,
  more: object = {},
) =>
  event(seconds, 'api_response', {
    model: 'q',
    duration_ms: 500,
    input_token_count: input,
    cached_content_token_count: cached,
    output_token_count: output,
    thoughts_token_count: thoughts,
    total_token_count: input + output,
    ...more,
  });
const returns = (seconds: number, callId: string, response: object, result: object = {}) =>
  row(seconds, 'tool_result', {
    message: { role: 'user', parts: [{ functionResponse: { id: callId, response } }] },
    toolCallResult: { callId, status: 'success', ...result },
  });
const read = (...records: unknown[]) => readAll(qwenCode, { '/h/.qwen/projects/-w/chats/s1.jsonl': records });
const sub = { agentId: 'general-purpose-c1', agentName: 'general-purpose', isSidechain: true, provenance: undefined };
const SUB = '/h/.qwen/projects/-w/subagents/s1/agent-general-purpose-c1.jsonl';

describe('one request is one call, whichever records tell of it', () => {
  test.each<[string, unknown[]]>([
    ['telemetry, then the answer', [measured(2, 100, 60, 9, 4), answers(2, meta(100, 60, 9, 4))]],
    ['the answer, then telemetry', [answers(2, meta(100, 60, 9, 4)), measured(2, 100, 60, 9, 4)]],
    ['the answer alone', [answers(2, meta(100, 60, 9, 4))]],
  ])('%s', (_, records) => {
    expect(drawn(read(says(0, 'Go'), ...records))).toEqual(['prompt "Go"', '  call q 40+60+0+5+4']);
  });

  test('telemetry alone is a usage record; what nobody saw before a compression was its request', () => {
    const compression = row(5, 'system', { subtype: 'chat_compression', systemPayload: { info: {} } });
    expect(drawn(read(says(0, 'Go'), measured(1, 10, 0, 1, 0)))).toEqual([
      'prompt "Go"',
      '  call q 10+0+0+1+0 +usageOnly',
    ]);
    const got = read(
      says(0, 'Go'),
      measured(1, 10, 0, 1, 0),
      answers(1, meta(10, 0, 1, 0)),
      measured(3, 20, 0, 2, 0),
      measured(4, 30, 0, 3, 0),
      compression,
      measured(6, 7, 0, 1, 0),
      answers(6, meta(7, 0, 1, 0)),
    );
    expect(drawn(got)).toEqual([
      'prompt "Go"',
      '  call q 10+0+0+1+0',
      '  call q 20+0+0+2+0 +compaction +usageOnly',
      '  call q 30+0+0+3+0 +compaction +usageOnly',
      '  event compaction',
      '  call q 7+0+0+1+0',
    ]);
  });

  test('counts that contradict their total are told', () => {
    const got = read(measured(1, 10, 0, 1, 0, { total_token_count: 99 }));
    expect(got.ledgers[0]?.notes).toEqual([
      'usage that contradicts itself at byte 0: a total of 99 where the kinds sum to 11',
    ]);
  });

  test('an answer with no counts anywhere is unknown', () => {
    expect(drawn(read(says(0, 'Go'), answers(1, undefined)))).toEqual(['prompt "Go"', '  call q ?']);
  });
});

describe('a subagent', () => {
  const main = [
    says(0, 'Go'),
    measured(1, 10, 0, 1, 0),
    answers(1, meta(10, 0, 1, 0), [calls('c1', 'agent', { prompt: 'Look', subagent_type: 'general-purpose' })]),
    measured(3, 20, 0, 2, 0, { subagent_id: 'general-purpose-c1' }),
    measured(5, 20, 0, 2, 0, { subagent_id: 'general-purpose-c1' }),
    returns(6, 'c1', { output: 'done' }),
  ];
  const own = [
    says(1, 'Look', sub),
    answers(3, meta(20, 0, 2, 0), [], { ...sub, model: undefined }),
    answers(3, undefined, [calls('c2', 'run_shell_command', { command: 'ls' })], { ...sub, model: undefined }),
    { ...returns(4, 'c2', { output: 'x\nExit Code: 0' }), ...sub, toolCallResult: { callId: 'c2', durationMs: 400 } },
    answers(5, meta(20, 0, 2, 0), [{ text: 'done' }], { ...sub, model: undefined }),
  ];
  const files = { '/h/.qwen/projects/-w/chats/s1.jsonl': main, [SUB]: own };

  test('told by two files counts once, with its model, under the call that started it', () => {
    const got = readAll(qwenCode, files);
    expect(tokensByModel(got).get('q')).toMatchObject({ calls: 3, total: 11 + 22 + 22 });
    expect(drawn(got, { sessions: true }).filter(line => line.includes('general-purpose'))).toEqual([
      '      event task +opensTurn @s1/general-purpose-c1',
      '        call q 20+0+0+2+0 @s1/general-purpose-c1',
      '          tool run_shell_command @s1/general-purpose-c1',
      '        call q 20+0+0+2+0 @s1/general-purpose-c1',
    ]);
    expect(got.ops.sessions.all.filter(session => session.parent !== undefined)).toMatchObject([
      { parent: 's1', subagent: 'general-purpose' },
    ]);
  });

  test.each(Object.keys(files))('told by %s alone counts too', path => {
    const got = readAll(qwenCode, { [path]: files[path as keyof typeof files] });
    expect(tokensByModel(got).get('all')?.total).toBe(path === SUB ? 44 : 55);
  });
});

describe('what was typed', () => {
  test.each<[string, object, string]>([
    ['Go', {}, 'prompt "Go"'],
    ['old versions say no provenance', { provenance: undefined }, 'prompt "old versions say no provenance"'],
    ['said in between', { subtype: 'mid_turn_user_message' }, 'prompt "said in between"'],
    ['with files put in', { systemPayload: { displayText: 'as typed' } }, 'prompt "as typed"'],
    ['<task-notification>x', { provenance: 'system', subtype: 'notification' }, 'event notification +opensTurn'],
    ['tick', { provenance: 'system', subtype: 'cron' }, 'event schedule +opensTurn'],
    ['go on', { provenance: 'goal_runtime' }, 'event continuation +opensTurn'],
  ])('%s %j', (text, more, expected) => {
    expect(drawn(read(says(0, text, more)))).toEqual([expected]);
  });
});

describe('tool calls', () => {
  test.each<[string, object, object, string]>([
    ['a success', { output: 'x' }, {}, ''],
    [
      'an exit code of the display',
      { error: 'x' },
      { status: 'error', errorType: 'shell_execute_error', resultDisplay: { exitCode: 3 } },
      'error exit-3',
    ],
    [
      'an exit code of the text',
      { error: 'Output: x\nExit Code: 2\nSignal: (none)' },
      { status: 'error' },
      'error exit-2',
    ],
    ['no status, as in subagents', { error: 'Exit Code: 4' }, { status: undefined }, 'error exit-4'],
    [
      'refused before it began',
      { error: 'Blocked: x' },
      { status: 'error', errorType: 'invalid_tool_params', executionStatus: 'not_started' },
      'error invalid-input',
    ],
    ['a missing file', { error: 'x' }, { status: 'error', errorType: 'file_not_found' }, 'error not-found'],
    [
      'a class of its own',
      { error: 'x' },
      { status: 'error', errorType: 'new_kind_of_error' },
      'error new-kind-of-error',
    ],
    ['cancelled', { error: '[Operation Cancelled] Reason: x' }, { status: 'cancelled' }, 'interrupted interrupted'],
    ['denied', { error: 'x' }, { status: 'error', errorType: 'execution_denied' }, 'denied denied +waits'],
  ])('%s', (_, response, result, expected) => {
    const got = read(
      answers(1, meta(1, 0, 1, 0), [calls('c', 'run_shell_command', { command: 'ls' })]),
      returns(2, 'c', response, result),
    );
    expect(drawn(got)[1]).toBe(`  tool run_shell_command ${expected}`.trimEnd());
  });

  test('what ran has touched its places', () => {
    const parts = [
      calls('1', 'read_file', { file_path: '/w/a' }),
      calls('2', 'write_file', { file_path: '/w/b' }),
      calls('3', 'edit', { file_path: '/w/c' }),
      calls('4', 'web_fetch', { url: 'https://a.example/x', prompt: 'p' }),
      calls('5', 'edit', { file_path: '/w/never' }),
      calls('6', 'mcp__my_files__put', {}),
    ];
    const results = parts.map((_, i) =>
      returns(
        2,
        String(i + 1),
        { output: i === 1 ? 'Successfully created and wrote to new file: /w/b.' : 'x' },
        i === 4 ? { status: 'error', errorType: 'edit_no_occurrence_found' } : {},
      ),
    );
    const got = read(answers(1, meta(1, 0, 1, 0), parts), ...results);
    expect(touched(got)).toEqual(['read /w/a', 'create /w/b', 'write /w/c', 'url https://a.example/x']);
    expect(drawn(got).at(-1)).toBe('  tool mcp__my_files__put my_files');
  });

  test('the telemetry tells when a call of a batch ran', () => {
    const got = read(
      says(0, 'Go'),
      answers(1, meta(1, 0, 1, 0), [calls('a', 'x'), calls('b', 'y')]),
      event(2, 'tool_call', { call_id: 'a', duration_ms: 900 }),
      event(9, 'tool_call', { call_id: 'b', duration_ms: 7000 }),
      returns(10, 'a', { output: '' }),
      returns(10, 'b', { output: '' }),
    );
    expect(drawn(got, { times: true }).slice(2)).toEqual(['    tool x 1.1..2', '    tool y 2..9']);
  });
});

test('errors are events, new kinds of records are counted by name', () => {
  const got = read(
    says(0, 'Go'),
    event(1, 'api_error', { status_code: 429 }),
    event(1, 'api_error', {}),
    event(2, 'frob', {}),
    row(2, 'system', { subtype: 'frob' }),
    row(2, 'frob', {}),
  );
  expect(drawn(got)).toEqual(['prompt "Go"', '  event api-error error http-429', '  event api-error error api-error']);
  expect([...(got.ledgers[0]?.unknown ?? [])]).toEqual([
    ['telemetry frob', 1],
    ['system frob', 1],
    ['frob', 1],
  ]);
});

test('the fixture of a real run reads without the shared corpus', () => {
  const got = readFiles(
    qwenCode,
    filesBelow(`${FIXTURES}/qwen-code`, path => path.endsWith('.jsonl')),
  );
  expect(tokensByModel(got).get('all')).toMatchObject({ calls: 10, total: 118655 });
});

test('places', () => {
  const paths = (env: NodeJS.ProcessEnv) => roots('/h', env).map(root => root.path);
  expect(paths({})).toEqual(['/h/.qwen/projects']);
  expect(paths({ QWEN_HOME: '/q' })).toEqual(['/q/projects']);
  expect(paths({ QWEN_HOME: '/q', QWEN_RUNTIME_DIR: '/r' })).toEqual(['/r/projects']);
  expect(
    ['p/chats/s.jsonl', 'p/subagents/s/agent-x.jsonl', 'p/subagents/s/agent-x.meta.json', 'p/chats/s/x.jsonl'].filter(
      accepts,
    ),
  ).toHaveLength(2);
  expect(companion('/h/.qwen/usage_record.jsonl')).toBe(true);
});
