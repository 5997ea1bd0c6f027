import { tagOperations, textsFor } from '../meaning/tagging/apply.ts';
import { loadTagger, readTaggerSources, type Tagger } from '../meaning/tagging/tagger.ts';
import type { TextKind } from '../trace/texts.ts';
import type { Trace } from '../trace/trace.ts';
import { UsageError } from '../trace/usage-error.ts';
import type { MeaningFlags } from './options.ts';

/** How far the tags go, for summaries and comments. */
export interface TagSummary {
  readonly prompts: number;
  readonly tagged: number;
  readonly source: string;
  readonly fingerprint: string;
  /** The most frequent prompts without a tag: text of the person, for their terminal only. */
  samples(most: number): string[];
}

const TAGGERS = ['regex'] as const;

export async function taggerOf(flags: MeaningFlags): Promise<Tagger> {
  const { tagger } = flags;
  if (tagger !== undefined && !(TAGGERS as readonly string[]).includes(tagger)) {
    throw new UsageError(`--tagger: there is no tagger ${JSON.stringify(tagger)}. Taggers: ${TAGGERS.join(', ')}.`);
  }
  const own = flags.tagRule.length + flags.tagRules.length > 0;
  const preset = flags.preset === true || (tagger === 'regex' && !own);
  return loadTagger(await readTaggerSources({ tagRules: flags.tagRule, ruleFiles: flags.tagRules, preset }));
}

/** Texts that reading must keep for a tagger. */
export function textsOf(tagger: Tagger | undefined): TextKind[] {
  return tagger ? textsFor(tagger) : [];
}

/** Tags a trace: fields `prompt`, `turn`, `call` and, where rules give them, `session_tag`. */
export function tagTrace(trace: Trace, tagger: Tagger): TagSummary {
  const report = tagOperations(trace.ops, tagger);
  trace.register('prompt', { column: report.prompt, through: 'prompt' });
  trace.register('turn', { column: report.turn, through: 'prompt' });
  trace.register('call', { column: report.call, through: 'call' });
  if (tagger.tags('session')) trace.register('session_tag', { column: report.session, through: 'session' });
  return {
    prompts: report.coverage.prompts,
    tagged: report.coverage.tagged,
    source: report.description,
    fingerprint: report.fingerprint,
    samples: most => report.unmatchedSamples(most).map(sample => (sample.prompts > 1 ? `${sample.text} (${sample.prompts} times)` : sample.text)),
  };
}
