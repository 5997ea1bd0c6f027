import { describe, expect, it } from 'vitest';
import { NO_ROW } from '../../../src/trace/kinds.ts';
import { link } from '../../../src/trace/link.ts';
import { type File, type Read, read, story, sumsByModel } from './reading.ts';
import { answers, type Row, returns, says, uses } from './rows.ts';

const MAIN = '/h/projects/-w/0a1b2c3d-0000-4000-8000-00000000000a.jsonl';
const ID = '0a1b2c3d-0000-4000-8000-00000000000a';
const FOLDER = `/h/projects/-w/${ID}/subagents`;

/** The rows of a main session that starts one subagent and hears from it. */
function parent(tool: string, result: unknown, input: Row = {}): Row[] {
  const rows = [
    says(0, 'Look around'),
    answers(1, 'm1', [uses('t1', tool, { prompt: 'Look at src', subagent_type: 'Explore', ...input })], {
      in: 1,
      out: 90,
    }),
    returns(20, 't1', result),
    answers(22, 'm2', 'Done.', { in: 2, out: 9 }),
  ];
  return rows.map(row => ({ ...row, sessionId: ID }));
}

/** The rows of that subagent. */
function child(more: Row, task = true): Row[] {
  const rows = [
    ...(task ? [says(2, 'Look at src')] : []),
    answers(4, 'm10', [uses('t10', 'Read')], { in: 10, out: 60 }),
    returns(5, 't10'),
    answers(6, 'm11', 'Two files.', { in: 20, out: 9 }),
  ];
  return rows.map(row => ({ ...row, isSidechain: true, sessionId: ID, ...more }));
}

const TREE = [
  'prompt "Look around"',
  '  call claude-a 1/0/0/0/90/0',
  '    tool NAME ok',
  '  call claude-a 2/0/0/0/9/0',
  '      event task +opensTurn',
  '        call claude-a 10/0/0/0/60/0',
  '          tool Read ok',
  '        call claude-a 20/0/0/0/9/0',
];
const tree = (name: string, task = true) =>
  task
    ? TREE.map(line => line.replace('NAME', name))
    : TREE.filter(line => !line.includes('task')).map(line => line.replace('NAME', name).replace(/^ {8}/, '      '));

function subagents({ out }: Read) {
  return out.sessions.all.filter(session => session.parent !== undefined);
}

describe('a subagent is a session of its own below the call that started it', () => {
  const result = { status: 'completed', agentId: 'a1' };
  const meta = { 'agent-a1.meta.json': { agentType: 'Plan', toolUseId: 't1' } };
  it.each<[string, Record<string, File>, Record<string, unknown>, string, boolean, string]>([
    [
      'by the call its metadata names',
      { [MAIN]: parent('Agent', {}), [`${FOLDER}/agent-a1.jsonl`]: child({ agentId: 'a1' }) },
      meta,
      'Agent',
      true,
      'Plan',
    ],
    [
      'by its id in the result of Agent',
      { [MAIN]: parent('Agent', result), [`${FOLDER}/agent-a1.jsonl`]: child({ agentId: 'a1' }) },
      {},
      'Agent',
      true,
      'Explore',
    ],
    [
      'by its id in the result of Task, flat',
      { [MAIN]: parent('Task', result), '/h/projects/-w/agent-a1.jsonl': child({ agentId: 'a1' }) },
      {},
      'Task',
      true,
      'Explore',
    ],
    [
      'by its id where its task was not written (2.0.x)',
      { [MAIN]: parent('Task', result), '/h/projects/-w/agent-a1.jsonl': child({ agentId: 'a1' }, false) },
      {},
      'Task',
      false,
      'Explore',
    ],
    [
      'by its folder and its task where the main file names no id',
      { [MAIN]: parent('Task', {}), [`${FOLDER}/agent-x.jsonl`]: child({}) },
      {},
      'Task',
      true,
      'Explore',
    ],
    [
      'by its folder where its rows name another session',
      { [MAIN]: parent('Task', {}), [`${FOLDER}/workflows/wf_1/agent-x.jsonl`]: child({ sessionId: 'somewhere' }) },
      {},
      'Task',
      true,
      'Explore',
    ],
    [
      'read before its parent',
      { [`${FOLDER}/agent-a1.jsonl`]: child({ agentId: 'a1' }), [MAIN]: parent('Agent', result) },
      {},
      'Agent',
      true,
      'Explore',
    ],
  ])('%s', (_, files, beside, tool, task, kind) => {
    const got = read(files, beside);
    expect(story(got).sort()).toEqual(tree(tool, task).sort());
    expect(subagents(got).map(session => [session.parent, session.subagent])).toEqual([[ID, kind]]);
  });

  it('inline, up to 2.0.2x: a chain of rows without a name, told by its task', () => {
    const rows = chained(child({}), 'c');
    const got = read({ [MAIN]: [...parent('Task', {}).slice(0, 2), ...rows, ...parent('Task', {}).slice(2)] });
    expect(story(got).sort()).toEqual(tree('Task').sort());
    expect(subagents(got)).toMatchObject([{ id: `${ID}:c0`, parent: ID, subagent: 'Explore' }]);
  });

  it('two inline chains that run at once stay apart', () => {
    const one = chained(
      [says(2, 'A'), answers(4, 'm10', 'a', { in: 1, out: 9 }), answers(6, 'm11', 'a', { in: 1, out: 9 })],
      'a',
    );
    const two = chained(
      [says(3, 'B'), answers(5, 'm20', 'b', { in: 2, out: 9 }), answers(7, 'm21', 'b', { in: 2, out: 9 })],
      'b',
    );
    const got = read({ [MAIN]: [one[0], two[0], one[1], two[1], one[2], two[2]] });
    expect(story(got, { sessions: true, times: true })).toEqual([
      `event task 2-2 @${ID}:a0 +opensTurn`,
      `event task 3-3 @${ID}:b0 +opensTurn`,
      `  call claude-a 1/0/0/0/9/0 2-4 @${ID}:a0`,
      `  call claude-a 2/0/0/0/9/0 3-5 @${ID}:b0`,
      `  call claude-a 1/0/0/0/9/0 6-6 @${ID}:a0`,
      `  call claude-a 2/0/0/0/9/0 7-7 @${ID}:b0`,
    ]);
  });

  it('what its parent tells it later is a message, not a prompt', () => {
    const rows = [
      ...child({ agentId: 'a1' }),
      { ...says(30, 'Round two'), isSidechain: true, agentId: 'a1', sessionId: ID },
    ];
    const more = { ...answers(33, 'm12', 'Yes.', { in: 1, out: 9 }), isSidechain: true, agentId: 'a1', sessionId: ID };
    const got = read({ [`${FOLDER}/agent-a1.jsonl`]: [...rows, more] });
    expect(story(got).slice(-2)).toEqual(['event message +opensTurn', '  call claude-a 1/0/0/0/9/0']);
  });
});

/** Rows as one inline sidechain: each is the child of the one before. */
function chained(rows: Row[], name: string): Row[] {
  return rows.map((row, i) => ({
    ...row,
    isSidechain: true,
    sessionId: ID,
    uuid: `${name}${i}`,
    parentUuid: i === 0 ? null : `${name}${i - 1}`,
  }));
}

describe('messages of a running subagent, repeated as progress', () => {
  const rows = child({ agentId: 'a1' });
  const progress = rows.map(row => {
    const { type, uuid, timestamp, message } = row as Record<string, unknown>;
    return {
      ...row,
      isSidechain: false,
      agentId: undefined,
      type: 'progress',
      uuid: `p-${uuid}`,
      parentToolUseID: 't1',
      data: { type: 'agent_progress', agentId: 'a1', prompt: 'x', message: { type, uuid, timestamp, message } },
    };
  });
  const main = [
    ...parent('Task', { agentId: 'a1' }).slice(0, 2),
    ...progress,
    ...parent('Task', { agentId: 'a1' }).slice(2),
  ];
  const ALL = { calls: 4, input: 33, cache_read: 0, cache_write: 0, output: 168, total: 201 };

  it('are not counted on top of its own file', () => {
    const got = read({ [MAIN]: main, [`${FOLDER}/agent-a1.jsonl`]: rows });
    expect(sumsByModel(got)).toEqual({ 'claude-a': ALL });
    expect(story(got).sort()).toEqual(tree('Task').sort());
  });

  it('are all there is where its file is gone', () => {
    const got = read({ [MAIN]: main });
    expect(sumsByModel(got)).toEqual({ 'claude-a': ALL });
    expect(story(got).sort()).toEqual(tree('Task').sort());
    expect(subagents(got)).toMatchObject([{ id: 'a1', parent: ID, subagent: 'Explore', spawnCall: 't1' }]);
  });

  it('other progress is display', () => {
    const got = read({ [MAIN]: [{ ...progress[1], data: { type: 'bash_progress', output: 'x' } }] });
    expect(got.out.length).toBe(0);
    expect(got.ledgers[0]?.unknown.size).toBe(0);
  });
});

describe('subagents that nobody asked for', () => {
  const only = (id: string, rows: Row[]) => ({
    [`/h/projects/-w/agent-${id}.jsonl`]: rows.map(row => ({ ...row, isSidechain: true, agentId: id, sessionId: ID })),
  });

  it('are cache warmers, told by their prompt or by having none and being named by no call', () => {
    const got = read({
      [MAIN]: parent('Task', { agentId: 'a1' }),
      ...only('a1', [answers(2, 'm10', 'ok', { in: 1, out: 3 })]),
      ...only('w1', [says(0, 'Warmup'), answers(1, 'm20', 'ok', { in: 1, out: 3 })]),
      ...only('w2', [answers(1, 'm30', 'ok', { in: 1, out: 3 })]),
    });
    expect(subagents(got).map(session => [session.id, session.warmer ?? false])).toEqual([
      ['a1', false],
      ['w1', true],
      ['w2', true],
    ]);
    const links = link(got.out);
    expect(got.out.sessions.all.map((_, at) => links.spawn[at] !== NO_ROW)).toEqual([false, true, false, false]);
  });

  it('that write a compaction’s summary are calls of the compaction', () => {
    const rows = [says(2, 'Summarise'), answers(3, 'm10', 'Summary', { in: 9, out: 9 })];
    const got = read({
      [`${FOLDER}/agent-acompact-1f.jsonl`]: rows.map(row => ({
        ...row,
        isSidechain: true,
        agentId: 'acompact-1f',
        sessionId: ID,
      })),
    });
    expect(story(got)).toEqual(['event task +opensTurn', '  call claude-a 9/0/0/0/9/0 +compaction']);
    expect(subagents(got)).toMatchObject([{ subagent: 'compact' }]);
  });
});

describe('a session', () => {
  it('has the first working directory and entry point of its rows; each row keeps its own directory and branch', () => {
    const { out } = read({
      [MAIN]: [
        says(0, 'Go', { sessionId: ID, entrypoint: 'cli', cwd: '/a' }),
        answers(1, 'm1', 'x', {}, { sessionId: ID, cwd: '/b', gitBranch: 'fix', version: '2.1.101' }),
      ],
    });
    expect(out.sessions.all).toMatchObject([{ id: ID, cwd: '/a', entrypoint: 'cli' }]);
    expect(['cwd', 'branch', 'agent_version'].map(name => out.field[name as 'cwd'].get(1))).toEqual([
      '/b',
      'fix',
      '2.1.101',
    ]);
  });

  it('is the file, also for rows that keep the id of the session they were copied from', () => {
    const old = '0a1b2c3d-0000-4000-8000-00000000000b';
    const { out } = read({ [MAIN]: [says(0, 'Go', { sessionId: old }), answers(1, 'm1', 'x', {}, { sessionId: ID })] });
    expect(out.sessions.all).toEqual([{ agent: 'claude-code', id: ID, file: 0, cwd: '/work/shop', forkedFrom: old }]);
  });

  it('gives what it forked to the session it was forked from', () => {
    const other = '0a1b2c3d-0000-4000-8000-00000000000b';
    const history = [says(0, 'Go', { uuid: 'u1' }), answers(1, 'm1', 'x', { in: 7, out: 9 }, { uuid: 'a1' })];
    // The fork begins with what was asked now; nothing else tells it from its parent.
    const fork = [
      { type: 'queue-operation', operation: 'dequeue', timestamp: '2026-01-02T11:00:00Z', sessionId: ID },
      ...history.map(row => ({ ...row, sessionId: ID })),
    ];
    const files = { [MAIN]: fork, [MAIN.replace(ID, other)]: history.map(row => ({ ...row, sessionId: other })) };
    const got = read(files);
    expect(story(got, { sessions: true })).toEqual([`prompt "Go" @${other}`, `  call claude-a 7/0/0/0/9/0 @${other}`]);
    expect(got.out.sessions.all.map(session => session.forkedFrom)).toEqual([other, undefined]);
    // Alone, the fork is all there is.
    expect(story(read({ [MAIN]: fork }), { times: true })).toEqual([
      'prompt "Go" 0-0',
      '  call claude-a 7/0/0/0/9/0 0-1',
    ]);
  });
});
