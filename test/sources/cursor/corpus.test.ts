import { expect, test } from 'vitest';
import { cursor } from '../../../src/sources/cursor/reader.ts';
import { CORPUS, drawn, readAll, readFiles } from '../reading.ts';
import { reads } from '../samples.ts';

const folder = 'sessions/cursor/jazzyalex+agent-sessions';

reads(cursor, {
  owns: path => path.startsWith('sessions/cursor/'),
  samples: {
    [`${folder}/small.jsonl`]: {
      rows: ['prompt "List the files."', '  call - ?', 'prompt "Run ls."', '  call - ?', '    tool Bash'],
    },
    [`${folder}/subagent-session.jsonl`]: {
      rows: [
        'prompt "Run ls -la in the workspace directory and return the output."',
        '  call - ?',
        '    tool Shell',
        '  call - ?',
      ],
    },
    [`${folder}/subagent/parent.jsonl`]: {
      rows: ['prompt "Run a subagent."', '  call - ?', '    tool Agent unanswered'],
    },
    [`${folder}/subagent/subagents/child.jsonl`]: { rows: ['event task +opensTurn', '  call - ?'] },
  },
});

test.skipIf(CORPUS === undefined)(
  'a subagent hangs on the call that gave it its task (needs the shared corpus)',
  () => {
    const { ops, links } = readFiles(cursor, [
      `${CORPUS}/${folder}/subagent/parent.jsonl`,
      `${CORPUS}/${folder}/subagent/subagents/child.jsonl`,
    ]);
    const child = ops.sessions.all.findIndex(session => session.parent === 'parent');
    expect(ops.field.tool.get(links.spawn[child] as number)).toBe('Agent');
  },
);

test('a turn that did not end well is an event', () => {
  const said = { role: 'user', message: { content: [{ type: 'text', text: 'Go' }] } };
  const ended = (status: string) => drawn(readAll(cursor, { '/x/a.jsonl': [said, { type: 'turn_ended', status }] }));
  expect(ended('success')).toEqual(['prompt "Go"']);
  expect(ended('aborted')).toEqual(['prompt "Go"', '  event interruption interrupted interrupted']);
});
