import { describe, expect, it } from 'vitest';
import {
  accepts,
  agentOfPath,
  companion,
  metaName,
  parentOfPath,
  roots,
  sessionOfPath,
} from '../../../src/sources/claude-code/paths.ts';

describe('transcripts are looked for where the agent keeps them', () => {
  it.each<[string, Record<string, string>, string[]]>([
    ['in both homes', {}, ['/h/.claude/projects', '/h/.config/claude/projects']],
    [
      'in XDG_CONFIG_HOME too',
      { XDG_CONFIG_HOME: '/x' },
      ['/h/.claude/projects', '/h/.config/claude/projects', '/x/claude/projects'],
    ],
    [
      'once where XDG_CONFIG_HOME is the usual one',
      { XDG_CONFIG_HOME: '/h/.config' },
      ['/h/.claude/projects', '/h/.config/claude/projects'],
    ],
    ['only in CLAUDE_CONFIG_DIR where it is set', { CLAUDE_CONFIG_DIR: '/c', XDG_CONFIG_HOME: '/x' }, ['/c/projects']],
    ['in each of a list', { CLAUDE_CONFIG_DIR: '/a, ~/b ,,' }, ['/a/projects', '/h/b/projects']],
    ['in projects itself if the variable names it', { CLAUDE_CONFIG_DIR: '/c/projects' }, ['/c/projects']],
  ])('%s', (_, env, expected) => {
    expect(roots('/h', env).map(root => root.path)).toEqual(expected);
  });
});

describe('a path below a root', () => {
  it.each<[string, boolean]>([
    ['-work-shop/0a1b2c3d-0000-4000-8000-000000000001.jsonl', true],
    ['-work-shop/agent-0a1b2c3d.jsonl', true],
    ['-work-shop/0a1b2c3d-0000-4000-8000-000000000001/subagents/agent-a1.jsonl', true],
    ['-work-shop/0a1b2c3d-0000-4000-8000-000000000001/subagents/workflows/wf_1/agent-a1.jsonl', true],
    ['backup/-work-shop/0a1b2c3d-0000-4000-8000-000000000001.jsonl', true],
    ['-work-shop/0a1b2c3d-0000-4000-8000-000000000001/subagents/workflows/wf_1/journal.jsonl', false],
    ['-work-shop/0a1b2c3d-0000-4000-8000-000000000001/subagents/agent-a1.meta.json', false],
    ['-work-shop/0a1b2c3d-0000-4000-8000-000000000001/tool-results/toolu_1.txt', false],
    ['-work-shop/0a1b2c3d-0000-4000-8000-000000000001/tool-results/agent-out.jsonl', false],
    ['-work-shop/sessions-index.json', false],
    ['-work-shop/memory/notes.md', false],
    ['history.jsonl', false],
  ])('%s is a session: %s', (path, expected) => {
    expect(accepts(path)).toBe(expected);
  });

  it.each<[string, boolean]>([
    ['/h/.claude/projects/-w/s/subagents/agent-a1.meta.json', true],
    ['/h/.claude/projects/-w/s/subagents/workflows/wf_1/journal.jsonl', true],
    ['/h/.claude/projects/-w/s/workflows/wf_1.json', true],
    ['/h/.claude/projects/-w/s/workflows/scripts/review-wf_1.js', true],
    ['/h/.claude/projects/-w/sessions-index.json', true],
    ['/h/.claude/todos/a-agent-a.json', true],
    ['/h/.claude/projects/-w/s.jsonl', false],
    ['/elsewhere/results.json', false],
    ['/elsewhere/journal.jsonl', false],
  ])('%s belongs to a session without being one: %s', (path, expected) => {
    expect(companion(path)).toBe(expected);
  });

  it('tells the session, the subagent and what lies beside', () => {
    const main = '/h/projects/-w/0a1b2c3d-0000-4000-8000-000000000001.jsonl';
    const agent = '/h/projects/-w/0a1b2c3d-0000-4000-8000-000000000001/subagents/workflows/wf_1/agent-a1.jsonl';
    expect([sessionOfPath(main), agentOfPath(main), parentOfPath(main)]).toEqual([
      '0a1b2c3d-0000-4000-8000-000000000001',
      '',
      '',
    ]);
    expect([sessionOfPath(agent), agentOfPath(agent), parentOfPath(agent)]).toEqual([
      '',
      'a1',
      '0a1b2c3d-0000-4000-8000-000000000001',
    ]);
    expect(metaName(agent)).toBe('agent-a1.meta.json');
    expect(sessionOfPath('C:\\h\\projects\\-w\\0a1b2c3d-0000-4000-8000-000000000001.jsonl')).toBe(
      '0a1b2c3d-0000-4000-8000-000000000001',
    );
    expect(sessionOfPath('/some/sample.jsonl')).toBe('');
  });
});
