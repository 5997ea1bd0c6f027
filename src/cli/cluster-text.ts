import { factsOf } from '../clusters/facts.ts';
import { outcomeRule } from '../clusters/outcome.ts';
import { TEMPLATE_TEXTS, TEMPLATE_VERSION, textOf } from '../clusters/text/template.ts';
import { unitsOf } from '../clusters/units.ts';
import { compileConditions } from '../selection/where.ts';
import { UsageError } from '../trace/usage-error.ts';
import { readHistory } from './history.ts';
import type { HistoryFlags } from './options.ts';

interface TextFlags extends HistoryFlags {
  failedWhen: string[];
  json?: boolean;
}

/** Prints the text that stands for a session, as it would be embedded, secrets replaced. */
export async function clusterText(selector: string, flags: TextFlags): Promise<void> {
  const history = await readHistory({ ...flags, sessionId: [selector, ...flags.sessionId] }, { texts: TEMPLATE_TEXTS });
  const { trace, pseudonyms, redactor } = history;
  const found = unitsOf(trace, history.rows, 'session');
  const names = found.map(({ session }) => pseudonyms.of('session', trace.ops.sessions.all[session]?.id ?? ''));
  const [unit] = found;
  if (unit === undefined)
    throw new UsageError(
      `cluster text: no session is called ${JSON.stringify(selector)}; agentpprof sessions lists them.`,
    );
  if (found.length > 1)
    throw new UsageError(
      `cluster text: ${JSON.stringify(selector)} may mean ${found.length} sessions: ${names.slice(0, 5).join(', ')}; give more of the id.`,
    );
  const conditions = await compileConditions(trace, flags.failedWhen, '--failed-when');
  const [facts] = factsOf(trace, [unit], outcomeRule(trace, 'session', conditions, flags.failedWhen));
  const text = redactor.text(
    textOf(trace, unit, { failed: facts?.failed, micros: facts?.wall ?? 0, tokens: facts?.tokens ?? 0 }),
  );
  process.stdout.write(
    flags.json
      ? `${JSON.stringify({ schema: 'agentpprof.cluster-text/1', session: names[0], template: TEMPLATE_VERSION, text }, null, 2)}\n`
      : `${text}\n`,
  );
}
