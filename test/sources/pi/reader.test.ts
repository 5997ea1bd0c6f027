import { describe, expect, test } from 'vitest';
import { ohMyPi } from '../../../src/sources/oh-my-pi/reader.ts';
import { accepts, roots } from '../../../src/sources/pi/paths.ts';
import { pi } from '../../../src/sources/pi/reader.ts';
import { drawn, readAll, tokensByModel, touched } from '../reading.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 4, 4) + seconds * 1000).toISOString();
const ms = (seconds: number) => Date.UTC(2026, 4, 4) + seconds * 1000;
const FILE = '/h/.pi/agent/sessions/--w--/2026-05-04T00-00-00-000Z_s1.jsonl';
const header = (more: object = {}) => ({ type: 'session', version: 3, id: 's1', timestamp: at(0), cwd: '/w', ...more });
const row = (seconds: number, id: string, message: object) => ({
  type: 'message',
  id,
  parentId: null,
  timestamp: at(seconds),
  message,
});
const says = (seconds: number, id: string, text: string) =>
  row(seconds, id, { role: 'user', content: [{ type: 'text', text }], timestamp: ms(seconds) });
const counts = (input: number, cacheRead: number, cacheWrite: number, output: number, more: object = {}) => ({
  input,
  output,
  cacheRead,
  cacheWrite,
  totalTokens: input + output + cacheRead + cacheWrite,
  ...more,
});
const answers = (seconds: number, id: string, usage: object | undefined, content: object[] = [], more: object = {}) =>
  row(seconds, id, {
    role: 'assistant',
    content,
    model: 'm',
    ...(usage ? { usage } : {}),
    timestamp: ms(seconds - 1),
    responseId: `r${id}`,
    ...more,
  });
const asks = (id: string, name: string, args: object) => ({ type: 'toolCall', id, name, arguments: args });
const gives = (seconds: number, id: string, text: string, isError = false, name = 'bash') =>
  row(seconds, `x${id}`, {
    role: 'toolResult',
    toolCallId: id,
    toolName: name,
    content: [{ type: 'text', text }],
    isError,
  });
const lines = (...records: unknown[]) => readAll(pi, { [FILE]: [header(), ...records] });

describe('usage', () => {
  test('cache stands beside the input, reasoning is a part of the output', () => {
    const read = lines(
      answers(1, 'a', counts(10, 20, 5, 30, { reasoning: 12 })),
      answers(2, 'b', counts(1, 0, 0, 9, { reasoningTokens: 4 })),
    );
    expect(drawn(read)).toEqual(['call m 10+20+5+18+12', 'call m 1+0+0+5+4']);
    expect(read.ledgers[0]?.notes).toEqual([]);
  });

  test('a total that is not their sum is told with its place', () => {
    expect(lines(answers(1, 'a', counts(10, 0, 0, 1, { totalTokens: 99 }))).ledgers[0]?.notes).toEqual([
      'usage that contradicts itself at byte 100: a total of 99 where the kinds sum to 11',
    ]);
  });

  test('a fork repeats rows with their ids and times: they count once', () => {
    const rows = [
      says(0, 'u', 'Go'),
      answers(2, 'a', counts(10, 0, 0, 1), [asks('t', 'bash', { command: 'ls' })]),
      gives(3, 't', 'x'),
    ];
    const fork = '/h/.pi/agent/sessions/--w--/2026-05-05T00-00-00-000Z_s2.jsonl';
    const both = readAll(pi, {
      [FILE]: [header(), ...rows],
      [fork]: [
        header({ id: 's2', parentSession: FILE }),
        ...rows,
        says(9, 'v', 'More'),
        answers(11, 'b', counts(4, 0, 0, 1)),
      ],
    });
    expect(drawn(both)).toEqual([
      'prompt "Go"',
      '  call m 10+0+0+1+0',
      '    tool bash',
      'prompt "More"',
      '  call m 4+0+0+1+0',
    ]);
    expect(both.ops.sessions.all[1]?.forkedFrom).toBe('s1');
  });

  test('rows without ids are told apart by their times, rows with one answer id by their own', () => {
    const bare = (seconds: number) => ({ ...answers(seconds, '', counts(1, 0, 0, 1)), id: undefined });
    const same = (id: string) => answers(5, id, counts(1, 0, 0, 1), [], { responseId: 'always-this' });
    expect(tokensByModel(lines(bare(1), bare(2), same('a'), same('b'))).get('all')?.calls).toBe(4);
  });
});

describe('how things end', () => {
  test.each<[object, string[]]>([
    [{ stopReason: 'aborted' }, ['event interruption interrupted interrupted']],
    [{ stopReason: 'error', errorMessage: '429 too many for me@x.y' }, ['event api-error error http-429']],
    [{ stopReason: 'error', errorMessage: 'socket closed' }, ['event api-error error api-error']],
    [{ stopReason: 'aborted', content: [{ type: 'text', text: 'half' }] }, ['call m ? interrupted interrupted']],
  ])('an answer with %j and no usage', (more, expected) => {
    expect(drawn(lines(answers(1, 'a', counts(0, 0, 0, 0, { totalTokens: 0 }), [], more)))).toEqual(expected);
  });

  test.each<[string, boolean, string[]]>([
    ['fine', false, ['', '']],
    ['(no output)\n\nCommand exited with code 3', true, ['error', 'exit-3']],
    ['Command aborted', true, ['interrupted', 'interrupted']],
    ['x\nCommand timed out after 5 seconds', true, ['error', 'timeout']],
    ['ENOENT: no such file', true, ['error', 'not-found']],
  ])('a tool that says %j', (text, isError, expected) => {
    const { ops } = lines(
      answers(1, 'a', counts(1, 0, 0, 1), [asks('t', 'bash', { command: 'x' })]),
      gives(2, 't', text, isError),
    );
    expect([ops.field.status.get(1), ops.field.error.get(1)]).toEqual(expected);
  });

  test('a killed call is unanswered; a compaction is an event', () => {
    const compaction = { type: 'compaction', id: 'c', timestamp: at(5), summary: 's' };
    expect(
      drawn(lines(says(0, 'u', 'Go'), answers(2, 'a', counts(1, 0, 0, 1), [asks('t', 'bash', {})]), compaction)),
    ).toEqual(['prompt "Go"', '  call m 1+0+0+1+0', '    tool bash unanswered', '  event compaction']);
  });
});

test('the request began at the message’s own time, a tool when the answer had ended', () => {
  const read = lines(
    says(0, 'u', 'Go'),
    answers(5, 'a', counts(1, 0, 0, 1), [asks('t', 'read', { path: 'a' })]),
    gives(7, 't', 'x', false, 'read'),
  );
  expect(drawn(read, { times: true })).toEqual(['prompt "Go" 0..0', '  call m 1+0+0+1+0 4..5', '    tool read 5..7']);
});

test('what ran has touched its places', () => {
  const asked: [string, object][] = [
    ['read', { path: 'a' }],
    ['grep', { path: 'b;c' }],
    ['write', { path: 'd' }],
    ['edit', { path: 'e' }],
    ['bash', { command: 'ls' }],
    ['read', { path: 'https://x.example/y' }],
    ['read', { path: 'skill://z' }],
    ['web_search', { query: 'q' }],
  ];
  const blocks = asked.map(([name, args], n) => asks(`t${n}`, name, args));
  const read = lines(
    answers(1, 'a', counts(1, 0, 0, 1), blocks),
    ...asked.map(([name], n) => gives(2, `t${n}`, '', false, name)),
  );
  expect(touched(read)).toEqual([
    'read a',
    'read b',
    'read c',
    'write d',
    'write e',
    'shell ls',
    'url https://x.example/y',
    'search q',
  ]);
});

describe('Oh My Pi', () => {
  const SUB = '/h/.omp/agent/sessions/--w--/2026-05-04T00-00-00-000Z_s1/0-Scout.jsonl';
  const init = { type: 'session_init', id: 'i', timestamp: at(1), task: 'Look', agent: 'scout' };

  test('a subagent is told its task; its parent is the folder’s session, or unknown', () => {
    const told = (path: string) =>
      readAll(ohMyPi, {
        [path]: [
          header({ id: 's2' }),
          init,
          says(1, 'u', 'Look'),
          answers(3, 'a', counts(1, 0, 0, 1)),
          says(4, 'v', 'And?'),
        ],
      });
    expect(drawn(told(SUB))).toEqual(['event task +opensTurn', '  call m 1+0+0+1+0', 'event message +opensTurn']);
    expect(told(SUB).ops.sessions.all[0]).toMatchObject({ parent: 's1', subagent: 'scout' });
    expect(told('/elsewhere/x.jsonl').links.orphans).toBe(1);
  });

  test('the model of a change has its provider before it; a tool’s own start counts', () => {
    const change = { type: 'model_change', id: 'c', timestamp: at(0), model: 'google/gemini-x' };
    const starts = { type: 'custom', customType: 'tool_execution_start', data: { toolCallId: 't', startedAt: at(5) } };
    const answer = answers(2, 'a', undefined, [asks('t', 'mcp__draw_create_view', {})], { model: undefined });
    for (const records of [
      [starts, answer],
      [answer, starts],
    ]) {
      const read = readAll(ohMyPi, { [FILE]: [header(), change, ...records, gives(8, 't', '', false, 'x')] });
      expect(drawn(read, { times: true })).toEqual(['call gemini-x ? 0..1', '  tool mcp__draw_create_view draw 4..7']);
    }
  });
});

test('places', () => {
  const paths = (env: NodeJS.ProcessEnv) => roots('/h', env).map(root => root.path);
  expect(paths({})).toEqual(['/h/.pi/agent/sessions']);
  expect(paths({ PI_CODING_AGENT_DIR: '/o' })).toEqual(['/o/sessions']);
  expect(['--w--/a.jsonl', '--w--/a.json'].map(accepts)).toEqual([true, false]);
  expect(ohMyPi.roots('/h', {}).map(root => root.path)).toEqual(['/h/.omp/agent/sessions']);
});
