import { expect, test } from 'vitest';
import { miniSweAgent } from '../../../src/sources/mini-swe-agent/reader.ts';
import { drawn, readAll } from '../reading.ts';
import { reads } from '../samples.ts';

reads(miniSweAgent, {
  owns: path => path.startsWith('sessions/mini-swe-agent/'),
  samples: {
    'sessions/mini-swe-agent/SWE-agent+mini-swe-agent/local.traj.json': {
      rows: { prompt: 1, call: 2, tool: 2 },
    },
  },
});

test('a return code is a command’s outcome; what follows no command is a message', () => {
  const said = (role: string, content: string) => ({ role, content });
  const command = 'THOUGHT\n\n```mswea_bash_command\nfalse && ls\n```';
  const messages = [
    said('system', 's'),
    said('user', 'Fix it'),
    said('assistant', command),
    said('user', '<returncode>1</returncode>'),
    said('assistant', 'hm'),
    said('user', 'Say a command'),
  ];
  const expected = ['prompt "Fix it"', '  call - ?', '    tool bash error exit-1', '  call - ?', '  event message'];
  expect(drawn(readAll(miniSweAgent, { '/r/a.traj.json': [messages] }))).toEqual(expected);
  expect(drawn(readAll(miniSweAgent, { '/r/a.traj.json': [{ messages, info: {} }] }))).toEqual(expected);
});
