import { describe, expect, test } from 'vitest';
import { openclaw } from '../../../src/sources/openclaw/reader.ts';
import { reads } from '../samples.ts';

reads(openclaw, {
  owns: path => path.startsWith('sessions/openclaw/'),
  samples: {
    'sessions/openclaw/jazzyalex+agent-sessions/small.jsonl': {
      rows: ['prompt "List files"', '  call openclaw-small ?', '    tool shell_exec'],
    },
    'sessions/openclaw/jazzyalex+agent-sessions/schema_drift.jsonl': {
      rows: ['prompt "Need a quick diagnostic"', '  call - ?', '    tool diagnostic_tool'],
      unknown: ['role system', 'compact'],
    },
  },
});

describe('places', () => {
  const paths = (env: NodeJS.ProcessEnv) => openclaw.roots('/h', env).map(root => root.path);

  test('each agent has sessions of its own', () => {
    expect(paths({})).toEqual(['/h/.openclaw/agents']);
    expect(paths({ OPENCLAW_STATE_DIR: '/o' })).toEqual(['/o/agents']);
    const [root] = openclaw.roots('/h', {});
    expect(
      ['main/sessions/x.jsonl', 'main/sessions/sessions.json', 'main/agent/x.jsonl'].map(name => root?.accepts(name)),
    ).toEqual([true, false, false]);
  });

  test('a file of Pi’s format below its folder is its own, and elsewhere Pi’s', () => {
    const records = [{ type: 'session', version: 3, id: 's', timestamp: '2026-05-04T00:00:00Z', cwd: '/w' }];
    expect(openclaw.sniff({ path: '/h/.openclaw/agents/main/sessions/s.jsonl', records })).toBe(true);
    expect(openclaw.sniff({ path: '/h/.pi/agent/sessions/x/s.jsonl', records })).toBe(false);
  });
});
