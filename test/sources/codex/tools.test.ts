import { describe, expect, test } from 'vitest';
import { Kind } from '../../../src/trace/kinds.ts';
import { drawn, readAll } from './reading.ts';
import { type Rollout, rollout } from './rollout.ts';

const begun = () => rollout('t').turn('m').prompt('go');
const read = (made: Rollout) => readAll({ 'a.jsonl': made.rows });
const tools = (made: Rollout, options = {}) => drawn(read(made), options).filter(line => line.startsWith('tool'));

describe('tools belong to the answer that asked for them', () => {
  const answers = (made: Rollout) => drawn(read(made.says('done')));
  const two = [
    'prompt "go"',
    'call m 10+0+0+1+0 <0',
    'tool a <1',
    'tool b <1',
    'call m 20+0+0+2+0 <0',
    'tool c <4',
    'call m 30+0+0+3+0 <0',
  ];

  test.each<[string, Rollout]>([
    [
      'items, usage, results (0.98)',
      begun()
        .calls('a', {}, '1')
        .calls('b', {}, '2')
        .counts([10, 0, 1])
        .gives('x', '1')
        .gives('x', '2')
        .calls('c', {}, '3')
        .counts([20, 0, 2])
        .gives('x', '3')
        .says('done')
        .counts([30, 0, 3]),
    ],
    [
      'items, results, usage (0.131)',
      begun()
        .calls('a', {}, '1')
        .calls('b', {}, '2')
        .gives('x', '1')
        .gives('x', '2')
        .counts([10, 0, 1])
        .calls('c', {}, '3')
        .gives('x', '3')
        .counts([20, 0, 2])
        .says('done')
        .counts([30, 0, 3]),
    ],
    [
      'usage, then calls and results in one go (0.39)',
      begun()
        .counts([10, 0, 1])
        .after(90)
        .calls('a', {}, '1')
        .after(0)
        .gives('x', '1')
        .after(0)
        .calls('b', {}, '2')
        .after(0)
        .gives('x', '2')
        .counts([20, 0, 2])
        .after(90)
        .calls('c', {}, '3')
        .after(0)
        .gives('x', '3')
        .counts([30, 0, 3])
        .after(0),
    ],
    [
      'items, record, results, counter (0.171)',
      begun()
        .calls('a', {}, '1')
        .calls('b', {}, '2')
        .records([10, 0, 1], 'r1')
        .gives('x', '1')
        .gives('x', '2')
        .again([10, 0, 1])
        .calls('c', {}, '3')
        .records([20, 0, 2], 'r2')
        .gives('x', '3')
        .again([20, 0, 2])
        .says('done')
        .records([30, 0, 3], 'r3')
        .again([30, 0, 3])
        .after(0),
    ],
  ])('%s', (_, made) => {
    expect(answers(made).slice(0, two.length)).toEqual(two);
  });

  test('an answer whose usage was never written is there, its tokens unknown', () => {
    expect(drawn(read(begun().calls('a', {}, '1').turn('m').prompt('again').says('ok').counts([5, 0, 5])))).toEqual([
      'prompt "go"',
      'call m ? <0',
      'tool a unanswered <1',
      'prompt "again"',
      'call m 5+0+0+5+0 <3',
    ]);
  });
});

describe('times', () => {
  test('an answer runs from what caused it to its last item, a tool from its call to its first sign of an end', () => {
    const end = {
      type: 'item_completed',
      item: { type: 'CommandExecution', id: '1', exit_code: 0, status: 'completed' },
    };
    const made = begun()
      .after(2000)
      .says('I look')
      .after(500)
      .calls('a', {}, '1')
      .after(3000)
      .event(end)
      .after(4000)
      .gives('x', '1')
      .after(100)
      .counts([10, 0, 1]);
    expect(drawn(read(made), { times: true })).toEqual([
      'prompt 0-0 "go"',
      'call 0-2.5 m 10+0+0+1+0 <0',
      'tool 2.5-5.5 a <1',
    ]);
  });

  test('a command that goes on ends for the agent with its result; how it ended is told later', () => {
    const made = begun()
      .calls('exec_command', { cmd: 'make' }, '1')
      .counts([10, 0, 1])
      .after(2000)
      .gives('Wall time: 1.0 seconds\nProcess running with session ID 77\nOutput:\n', '1');
    made
      .calls('write_stdin', { session_id: 77, chars: '' }, '2')
      .counts([20, 0, 1])
      .after(3000)
      .gives('Process exited with code 2\nOutput:\n', '2');
    expect(tools(made, { times: true })).toEqual([
      'tool 1-4 exec_command error exit-2 background <1',
      'tool 5-9 write_stdin <3',
    ]);
  });

  test('calls and results written in one go are laid back to back by the durations they report', () => {
    const result = (code: number, seconds: number) =>
      JSON.stringify({ output: 'x', metadata: { exit_code: code, duration_seconds: seconds } });
    const made = begun().after(1000).event({ type: 'agent_message', message: 'x' }).after(9000).counts([10, 0, 1]);
    made
      .after(0)
      .calls('shell', {}, '1')
      .after(0)
      .gives(result(0, 2), '1')
      .after(0)
      .calls('shell', {}, '2')
      .after(0)
      .gives(result(3, 5), '2');
    expect(drawn(read(made), { times: true })).toEqual([
      'prompt 0-0 "go"',
      'call 0-1 m 10+0+0+1+0 <0',
      'tool 3-5 shell <1',
      'tool 5-10 shell error exit-3 <1',
    ]);
  });

  test('waiting for other agents or for the person is no work of the tool', () => {
    const made = begun()
      .calls('wait_agent', { targets: ['x'] }, '1')
      .gives('{}', '1')
      .calls('request_user_input', {}, '2')
      .gives('{}', '2')
      .calls('wait', { cell_id: '8' }, '3')
      .gives('Script completed', '3');
    expect(tools(made)).toEqual(['tool wait_agent waits <1', 'tool request_user_input waits <3', 'tool wait <5']);
  });
});

describe('names', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['as written', { name: 'update_plan' }, 'tool update_plan'],
    ['of MCP tools', { name: 'mcp__github__get_issue' }, 'tool mcp__github__get_issue github'],
    [
      'of MCP tools with a namespace',
      { name: 'get_issue', namespace: 'mcp__github' },
      'tool mcp__github__get_issue github',
    ],
    [
      'of MCP tools with both',
      { name: 'mcp__github__get_issue', namespace: 'mcp__github' },
      'tool mcp__github__get_issue github',
    ],
    ['other namespaces are no part of it', { name: 'spawn_agent', namespace: 'multi_agent_v1' }, 'tool spawn_agent'],
    ['that mean something to JavaScript', { name: '__proto__' }, 'tool __proto__'],
    ['that mean something to JavaScript', { name: 'constructor', call_id: '__proto__' }, 'tool constructor'],
    ['missing', { name: undefined }, 'tool unknown'],
  ])('%s', (_, more, line) => {
    const id = (more.call_id as string | undefined) ?? '1';
    expect(tools(begun().calls('x', {}, id, more).gives('ok', id))).toEqual([`${line} <1`]);
  });

  test('an MCP server is told by the event of older versions', () => {
    const event = {
      type: 'mcp_tool_call_end',
      call_id: '1',
      invocation: { server: 'files', tool: 'read' },
      result: { Err: 'x' },
    };
    expect(tools(begun().calls('files__read', {}, '1').event(event).gives('x', '1'))).toEqual([
      'tool mcp__files__read error tool-error files <1',
    ]);
  });
});

describe('identities', () => {
  test('equal arguments of equal tools are recognised, whatever their ids', () => {
    const { ops } = read(
      begun()
        .calls('x', { a: 1 }, '1')
        .gives('', '1')
        .calls('x', { a: 1 }, '2')
        .gives('', '2')
        .calls('x', { a: 2 }, '3'),
    );
    const [first, second, third] = Array.from({ length: ops.length }, (_, row) => row)
      .filter(row => ops.kind.get(row) === Kind.tool)
      .map(row => `${ops.argsKey.high[row]}.${ops.argsKey.low[row]}`);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  test.each<[string, Rollout]>([
    [
      'the result of the call',
      begun().calls('spawn_agent', { message: 'x' }, '1').gives('{"agent_id":"child","nickname":"Gauss"}', '1'),
    ],
    [
      'an event',
      begun()
        .calls('spawn_agent', { message: 'x' }, '1')
        .event({ type: 'collab_agent_spawn_end', call_id: '1', new_thread_id: 'child' })
        .gives('{"task_name":"/root/a"}', '1'),
    ],
    [
      'an activity',
      begun()
        .calls('spawn_agent', { message: 'x' }, '1')
        .event({ type: 'sub_agent_activity', kind: 'started', event_id: '1', agent_thread_id: 'child' })
        .gives('{}', '1'),
    ],
    [
      'an item',
      begun()
        .calls('spawn_agent', { message: 'x' }, '1')
        .event({
          type: 'item_completed',
          item: { type: 'CollabAgentToolCall', id: '1', status: 'completed', receiver_thread_ids: ['child'] },
        })
        .gives('{}', '1'),
    ],
  ])('a spawned thread is known from %s', (_, made) => {
    expect(tools(made)).toEqual(['tool spawn_agent spawns=child background <1']);
  });
});
