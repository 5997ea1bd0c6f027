import { brief, clock, dollars } from './amounts.ts';
import type { Line } from './line.ts';
import type { TopSession } from './sessions.ts';

/** All that is known of one session. */
export function detailLines(session: TopSession, now: number): Line[] {
  const { id, agent, project, model, running, byModel, byTool } = session;
  const plain = (text: string): Line => ({ text, style: '' });
  const head = (text: string): Line => ({ text, style: 'head' });
  const fact = (name: string, value: string): Line => plain(`  ${name.padEnd(12)}${value}`);
  return [
    head(`${id}  ${agent}  ${project}`),
    fact('model', model || '-'),
    fact('began', `${clock(now - session.began)} ago, last heard of ${clock(now - session.last)} ago`),
    fact('tokens', `${brief(session.tokens)}, ${brief(session.tokensPerMinute)} a minute of late`),
    fact('cost', dollars(session.nanoDollars)),
    fact('calls', `${brief(session.calls)}, tool calls ${brief(session.tools)}, failures ${brief(session.failures)}`),
    fact('context', brief(session.context)),
    fact('subagents', brief(session.subagents)),
    plain(''),
    head('running'),
    ...(running.length === 0 ? [plain('  nothing')] : []),
    ...running.map(({ tool, command, since }) => plain(`  ${tool}  ${clock(now - since)}  ${command}`)),
    plain(''),
    head('models'),
    ...byModel.map(of =>
      plain(
        `  ${of.model}  ${brief(of.calls)} ${of.calls === 1 ? 'call' : 'calls'}  ${brief(of.tokens)} tokens  ${dollars(of.nanoDollars)}`,
      ),
    ),
    plain(''),
    head('tools'),
    ...byTool.map(({ tool, calls, failed }): Line => {
      const text = `  ${tool}  ${brief(calls)} ${calls === 1 ? 'call' : 'calls'}${failed > 0 ? `  ${brief(failed)} failed` : ''}`;
      return { text, style: failed > 0 ? 'bad' : '' };
    }),
  ];
}
