import { describe, expect, test } from 'vitest';
import { machineText, typedPart } from '../../../src/sources/codex/machine-text.ts';
import { drawn, readAll } from './reading.ts';
import { type Rollout, rollout } from './rollout.ts';

const prompts = (made: Rollout) =>
  drawn(readAll({ 'a.jsonl': made.rows })).filter(line => /^(prompt|event)/.test(line));

const item = (text: string, id = 'u1') => ({
  type: 'item_completed',
  item: { type: 'UserMessage', id, content: [{ type: 'text', text }] },
});

describe('a prompt counts once, in whatever forms it is written', () => {
  test.each<[string, Rollout, string[]]>([
    ['message and event', rollout('t').turn('m').prompt('fix it').says('ok'), ['prompt "fix it"']],
    [
      'message and item',
      rollout('t').turn('m').message('user', 'fix it').event(item('fix it')).says('ok'),
      ['prompt "fix it"'],
    ],
    [
      'message, event and item',
      rollout('t').turn('m').prompt('fix it').event(item('fix it')).says('ok'),
      ['prompt "fix it"'],
    ],
    [
      'event and item without a message',
      rollout('t').turn('m').event({ type: 'user_message', message: 'fix it' }).event(item('fix it')),
      ['prompt "fix it"'],
    ],
    ['the event alone', rollout('t').turn('m').event({ type: 'user_message', message: 'fix it' }), ['prompt "fix it"']],
    [
      'the message alone, once the model answers',
      rollout('t').turn('m').message('user', 'fix it').says('ok'),
      ['prompt "fix it"'],
    ],
    [
      'the same words twice are two prompts',
      rollout('t').turn('m').prompt('ok').prompt('ok').says('done'),
      ['prompt "ok"', 'prompt "ok"'],
    ],
    [
      'an event whose message wraps an image',
      rollout('t')
        .turn('m')
        .message('user', '<image>\n</image>\nlook')
        .event({ type: 'user_message', message: 'look' })
        .says('ok'),
      ['prompt "look"'],
    ],
    [
      'a picture without words',
      rollout('t')
        .turn('m')
        .message('user', '')
        .event({ type: 'user_message', message: '', images: ['x'] })
        .says('ok'),
      ['prompt ""'],
    ],
    ['words of any script', rollout('t').turn('m').prompt('为什么失败 <b>?').says('ok'), ['prompt "为什么失败 <b>?"']],
    [
      'a prompt in the middle of a turn',
      rollout('t').turn('m').prompt('a').says('ok').prompt('wait, b').says('ok'),
      ['prompt "a"', 'prompt "wait, b"'],
    ],
  ])('%s', (_, made, lines) => {
    expect(prompts(made)).toEqual(lines);
  });
});

describe('what the client put into the user role is no prompt', () => {
  test.each([
    '<environment_context>\n  <cwd>/w</cwd>\n</environment_context>',
    '# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nbe brief\n</INSTRUCTIONS>',
    '<user_instructions>\n\nbe brief\n\n</user_instructions>',
    '<skill>\n<name>yeet</name>\n</skill>',
    '<turn_aborted>\nThe user interrupted the previous turn.\n</turn_aborted>',
    '<model_switch>\nnow another\n</model_switch>',
    '<permissions instructions>\nno\n</permissions instructions>',
    '<recommended_plugins>\nx\n</recommended_plugins>',
    '<user_shell_command>\nls\n</user_shell_command>',
    '<next_years_element>\nx\n</next_years_element>',
  ])('%s', text => {
    expect(prompts(rollout('t').turn('m').message('user', text).says('ok'))).toEqual([]);
    expect(prompts(rollout('t').turn('m').message('user', text).prompt('go').message('user', text).says('ok'))).toEqual(
      ['prompt "go"'],
    );
  });

  test('an unknown one in a file whose prompts are events', () => {
    expect(
      prompts(
        rollout('t')
          .turn('m')
          .message('user', 'injected words')
          .prompt('go')
          .says('ok')
          .message('user', 'more')
          .says('ok'),
      ),
    ).toEqual(['prompt "go"']);
  });

  test('events of another kind (0.36)', () => {
    const event = { type: 'user_message', message: 'cwd is /w', kind: 'environment_context' };
    expect(
      prompts(
        rollout('t')
          .turn('m')
          .event(event)
          .event({ ...event, message: 'go', kind: 'plain' })
          .says('ok'),
      ),
    ).toEqual(['prompt "go"']);
  });

  test('but a person may send nothing else than an element, if the client says it was a prompt', () => {
    const text = '<my_config>\n  <a>1</a>\n</my_config>';
    expect(prompts(rollout('t').turn('m').prompt(text).says('ok'))).toEqual([`prompt ${JSON.stringify(text)}`]);
  });

  test('developer and system messages', () => {
    expect(
      prompts(rollout('t').turn('m').message('developer', 'be brief').message('system', 'x').prompt('go').says('ok')),
    ).toEqual(['prompt "go"']);
  });

  test.each(['<b>bold</b> is what I want', '<div>\n</div>', '# Title\ntext', '<not closed_tag> hello', '/plan'])(
    'a person’s own %s stays a prompt',
    text => {
      expect(machineText(text, true)).toBe('');
    },
  );
});

describe('what a person wrote is told apart from what the editor added', () => {
  test.each([
    ['# Context from my IDE setup:\n\n## Open tabs:\n- a.ts\n\n## My request for Codex:\nfix it\n', 'fix it'],
    ['\n# Files mentioned by the user:\n\n## a.png: /a.png\n\n## My request for Codex:\nadd it', 'add it'],
    ['explain "## My request for Codex:" please', 'explain "## My request for Codex:" please'],
    ['plain', 'plain'],
  ])('%j', (whole, typed) => {
    expect(typedPart(whole)).toBe(typed);
  });
});

describe('events', () => {
  test.each<[string, Rollout, string[]]>([
    [
      'an interruption, once',
      rollout('t')
        .turn('m')
        .prompt('a')
        .message('user', '<turn_aborted>\nx\n</turn_aborted>')
        .event({ type: 'turn_aborted', reason: 'interrupted' }),
      ['prompt "a"', 'event interruption interrupted <0'],
    ],
    [
      'errors by class, not by text',
      rollout('t')
        .turn('m')
        .prompt('a')
        .event({ type: 'error', message: 'secret', codex_error_info: 'usage_limit_exceeded' })
        .event({
          type: 'error',
          message: 's',
          codex_error_info: { response_stream_disconnected: { http_status_code: 500 } },
        })
        .event({ type: 'stream_error', message: 's' }),
      [
        'prompt "a"',
        'event api-error error usage_limit_exceeded <0',
        'event api-error error http-500 <0',
        'event retry error error <0',
      ],
    ],
    [
      'a turn that ended in an error',
      rollout('t')
        .turn('m')
        .prompt('a')
        .event({ type: 'task_complete', error: { message: 's', codex_error_info: 'other' } }),
      ['prompt "a"', 'event api-error error other <0'],
    ],
    [
      'a rollback',
      rollout('t').turn('m').prompt('a').says('x').event({ type: 'thread_rolled_back', num_turns: 1 }),
      ['prompt "a"', 'event rollback <0'],
    ],
    [
      'a compaction told by a row, an item and an event',
      rollout('t')
        .turn('m')
        .prompt('a')
        .says('x')
        .row('compacted', { message: 's' })
        .event({ type: 'item_completed', item: { type: 'ContextCompaction', id: 'c' } }),
      ['prompt "a"', 'event compaction <0'],
    ],
    [
      'a notification does not open a turn',
      rollout('t')
        .turn('m')
        .prompt('a')
        .says('x')
        .message('user', '<subagent_notification>\n{}\n</subagent_notification>')
        .says('y'),
      ['prompt "a"', 'event notification <0'],
    ],
    [
      'a hook’s words do',
      rollout('t')
        .turn('m')
        .prompt('a')
        .says('x')
        .message('user', '<hook_prompt hook_run_id="1">go on</hook_prompt>')
        .says('y'),
      ['prompt "a"', 'event hook opensTurn'],
    ],
    [
      'a review',
      rollout('t')
        .turn('m')
        .event({ type: 'entered_review_mode', user_facing_hint: 'changes' })
        .says('x')
        .event({ type: 'exited_review_mode' }),
      ['event review opensTurn'],
    ],
    [
      'a message of another agent that starts a turn',
      rollout('t')
        .turn('m')
        .prompt('a')
        .says('x')
        .row('inter_agent_communication_metadata', { trigger_turn: true })
        .item({
          type: 'agent_message',
          author: '/root/x',
          content: [{ type: 'input_text', text: 'Message Type: FINAL_ANSWER' }],
        })
        .says('y'),
      ['prompt "a"', 'event notification opensTurn'],
    ],
  ])('%s', (_, made, lines) => {
    expect(prompts(made)).toEqual(lines);
  });

  test('in a subagent what opens a turn is a task', () => {
    const meta = { parent_thread_id: 'p', source: { subagent: { thread_spawn: { parent_thread_id: 'p' } } } };
    expect(prompts(rollout('t', undefined, meta).turn('m').prompt('look at src').says('ok'))).toEqual([
      'event task opensTurn',
    ]);
    const task = {
      type: 'agent_message',
      content: [{ type: 'input_text', text: 'Message Type: NEW_TASK\nPayload:\nlook' }],
    };
    expect(prompts(rollout('t', undefined, meta).turn('m').item(task).says('ok'))).toEqual(['event task opensTurn']);
  });
});
