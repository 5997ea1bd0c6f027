import { factsOf, type UnitFacts } from '../clusters/facts.ts';
import { outcomeRule } from '../clusters/outcome.ts';
import { sortOut } from '../clusters/quality.ts';
import { TEMPLATE_TEXTS, textOf } from '../clusters/text/template.ts';
import { unitsOf } from '../clusters/units.ts';
import { estimateTokens } from '../llm/tokens.ts';
import { compileConditions } from '../selection/where.ts';
import { counted } from '../trace/counted.ts';
import { UsageError } from '../trace/usage-error.ts';
import { type ClusterFlags, readClusterFlags } from './cluster-flags.ts';
import { readHistory } from './history.ts';

/** What --embed-url would be sent: every text, redacted, and how much that is. Nothing is sent. */
export async function dryRun(flags: ClusterFlags, json: boolean): Promise<void> {
  if (flags.embedUrl === undefined)
    throw new UsageError(
      '--dry-run: shows what --embed-url would be sent; give that flag, too. Without it nothing leaves.',
    );
  const asked = readClusterFlags(flags);
  const history = await readHistory(flags, { meaning: flags, texts: TEMPLATE_TEXTS });
  const { trace, redactor } = history;
  const { kept } = sortOut(trace, unitsOf(trace, history.rows, asked.kind), asked.kind, flags.keepOdd === true);
  const conditions = await compileConditions(trace, flags.failedWhen, '--failed-when');
  const facts = factsOf(trace, kept, outcomeRule(trace, asked.kind, conditions, flags.failedWhen));
  const texts = kept.map((unit, at) => {
    const { failed, wall, tokens } = facts[at] as UnitFacts;
    return redactor.text(textOf(trace, unit, { failed, micros: wall, tokens }));
  });
  const tokens = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
  if (json) {
    process.stdout.write(
      `${JSON.stringify({ schema: 'agentpprof.cluster-dry-run/1', texts: texts.length, input_tokens: tokens, inputs: texts }, null, 2)}\n`,
    );
    return;
  }
  process.stdout.write(
    `${counted(texts.length, 'text')}, about ${counted(tokens, 'token')}; nothing was sent\n\n${texts.join('\n\n')}\n`,
  );
}
