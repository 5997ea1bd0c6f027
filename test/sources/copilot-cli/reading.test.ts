import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { accepts, companion, roots } from '../../../src/sources/copilot-cli/paths.ts';
import { copilotCli } from '../../../src/sources/copilot-cli/reader.ts';
import { drawn, FIXTURES, readAll, readFiles, tokensByModel, touched } from '../reading.ts';

let events = 0;
const at = (seconds: number) => new Date(Date.UTC(2026, 4, 4) + seconds * 1000).toISOString();
const event = (seconds: number, type: string, data: object, more: object = {}) => ({
  type,
  data,
  id: `e${++events}`,
  timestamp: at(seconds),
  parentId: null,
  ...more,
});
const start = event(0, 'session.start', {
  sessionId: 's1',
  copilotVersion: '1.0.102',
  selectedModel: 'm',
  context: { cwd: '/w', branch: 'main' },
});
const says = (seconds: number, content: string, data: object = {}, more: object = {}) =>
  event(seconds, 'user.message', { content, ...data }, more);
const usage = (input: number, read: number, output: number, reasoning: number) => ({
  inputTokens: input,
  cacheReadTokens: read,
  cacheWriteTokens: 0,
  outputTokens: output,
  reasoningTokens: reasoning,
});
const spent = (seconds: number, call: string, counts: object, more: object = {}, record: object = {}) =>
  event(
    seconds,
    'session.usage_record',
    { usage: { model: 'm', duration: 500, apiCallId: call, ...counts, ...more } },
    record,
  );
const answers = (seconds: number, call: string | undefined, data: object = {}, more: object = {}) =>
  event(
    seconds,
    'assistant.message',
    { content: 'ok', toolRequests: [], ...(call === undefined ? {} : { apiCallId: call }), ...data },
    more,
  );
const asks = (toolCallId: string, name: string, args: unknown = {}) => ({
  toolRequests: [{ toolCallId, name, arguments: args }],
});
const begins = (seconds: number, toolCallId: string, toolName = 'bash') =>
  event(seconds, 'tool.execution_start', { toolCallId, toolName, arguments: {} });
const ends = (seconds: number, toolCallId: string, data: object = {}) =>
  event(seconds, 'tool.execution_complete', { toolCallId, success: true, result: { content: 'x' }, ...data });
const shutdown = (seconds: number, model: string, counts: object, began: unknown = 'x') =>
  event(seconds, 'session.shutdown', {
    accountingSnapshot: {
      sessionStartTime: began,
      modelMetrics: { [model]: { requests: { count: 1 }, usage: counts } },
    },
  });
const read = (...records: unknown[]) =>
  readAll(copilotCli, { '/h/.copilot/session-state/s1/events.jsonl': [start, ...records] });

describe('usage', () => {
  test('a record and its answer are one call, in either order', () => {
    const record = spent(2, 'c', usage(100, 60, 9, 4));
    const answer = answers(2.1, 'c', { outputTokens: 9 });
    expect(drawn(read(says(0, 'Go'), record, answer), { times: true })).toEqual([
      'prompt "Go" 0..0',
      '  call m 40+60+0+5+4 1.5..2',
    ]);
    expect(drawn(read(says(0, 'Go'), answer, record, record))).toEqual(['prompt "Go"', '  call m 40+60+0+5+4']);
  });

  test('a record without an answer is a call of which nothing was said', () => {
    expect(drawn(read(spent(2, 'c', usage(10, 0, 1, 0))))).toEqual(['call m 10+0+0+1+0 +usageOnly']);
  });

  test('the running total of a session with records adds nothing, however often it is written', () => {
    const got = read(
      spent(2, 'c', usage(100, 60, 9, 4)),
      answers(2, 'c'),
      shutdown(3, 'm', usage(100, 60, 9, 4)),
      shutdown(4, 'm', usage(100, 60, 9, 4)),
    );
    expect(drawn(got)).toEqual(['call m 40+60+0+5+4']);
    expect(got.ledgers[0]).toMatchObject({ notes: [], repeatedCounters: 1 });
  });

  test('a total that is less than the answers is told, and does not change them', () => {
    const got = read(spent(2, 'c', usage(100, 60, 9, 4)), shutdown(3, 'm', usage(10, 0, 9, 4)));
    expect(tokensByModel(got).get('all')?.total).toBe(109);
    expect(got.ledgers[0]?.notes).toEqual([
      "the session's own total at byte 200 is less than its answers: these were kept",
    ]);
  });

  test('old answers tell their output; the total of the session brings the rest, each time it grows', () => {
    const first = [
      answers(1, undefined, { model: 'g', outputTokens: 20 }),
      answers(2, undefined, { model: 'g', outputTokens: 30 }),
    ];
    expect(drawn(read(...first))).toEqual(['call g 0+0+0+20+0 +lowerBound', 'call g 0+0+0+30+0 +lowerBound']);
    expect(read(...first).ledgers[0]?.notes).toHaveLength(1);
    const ended = [...first, shutdown(3, 'g', usage(1000, 800, 55, 5))];
    expect(drawn(read(...ended))).toEqual([
      'call g 0+0+0+20+0',
      'call g 0+0+0+30+0',
      'call g 200+800+0+0+5 +inferred +usageOnly',
    ]);
    const resumed = [
      ...ended,
      answers(5, undefined, { model: 'g', outputTokens: 10 }),
      shutdown(6, 'g', usage(1500, 900, 70, 5)),
    ];
    expect(tokensByModel(read(...resumed)).get('all')).toMatchObject({ total: 1570, cache_read: 900 });
  });

  test.each<[string, unknown[], number]>([
    [
      'the same start: it counts on',
      [shutdown(1, 'g', usage(100, 0, 5, 0)), shutdown(2, 'g', usage(300, 0, 9, 0))],
      309,
    ],
    [
      'another start: it began anew',
      [shutdown(1, 'g', usage(100, 0, 5, 0)), shutdown(2, 'g', usage(300, 0, 9, 0), 'y')],
      414,
    ],
    [
      'a count that fell: it began anew',
      [shutdown(1, 'g', usage(100, 0, 5, 0)), shutdown(2, 'g', usage(30, 0, 9, 0))],
      144,
    ],
  ])('running totals with %s', (_, records, total) => {
    expect(tokensByModel(read(...records)).get('all')?.total).toBe(total);
  });

  test('a total that stands before answers it has counted adds nothing to them', () => {
    const late = [
      answers(1, undefined, { model: 'g', outputTokens: 20 }),
      spent(2, 'c', usage(100, 60, 9, 4), { model: 'g' }),
    ];
    const got = read(shutdown(3, 'g', usage(1100, 800, 29, 4)), ...late, shutdown(2.5, 'g', usage(500, 0, 29, 4)));
    expect(tokensByModel(got).get('all')?.total).toBe(1129);
  });

  test.each<[string, object]>([
    ['new', { ...usage(50, 40, 7, 0), model: 'm' }],
    ['old', { input: 50, cachedInput: 40, output: 7 }],
  ])('a compaction is a call of its own, in the %s shape', (_, used) => {
    const got = read(
      says(0, 'Go'),
      event(1, 'session.compaction_start', {}),
      event(4, 'session.compaction_complete', { success: true, compactionTokensUsed: used }),
    );
    expect(drawn(got, { times: true })).toEqual([
      'prompt "Go" 0..0',
      '  event compaction 4..4',
      '  call m 10+40+0+7+0 +compaction 1..4',
    ]);
  });

  test('unless a record with its id told it', () => {
    const done = event(4, 'session.compaction_complete', { requestId: 'c', compactionTokensUsed: usage(50, 40, 7, 0) });
    expect(drawn(read(spent(3, 'c', usage(50, 40, 7, 0)), done))).toEqual([
      'call m 10+40+0+7+0 +compaction +usageOnly',
      'event compaction',
    ]);
  });
});

describe('what was typed', () => {
  test.each<[string, object, string[]]>([
    ['Go', {}, ['prompt "Go"']],
    ['steer', { delivery: 'steering' }, ['prompt "steer"']],
    ['', { source: 'system' }, []],
    ['rules', { source: 'instruction-discovery' }, []],
    ['to do', { source: 'agent-s0' }, []],
  ])('%j %j', (content, data, expected) => {
    expect(drawn(read(says(0, content, data)))).toEqual(expected);
  });
});

describe('tool calls', () => {
  test.each<[string, object, string]>([
    ['an exit code told apart', { shellExecution: { exitCode: 3 } }, 'error exit-3'],
    ['an exit code at the end of the text', { result: { content: 'x\n<exited with exit code 2>' } }, 'error exit-2'],
    ['a success', { shellExecution: { exitCode: 0 } }, ''],
    ['a failure of the tool', { success: false, error: { message: 'File not found' } }, 'error not-found'],
    ['a refusal', { success: false, error: { code: 'denied', message: 'no' } }, 'denied denied +waits'],
    ['old failures say it in the result', { success: false, result: { content: 'exit code: 1\n' } }, 'error exit-1'],
  ])('%s', (_, data, expected) => {
    const got = read(answers(1, 'c', asks('t', 'bash', { command: 'ls' })), begins(2, 't'), ends(3, 't', data));
    expect(drawn(got)[1]).toBe(`  tool bash ${expected}`.trimEnd());
  });

  test('times are those of the tool; one that began before its answer was written still hangs on it', () => {
    const got = read(begins(1, 't'), answers(2, 'c', asks('t', 'bash')), ends(3, 't'));
    expect(drawn(got, { times: true }).map(line => line.trim())).toEqual(['tool bash 0..2', 'call m ? 1..1']);
    expect(got.ops.parentOf(0)).toBe(1);
  });

  test('an end that a later start of the client wrote is no time of the tool', () => {
    const resume = event(5000, 'session.resume', { context: { cwd: '/w' } });
    const got = read(
      answers(1, 'c', asks('t', 'bash')),
      begins(2, 't'),
      event(9, 'session.info', {}),
      resume,
      ends(5001, 't', { success: false }),
    );
    expect(drawn(got, { times: true })[1]).toBe('  tool bash interrupted interrupted 1..8');
  });

  test('what ran has touched its places', () => {
    const tools: [string, unknown][] = [
      ['view', { path: '/w/a' }],
      ['create', { path: '/w/b' }],
      ['edit', { path: '/w/c' }],
      ['rg', { pattern: 'x', paths: ['src', 'test'] }],
      ['apply_patch', '*** Begin Patch\n*** Update File: d\n*** Add File: e\n*** End Patch'],
      ['web_fetch', { url: 'https://a.example/' }],
      ['bash', { command: 'ls' }],
    ];
    const toolRequests = tools.map(([name, args], i) => ({ toolCallId: `t${i}`, name, arguments: args }));
    const got = read(answers(1, 'c', { toolRequests }), ...tools.map((_, i) => ends(2, `t${i}`)));
    expect(touched(got)).toEqual([
      'read /w/a',
      'create /w/b',
      'write /w/c',
      'read src',
      'read test',
      'write d',
      'create e',
      'url https://a.example/',
      'shell ls',
    ]);
  });
});

describe('subagents share the file', () => {
  const task = asks('t', 'task', { agent_type: 'explore', prompt: 'Look' });
  const inner = { agentId: 'a1' };
  test.each<[string, unknown[]]>([
    [
      'by their id',
      [
        event(2, 'subagent.started', { toolCallId: 't', agentType: 'explore' }, inner),
        says(2, 'Look', { source: 'agent-s1' }, inner),
        spent(3, 'd', usage(10, 0, 1, 0), {}, inner),
        answers(3, 'd', {}, inner),
      ],
    ],
    [
      'by the call that started them',
      [
        event(2, 'subagent.started', { toolCallId: 't', agentName: 'explore' }),
        spent(3, 'd', usage(10, 0, 1, 0), { parentToolCallId: 't' }),
        answers(3, 'd', { parentToolCallId: 't' }),
      ],
    ],
  ])('known %s', (_, records) => {
    const got = read(says(0, 'Go'), answers(1, 'c', task), begins(1, 't', 'task'), ...records, ends(5, 't'));
    expect(drawn(got).filter(line => !line.includes('event'))).toEqual([
      'prompt "Go"',
      '  call m ?',
      '    tool task',
      expect.stringMatching(/^ {6,8}call m 10\+0\+0\+1\+0$/),
    ]);
    expect(got.ops.sessions.all[1]).toMatchObject({ parent: 's1', subagent: 'explore', cwd: '/w' });
  });
});

test('errors, hooks and interruptions are events; new kinds are counted by name', () => {
  const got = read(
    event(1, 'session.error', { statusCode: 429, message: 'slow down, me@x.y' }),
    event(1, 'session.error', { errorType: 'query' }),
    event(2, 'hook.start', { hookInvocationId: 'h' }),
    event(4, 'hook.end', { hookInvocationId: 'h', success: false }),
    event(5, 'abort', { reason: 'user' }),
    event(6, 'session.frob', {}),
    event(6, 'session.frob', {}),
  );
  expect(drawn(got, { times: true })).toEqual([
    'event api-error error http-429 0..0',
    'event api-error error api-error 0..0',
    'event hook error hook-error 1..3',
    'event interruption interrupted interrupted 4..4',
  ]);
  expect([...(got.ledgers[0]?.unknown ?? [])]).toEqual([['session.frob', 2]]);
});

test('a half line between events costs that line only', () => {
  const folder = mkdtempSync(join(tmpdir(), 'copilot-'));
  const lines = [start, says(0, 'One'), '{"type":"user.mess', says(1, 'Two')].map(line =>
    typeof line === 'string' ? line : JSON.stringify(line),
  );
  writeFileSync(join(folder, 'events.jsonl'), `${lines.join('\n')}\n`);
  const got = readFiles(copilotCli, [join(folder, 'events.jsonl')]);
  rmSync(folder, { recursive: true });
  expect(drawn(got)).toEqual(['prompt "One"', 'prompt "Two"']);
  expect(got.ledgers[0]).toMatchObject({ lines: 4, badLines: 1 });
});

test('the fixture of a real run reads without the shared corpus', () => {
  const got = readFiles(copilotCli, [`${FIXTURES}/copilot-cli/session-state/parallel/events.jsonl`]);
  expect(tokensByModel(got).get('all')).toMatchObject({ calls: 3, total: 34326 });
});

test('places', () => {
  const paths = (env: NodeJS.ProcessEnv) => roots('/h', env).map(root => root.path);
  expect(paths({ XDG_STATE_HOME: '/x' })).toEqual(['/h/.copilot/session-state', '/x/.copilot/session-state']);
  expect(paths({ COPILOT_HOME: '/c' })).toEqual(['/c/session-state']);
  expect(
    ['s/events.jsonl', 's.jsonl', 's/other.jsonl', 's/workspace.yaml', 's/files/events.jsonl'].filter(accepts),
  ).toHaveLength(2);
  expect(companion('/h/.copilot/session-state/s/workspace.yaml')).toBe(true);
});
