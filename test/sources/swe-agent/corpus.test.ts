import { expect, test } from 'vitest';
import { sweAgent } from '../../../src/sources/swe-agent/reader.ts';
import { drawn, readAll, touched } from '../reading.ts';
import { reads } from '../samples.ts';

const folder = 'sessions/swe-agent/SWE-agent+SWE-agent';

reads(sweAgent, {
  owns: path => path.startsWith('sessions/swe-agent/'),
  samples: {
    [`${folder}/jectories__gpt4__swe-agent__test-repo__default_from_url__t-0.00__p-0.95__c-3.00__install-1__swe-agent__test-repo-i1.traj`]:
      { rows: { prompt: 1, call: 6, tool: 5 }, total: 52_861 + 326 },
    [`${folder}/trajectories__demonstrations__ctf__pwn__warmup.traj`]: { rows: { prompt: 1, call: 7, tool: 7 } },
  },
});

const step = (action: string, open = 'n/a') => ({
  action,
  observation: 'seen',
  response: `I do ${action}`,
  state: JSON.stringify({ open_file: open, working_dir: '/w' }),
});
const run = (steps: object[], stats: object = {}) => ({
  trajectory: steps,
  history: [
    { role: 'system', content: 's' },
    { role: 'user', content: 'A demonstration', is_demo: true },
    { role: 'user', content: 'Fix it' },
  ],
  info: { model_stats: stats },
});

test('the issue is the prompt, each step a call with its action, and usage stands for the whole run', () => {
  const stats = { tokens_sent: 900, tokens_received: 50, api_calls: 2 };
  const read = readAll(sweAgent, { '/r/task.traj': [run([step('ls'), step('submit')], stats)] });
  expect(drawn(read)).toEqual([
    'prompt "Fix it"',
    '  call - ?',
    '    tool bash',
    '  call - ?',
    '    tool submit',
    '  call - 900+0+0+50+0 +inferred +usageOnly',
  ]);
  expect(read.ops.sessions.all[0]?.cwd).toBe('/w');
});

test('two runs at one task are two; the same run twice is one', () => {
  const one = run([step('ls')]);
  const other = run([step('pwd')]);
  expect(drawn(readAll(sweAgent, { '/a/t.traj': [one], '/b/t.traj': [other], '/c/t.traj': [one] }))).toHaveLength(6);
});

test('what actions touch', () => {
  const steps = [
    step('open "src/a b.py" 12'),
    step('create new.py'),
    step('edit 4:4\nx\nend_of_edit', '/w/new.py'),
    step('python new.py'),
    step('find_file x'),
  ];
  expect(touched(readAll(sweAgent, { '/r/task.traj': [run(steps)] }))).toEqual([
    'read src/a b.py',
    'create new.py',
    'write /w/new.py',
    'shell python new.py',
  ]);
});
