import type { TopState } from './state.ts';

/** `agentsight.top/1`: what the screen shows, uncut. Of commands only the program's name. */
export function topJson({ now, sessions, recordings }: TopState): object {
  return {
    schema: 'agentsight.top/1',
    time: time(now),
    sessions: sessions.map(session => ({
      id: session.id,
      agent: session.agent,
      project: session.project,
      model: session.model,
      doing: session.doing,
      since: time(session.since),
      running: session.running.map(({ tool, since }) => ({ tool, since: time(since) })),
      began: time(session.began),
      last: time(session.last),
      tokens: session.tokens,
      tokens_per_minute: session.tokensPerMinute,
      cost_nano_usd: session.nanoDollars,
      calls: session.calls,
      tool_calls: session.tools,
      failures: session.failures,
      context_tokens: session.context,
      subagents: session.subagents,
      models: session.byModel.map(({ model, calls, tokens, nanoDollars }) => ({
        model,
        calls,
        tokens,
        cost_nano_usd: nanoDollars,
      })),
      tools: session.byTool,
    })),
    recordings: recordings.map(recording => ({
      id: recording.id,
      program: programOf(recording.command),
      engine: recording.engine,
      began: time(recording.began),
      started: recording.started,
      failed: recording.failed,
      gaps: recording.gaps,
      processes: recording.processes.map(({ pid, command, began, cpu, rssBytes, hosts }) => ({
        pid,
        program: programOf(command),
        began: time(began),
        ...(cpu === undefined ? {} : { cpu_share: cpu }),
        rss_bytes: rssBytes,
        hosts,
      })),
    })),
  };
}

function time(micros: number): string {
  return new Date(micros / 1000).toISOString();
}

function programOf(command: string): string {
  return command.split(' ')[0]?.split('/').at(-1) ?? '';
}
