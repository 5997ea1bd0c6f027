import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digest } from '../../../src/sources/digest.ts';
import { Flag } from '../../../src/trace/flags.ts';
import { type Read, readMain, story } from './reading.ts';
import { answers, fails, type Row, returns, says, uses } from './rows.ts';

const asks = (name: string, input: unknown = {}, more: Row = {}) =>
  answers(1, 'm1', [uses('t1', name, input)], { in: 1, out: 900 }, more);

/** `status error` of the one tool call, as its result leaves it. */
function ending(name: string, ...rows: unknown[]): string {
  const { out } = readMain(asks(name), ...rows);
  return `${out.field.status.get(1)} ${out.field.error.get(1)}`.trim();
}

function touches({ out }: Read): unknown[] {
  return out.touches.rows.map((_, i) => [out.touches.kinds[i], out.touches.values[i]]);
}

describe('a result that is written before its call', () => {
  const call = asks('Bash', { command: 'rm a' });
  const rows = [
    says(0, 'One'),
    answers(1, 'm1', 'So.', { in: 1, out: 900 }),
    returns(8, 't1', {}, { is_error: true, content: 'Exit code 1' }),
    call,
  ];

  it('ends it all the same, and again it says nothing', () => {
    const told = ['prompt "One" 0-0', '  call claude-a 1/0/0/0/900/0 0-1', '    tool Bash error:exit-1 1-8'];
    expect(story(readMain(...rows, rows[2] as Row), { times: true })).toEqual(told);
  });

  it('ends no other, and a few of very many are kept', () => {
    const others = Array.from({ length: 100 }, (_, at) => returns(3, `other${at}`));
    expect(story(readMain(...others, says(4, 'One'), call))[2]).toBe('    tool Bash unanswered');
    expect(story(readMain(says(0, 'One'), ...others.slice(0, 10), rows[2] as Row, call))[2]).toBe(
      '    tool Bash error:exit-1',
    );
  });
});

describe('how a tool call ended', () => {
  it.each<[string, string, string, Row]>([
    ['error exit-1', 'Bash', 'Exit code 1\ncat: no such file: not found', {}],
    ['error exit-137', 'Bash', 'Exit code 137', {}],
    ['error timeout', 'Bash', 'Exit code 143\nCommand timed out after 2m 0.0s', {}],
    ['error timeout', 'mcp__db__query', 'MCP error: request timed out', {}],
    ['error exit-1', 'Bash', 'Exit code 1\nfetch: connection timed out', {}],
    ['error not-found', 'Read', 'File does not exist. Note: your current working directory is /x.', {}],
    [
      'error not-read',
      'Write',
      '<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>',
      {},
    ],
    [
      'error changed-since-read',
      'Edit',
      '<tool_use_error>File has been modified since read, either by the user or by a linter.</tool_use_error>',
      {},
    ],
    [
      'error edit-mismatch',
      'Edit',
      '<tool_use_error>String to replace not found in file.\nString: a</tool_use_error>',
      {},
    ],
    [
      'error edit-mismatch',
      'Edit',
      '<tool_use_error>Found 3 matches of the string to replace, but replace_all is false.</tool_use_error>',
      {},
    ],
    [
      'error invalid-input',
      'Task',
      '<tool_use_error>InputValidationError: Task failed due to the following issue</tool_use_error>',
      {},
    ],
    ['error unknown-tool', 'Skill', '<tool_use_error>Unknown skill: commit</tool_use_error>', {}],
    ['error unknown-tool', 'Frob', '<tool_use_error>Error: No such tool available: Frob</tool_use_error>', {}],
    ['error too-large', 'Read', 'File content (30000 tokens) exceeds maximum allowed tokens (25000).', {}],
    ['error http-404', 'WebFetch', 'Request failed with status code 404', {}],
    ['error mcp-error', 'mcp__db__query', 'MCP error -32000: closed', {}],
    ['error blocked', 'Bash', "ls in '/x' was blocked. For security, only allowed directories may be listed", {}],
    ['error tool-error', 'Frob', 'Something else', {}],
    ['error tool-error', 'Frob', '', {}],
    ['denied denied', 'Edit', "The user doesn't want to proceed with this tool use. The tool use was rejected", {}],
    ['denied denied', 'Bash', "The user doesn't want to take this action right now. STOP", {}],
    [
      'denied denied',
      'WebSearch',
      "Claude requested permissions to use WebSearch, but you haven't granted it yet.",
      { entrypoint: 'sdk-cli' },
    ],
    ['denied denied', 'Bash', 'This command requires approval', {}],
    ['denied denied', 'Bash', 'no', { toolDenialKind: 'user-rejected' }],
    ['error blocked', 'Bash', 'no', { toolDenialKind: 'hook-blocked' }],
    // SIGINT of a run without a person leaves the words of a refusal.
    [
      'interrupted interrupted',
      'Bash',
      "The user doesn't want to proceed with this tool use.",
      { entrypoint: 'sdk-cli' },
    ],
    ['interrupted interrupted', 'Bash', '[Request interrupted by user for tool use]', {}],
    ['interrupted interrupted', 'Bash', '[Tool call interrupted: the session ended before it finished]', {}],
    ['interrupted sibling-error', 'Read', '<tool_use_error>Sibling tool call errored</tool_use_error>', {}],
  ])('%s: %s says %j', (expected, tool, text, more) => {
    expect(ending(tool, fails(2, 't1', text, more))).toBe(expected);
  });

  it.each<[string, string, Row]>([
    ['ok', 'an object', returns(2, 't1', { stdout: 'Error: not really', interrupted: false })],
    ['ok', 'a list of blocks', returns(2, 't1', [{ type: 'text', text: 'x' }])],
    ['ok', 'a plain string', returns(2, 't1', 'all good')],
    ['ok', 'a result that says it is no error', returns(2, 't1', {}, { is_error: false })],
    ['interrupted interrupted', 'interrupted output', returns(2, 't1', { stdout: 'x', interrupted: true })],
    [
      'error exit-2',
      'an old failure: only a string',
      returns(2, 't1', 'Error: Exit code 2', { content: 'Exit code 2' }),
    ],
  ])('%s: %s', (expected, _, row) => {
    expect(ending('Bash', row)).toBe(expected);
  });

  it('unanswered where there is no result', () => {
    expect(ending('Bash')).toBe('unanswered');
  });

  it('by its first result: a late repair changes nothing', () => {
    expect(ending('Bash', returns(2, 't1'), fails(900, 't1', '[Tool call interrupted: the session ended]'))).toBe('ok');
  });

  it('never with words of the result in the class', () => {
    fc.assert(
      fc.property(fc.string(), fc.boolean(), (text, attended) => {
        const { out } = readMain(asks('Bash'), fails(2, 't1', text, attended ? {} : { entrypoint: 'sdk-cli' }));
        expect(out.field.error.get(1)).toMatch(/^[a-z][a-z0-9-]{0,30}$/);
      }),
    );
  });
});

describe('when a tool ran', () => {
  it.each<[string, string, unknown, Row, string]>([
    ['from the call to the result', 'Bash', { stdout: '' }, {}, '1-21'],
    ['only as long as it says itself', 'WebFetch', { durationMs: 4000 }, {}, '17-21'],
    ['in seconds too', 'WebSearch', { durationSeconds: 2.5 }, {}, '18.5-21'],
    ['a subagent too', 'Agent', { totalDurationMs: 15000 }, {}, '6-21'],
    ['never before it was asked for', 'Grep', { durationMs: 900_000 }, {}, '1-21'],
    [
      'not until the resume that reported its end',
      'Bash',
      'Error: x',
      { content: '[Tool call interrupted: the session ended]', is_error: true },
      '1-1',
    ],
  ])('%s', (_, tool, result, more, expected) => {
    const got = readMain(says(0, 'Go'), asks(tool), returns(21, 't1', result, more));
    expect(story(got, { times: true })[2]).toContain(expected);
  });

  it('parallel calls end each with its own result', () => {
    const got = readMain(
      answers(1, 'm1', [uses('t1', 'Bash'), uses('t2', 'Bash'), uses('t3', 'Read')], { in: 1, out: 900 }),
      returns(3, 't2'),
      returns(2.5, 't3'),
      returns(5, 't1'),
    );
    expect(story(got, { times: true }).slice(1)).toEqual([
      '  tool Bash ok 1-5',
      '  tool Bash ok 1-3',
      '  tool Read ok 1-2.5',
    ]);
  });

  it('a wait for the person is marked: questions, plans, refusals', () => {
    for (const tool of ['AskUserQuestion', 'ExitPlanMode'])
      expect(readMain(asks(tool), returns(2, 't1')).out.has(1, Flag.waits)).toBe(true);
    expect(
      readMain(asks('Edit'), fails(60, 't1', "The user doesn't want to proceed with this tool use.")).out.has(
        1,
        Flag.waits,
      ),
    ).toBe(true);
    expect(readMain(asks('Edit'), returns(2, 't1')).out.has(1, Flag.waits)).toBe(false);
  });
});

describe('calls in the background', () => {
  const note = (status: string, summary: string) =>
    says(
      90,
      `<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>t1</tool-use-id>\n<status>${status}</status>\n<summary>${summary}</summary></task-notification>`,
    );

  it.each<[string, unknown, unknown]>([
    ['asked for', { command: 'npm start', run_in_background: true }, {}],
    ['moved there by the client', { command: 'npm start' }, { backgroundTaskId: 'b1' }],
    ['a subagent that reports later', { prompt: 'x' }, { isAsync: true, status: 'async_launched', agentId: 'a1' }],
  ])('%s', (_, input, result) => {
    expect(readMain(asks('Bash', input), returns(2, 't1', result)).out.has(1, Flag.background)).toBe(true);
  });

  it.each([
    ['completed', 'Background command "x" completed (exit code 0)', 'ok '],
    ['failed', 'Background command "x" failed with exit code 3', 'error exit-3'],
    ['failed', 'Agent "x" failed', 'error background-failed'],
    ['killed', 'Background command "x" was stopped', 'interrupted interrupted'],
  ])('whose end is told later: %s, %s', (status, summary, expected) => {
    const { out } = readMain(asks('Bash', { run_in_background: true }), returns(2, 't1'), note(status, summary));
    expect(`${out.field.status.get(1)} ${out.field.error.get(1)}`).toBe(expected);
  });
});

describe('what a tool call names is kept for the effects', () => {
  it.each<[string, unknown, unknown, unknown[]]>([
    ['Read', { file_path: '/w/a.ts' }, {}, [['read', '/w/a.ts']]],
    ['NotebookEdit', { notebook_path: '/w/n.ipynb' }, {}, [['write', '/w/n.ipynb']]],
    ['Edit', { file_path: '/w/a.ts', old_string: 'x' }, {}, [['write', '/w/a.ts']]],
    ['MultiEdit', { file_path: '/w/a.ts', edits: [] }, {}, [['write', '/w/a.ts']]],
    ['Write', { file_path: '/w/a.ts' }, { type: 'create' }, [['create', '/w/a.ts']]],
    ['Write', { file_path: '/w/a.ts' }, { type: 'update' }, [['write', '/w/a.ts']]],
    ['Grep', { pattern: 'x', path: 'src' }, {}, [['read', 'src']]],
    ['Glob', { pattern: '**/*.ts' }, {}, []],
    ['LS', { path: '/w' }, {}, [['read', '/w']]],
    ['LSP', { filePath: '/w/a.ts' }, {}, [['read', '/w/a.ts']]],
    ['Bash', { command: 'ls | wc' }, {}, [['shell', 'ls | wc']]],
    ['PowerShell', { command: 'Get-Item' }, {}, [['shell', 'Get-Item']]],
    ['Monitor', { command: 'tail -f x' }, {}, [['shell', 'tail -f x']]],
    ['WebFetch', { url: 'https://example.org/a', prompt: 'x' }, {}, [['url', 'https://example.org/a']]],
    ['WebSearch', { query: 'how to' }, {}, [['search', 'how to']]],
    ['mcp__web__get', { url: 'https://example.org/b' }, {}, [['url', 'https://example.org/b']]],
    ['mcp__web__get', { url: 'not one' }, {}, []],
    ['Read', { file_path: 7 }, {}, []],
    ['Read', 'no object', {}, []],
  ])('%s %j', (tool, input, result, expected) => {
    expect(touches(readMain(asks(tool, input), returns(2, 't1', result)))).toEqual(expected);
  });

  it.each<[string, string, boolean]>([
    ['a refused command touches nothing', "The user doesn't want to proceed with this tool use.", false],
    ['a blocked command touches nothing', 'This was blocked.', false],
    ['a failed command ran', 'Exit code 1', true],
    ['a command of old versions, failing without an exit code, ran', 'lsd: No such file or directory', true],
    ['an interrupted command ran', '[Request interrupted by user for tool use]', true],
  ])('%s', (_, text, expected) => {
    expect(touches(readMain(asks('Bash', { command: 'x' }), fails(2, 't1', text))).length > 0).toBe(expected);
  });

  it('a file that is not there was not read, and a call without result is no evidence', () => {
    expect(touches(readMain(asks('Read', { file_path: '/w/a' }), fails(2, 't1', 'File does not exist.')))).toEqual([]);
    expect(touches(readMain(asks('Bash', { command: 'x' })))).toEqual([]);
  });

  it('servers, skills and commands have their fields', () => {
    const server = (name: string) => readMain(asks(name)).out.field.mcp_server.get(1);
    expect(server('mcp__claude_ai_Linear__get_issue')).toBe('claude_ai_Linear');
    expect(server('mcp__plugin_x_y-z__a__b')).toBe('plugin_x_y-z');
    expect(server('mcp__odd')).toBe('');
    expect(readMain(asks('Skill', { skill: 'ship', args: 'x' })).out.field.skill.get(1)).toBe('ship');
    const { out } = readMain(asks('Bash', { command: 'make' }, { attributionSkill: 'ship' }));
    expect([
      out.field.skill.get(0),
      out.field.skill.get(1),
      out.texts.get('command', 1),
      out.field.tool.get(1),
    ]).toEqual(['ship', 'ship', 'make', 'Bash']);
  });

  it('provider-run tools are tool calls too', () => {
    const got = readMain(
      answers(
        1,
        'm1',
        [
          { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'q' } },
          { type: 'web_search_tool_result', tool_use_id: 's1', content: [] },
        ],
        {
          in: 1,
          out: 90,
        },
      ),
    );
    expect(story(got)).toEqual(['call claude-a 1/0/0/0/90/0', '  tool web_search ok']);
    expect(touches(got)).toEqual([['search', 'q']]);
  });
});

describe('arguments are told apart by their digest', () => {
  const same = (a: unknown, b: unknown) => JSON.stringify(digest(a)) === JSON.stringify(digest(b));

  it('equal values have equal digests, different ones different', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(same(a, JSON.parse(JSON.stringify(a)))).toBe(true);
        if (JSON.stringify(a) !== JSON.stringify(b)) expect(same(a, b)).toBe(false);
      }),
    );
  });

  it.each<[string, unknown, unknown]>([
    ['one character of a command', { command: 'ls a' }, { command: 'ls b' }],
    ['where a text ends', { a: 'xy', b: 'z' }, { a: 'x', b: 'yz' }],
    ['the end of a long text', { a: `${'x'.repeat(9000)}1` }, { a: `${'x'.repeat(9000)}2` }],
    ['the length of a long text', { a: 'x'.repeat(9000) }, { a: 'x'.repeat(9001) }],
    ['nothing and null', undefined, null],
  ])('by %s', (_, a, b) => {
    expect(same(a, b)).toBe(false);
  });

  it('nesting without end is no danger', () => {
    let deep: unknown = 'x';
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(digest(deep).low).toBeGreaterThan(0);
  });
});
