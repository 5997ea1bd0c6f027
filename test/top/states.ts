import type { TopSession } from '../../src/top/sessions.ts';
import type { TopRecording, TopState } from '../../src/top/state.ts';

/** 14:03:22 where the time zone is UTC, in microseconds. */
export const NOW = Date.UTC(2026, 10, 1, 14, 3, 22) * 1000;

export function session(id: string, more: Partial<TopSession> = {}): TopSession {
  return {
    id,
    agent: 'claude-code',
    project: 'web',
    model: 'claude-opus-4-1',
    doing: 'person',
    since: NOW - 200e6,
    running: [],
    began: NOW - 3600e6,
    last: NOW - 200e6,
    tokens: 1_234_567,
    tokensPerMinute: 4321,
    nanoDollars: 1_320_000_000,
    calls: 12,
    tools: 30,
    failures: 0,
    context: 81_234,
    subagents: 0,
    byModel: [{ model: 'claude-opus-4-1', calls: 12, tokens: 1_234_567, nanoDollars: 1_320_000_000 }],
    byTool: [{ tool: 'Bash', calls: 30, failed: 0 }],
    ...more,
  };
}

export const RECORDING: TopRecording = {
  id: 'r1',
  command: 'claude',
  began: NOW - 723e6,
  engine: 'bpf',
  started: 15,
  failed: 3,
  gaps: 0,
  processes: [
    {
      pid: 100,
      command: 'claude',
      began: NOW - 723e6,
      cpu: 0.034,
      rssBytes: 300e6,
      hosts: ['api.anthropic.com', '10.0.0.1'],
    },
    { pid: 4194304, command: 'node build.js --all', began: NOW - 5e6, cpu: 1.4, rssBytes: 90e6, hosts: [] },
  ],
};

export const stateOf = (sessions: TopSession[], recordings: TopRecording[] = []): TopState => ({
  now: NOW,
  sessions,
  recordings,
});
