import { describe, expect, test } from 'vitest';
import { drawn, readAll } from './reading.ts';
import { type Rollout, rollout } from './rollout.ts';

const begun = () => rollout('t').turn('m').prompt('go');
const read = (made: Rollout) => readAll({ 'a.jsonl': made.rows });
const tools = (made: Rollout) => drawn(read(made)).filter(line => line.startsWith('tool'));

describe('how a call ended', () => {
  const end = (event: Record<string, unknown>) => ({ call_id: '1', ...event });

  test.each<[string, unknown, Record<string, unknown> | undefined, string]>([
    [
      'text with an exit code',
      'Chunk ID: 1\nWall time: 1 seconds\nProcess exited with code 1\nOutput:\nProcess exited with code 0',
      undefined,
      ' error exit-1',
    ],
    ['text of the other shell tool', 'Exit code: 2\nWall time: 1 seconds\nOutput:\nx', undefined, ' error exit-2'],
    [
      'JSON in a string',
      JSON.stringify({ output: 'x "exit_code":0', metadata: { exit_code: 127, duration_seconds: 0.1 } }),
      undefined,
      ' error exit-127',
    ],
    [
      'JSON in a long string',
      JSON.stringify({ output: 'x'.repeat(10_000), metadata: { exit_code: 1, duration_seconds: 0.1 } }),
      undefined,
      ' error exit-1',
    ],
    [
      'JSON that says success',
      JSON.stringify({ output: '"metadata":{"exit_code":9', metadata: { exit_code: 0, duration_seconds: 0.1 } }),
      undefined,
      '',
    ],
    [
      'a patch inside a shell command',
      'Wall time: 0 seconds\nOutput:\nExit code: 1\nWall time: 0 seconds',
      undefined,
      ' error exit-1',
    ],
    ['a command that says exit codes itself', 'Process exited with code 0\nOutput:\nExit code: 1', undefined, ''],
    ['a time limit', 'command timed out after 1000 milliseconds\nOutput:\n', undefined, ' error timeout'],
    [
      'a time limit in JSON',
      JSON.stringify({
        output: 'command timed out after 10 milliseconds',
        metadata: { exit_code: 124, duration_seconds: 10 },
      }),
      undefined,
      ' error timeout',
    ],
    ['an interruption', 'aborted by user after 3.2s', undefined, ' interrupted interrupted'],
    [
      'an interruption with an exit code after it',
      'aborted by user',
      { type: 'item_completed', item: { type: 'CommandExecution', id: '1', status: 'failed', exit_code: 137 } },
      ' interrupted interrupted',
    ],
    ['a refusal', 'exec command rejected by user', undefined, ' denied denied'],
    [
      'a refusal in an item',
      'x',
      { type: 'item_completed', item: { type: 'CommandExecution', id: '1', status: 'declined' } },
      ' denied denied',
    ],
    ['a patch that does not fit', 'apply_patch verification failed: no such line', undefined, ' error patch-failed'],
    ['a patch that fails', 'x', end({ type: 'patch_apply_end', success: false, changes: {} }), ' error patch-failed'],
    ['arguments nobody can read', 'failed to parse function arguments: EOF', undefined, ' error tool-error'],
    [
      'a script that fails',
      [{ type: 'input_text', text: 'Script failed\nWall time 1 seconds' }],
      undefined,
      ' error tool-error',
    ],
    ['a script that completes', [{ type: 'input_text', text: 'Script completed\nWall time 1 seconds' }], undefined, ''],
    ['an object', { content: 'x', success: false }, undefined, ' error tool-error'],
    ['an exec event', 'x', end({ type: 'exec_command_end', exit_code: 4, status: 'failed' }), ' error exit-4'],
    ['a dynamic tool', 'x', end({ type: 'dynamic_tool_call_response', success: false }), ' error tool-error'],
    ['nothing at all', undefined, undefined, ''],
  ])('%s', (_, output, event, words) => {
    const made = begun().calls('exec_command', { cmd: 'x' }, '1').gives(output, '1');
    if (event) made.event(event);
    expect(tools(made)).toEqual([`tool exec_command${words} <1`]);
  });

  test('no text of an error is kept in a field', () => {
    const { ops } = read(begun().calls('x', {}, '1').gives('Error: the password is hunter2', '1'));
    expect(
      Object.values(ops.field)
        .flatMap(column => column.values)
        .join(),
    ).not.toContain('hunter2');
  });

  test('a call without a result is unanswered, until the result comes', () => {
    const records = begun().calls('x', {}, '1').gives('ok', '1').rows;
    expect(drawn(readAll({ a: records.slice(0, -1) })).at(-1)).toBe('tool x unanswered <1');
    expect(drawn(readAll({ a: records }, [records.length - 1])).at(-1)).toBe('tool x <1');
  });
});
