import { z } from 'zod';
import type { Description } from '../clusters/describe.ts';
import { LONGEST_LABEL, labelsFrom, unused } from '../clusters/terms.ts';
import { counted } from '../trace/counted.ts';
import type { ClusterFlags } from './cluster-flags.ts';
import type { History } from './history.ts';
import { modelsOf, tellModels } from './models.ts';
import { warn } from './terminal.ts';

const EXAMPLES = 5;
/** Characters of an example: its beginning tells what was asked, its end how it ended. */
const LONGEST_EXAMPLE = 1500;

const SYSTEM = `You name groups of runs of a coding agent. You get figures, telling terms and some typical runs of one group.
Answer with a name for what the agent does in such runs: a verb and an object, English, at most ${LONGEST_LABEL} characters, for example "fix failing tests" or "write report".`;

/** What names are made from. */
interface Given {
  readonly history: History;
  readonly texts: readonly string[];
  readonly telling: readonly (readonly string[])[];
  readonly descriptions: readonly Description[];
}

/**
 * Labels by the model of --llm-url from central runs and figures, checked and kept. A group that the model has no usable
 * name for keeps the label from its words. Throws ModelError, UsageError.
 */
export async function labelsFromModel(given: Given, flags: ClusterFlags): Promise<string[]> {
  const { redactor } = given.history;
  const quiet = flags.quiet === true;
  const models = await modelsOf(flags, {
    redact: redactor.text,
    quiet,
    cache: flags.cache !== false,
    doing: 'naming clusters',
  });
  const answer = z.object({
    label: z
      .string()
      .transform(text => text.replace(/\s+/g, ' ').trim())
      .pipe(z.string().min(1).max(LONGEST_LABEL)),
  });
  const items = given.descriptions.map((description, at) => question(given, description, given.telling[at] ?? []));
  const outcomes = await models.ask({ version: 'cluster labels 1', system: SYSTEM, answer, answerTokens: 20 }, items);
  tellModels(models, quiet);
  const fallback = labelsFrom(given.telling);
  const labels: string[] = [];
  let failed = 0;
  for (const [at, outcome] of outcomes.entries()) {
    if ('failed' in outcome) failed++;
    const label = 'answer' in outcome ? redactor.text(outcome.answer.label) : (fallback[at] as string);
    labels.push(unused(label, labels));
  }
  if (failed > 0 && !quiet)
    warn(
      `the model gave no usable name for ${failed} of ${counted(items.length, 'cluster')}: these are named by their words`,
    );
  return labels;
}

function question({ history, texts }: Given, description: Description, terms: readonly string[]): string {
  const { failures, toolsEach, units } = description;
  const examples = [...description.central, ...units.filter(unit => !description.central.includes(unit))]
    .slice(0, EXAMPLES)
    // Redacted first and cut afterwards: half a secret has no shape.
    .map(unit => excerpt(history.redactor.text(texts[unit] as string)));
  return [
    `runs: ${units.length}; failed: ${failures.part} of ${failures.whole}; tool calls each: ${Math.round(toolsEach.mean)}`,
    `telling terms: ${terms.join(', ')}`,
    `tools: ${description.tools.map(({ name }) => name).join(', ')}`,
    ...examples.map((text, at) => `\nrun ${at + 1}:\n${text}`),
  ].join('\n');
}

function excerpt(text: string): string {
  if (text.length <= LONGEST_EXAMPLE) return text;
  return `${text.slice(0, LONGEST_EXAMPLE - 300)}\n...\n${text.slice(-300)}`;
}
