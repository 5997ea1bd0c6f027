import { expect, test } from 'vitest';
import { grok } from '../../../src/sources/grok/reader.ts';
import { drawn, readAll, touched } from '../reading.ts';
import { reads } from '../samples.ts';

const sample = 'sessions/grok/jazzyalex+agent-sessions/subagent/chat_history.jsonl';

reads(grok, {
  owns: path => path === sample,
  samples: {
    [sample]: {
      rows: ['event task +opensTurn', '  call grok-4.5 ?', '    tool run_terminal_cmd', '  call grok-4.5 ?'],
    },
  },
});

test('a person’s session has its place from the summary beside it, and no subagent’s task', () => {
  const rows = [
    { type: 'user', content: [{ type: 'text', text: 'Go' }], prompt_index: 0 },
    {
      type: 'assistant',
      content: '',
      tool_calls: [
        { id: 'c', name: 'run_terminal_cmd', arguments: '{"command":"ls"}' },
        { id: 'd', name: 'x', arguments: '{' },
      ],
      model_id: 'g',
    },
    { type: 'tool_result', tool_call_id: 'c', content: 'a' },
    { type: 'frob' },
  ];
  const summary = { info: { id: 's', cwd: '/w' }, head_branch: 'main', created_at: '2026-01-01T00:00:10Z' };
  const read = readAll(grok, { '/h/.grok/sessions/s/chat_history.jsonl': rows }, [], { 'summary.json': summary });
  expect(drawn(read)).toEqual(['prompt "Go"', '  call g ?', '    tool run_terminal_cmd', '    tool x unanswered']);
  expect(touched(read)).toEqual(['shell ls']);
  expect(read.ops.sessions.all[0]).toMatchObject({ id: 's', cwd: '/w' });
  expect(read.ops.field.branch.get(0)).toBe('main');
  expect([...(read.ledgers[0]?.unknown.keys() ?? [])]).toEqual(['frob']);
});
