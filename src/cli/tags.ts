import { createHash } from 'node:crypto';
import type { Step, Tagger } from '../meaning/tagging/tagger.ts';
import { readTaggerSources, sourcesKey, type TaggerSources } from '../meaning/tagging/tagger-sources.ts';
import { type UnmatchedSample, unmatchedSamples } from '../meaning/tagging/unmatched.ts';
import { CONFIDENCE, NEIGHBOURS_VERSION, TAGS_VERSION } from '../meaning/tagging/versions.ts';
import type { PartColumns } from '../store/parts.ts';
import type { Store } from '../store/store.ts';
import { StringColumn } from '../trace/columns.ts';
import { grouped } from '../trace/counted.ts';
import type { TextKind } from '../trace/texts.ts';
import type { Trace } from '../trace/trace.ts';
import { UsageError } from '../trace/usage-error.ts';
import type { MeaningFlags } from './options.ts';
import type { TaggingContext } from './tag-whole.ts';
import { TAGGERS, type TagFacts, type Taggable, type TaggerName, type TagSummary } from './tagged.ts';

const PART = 'tags';

/** The tagger that the flags ask for. It is loaded when something has no tags yet. */
export class Tagging {
  private readonly name: TaggerName;
  private readonly flags: MeaningFlags;
  private readonly sources: TaggerSources;
  private readonly key: string;
  private readonly confidence: number;
  private readonly cache: Step | undefined;
  private loaded: Tagger | undefined;

  private constructor(
    name: TaggerName,
    flags: MeaningFlags,
    sources: TaggerSources,
    cache: Step | undefined,
    cacheKey: string,
  ) {
    this.name = name;
    this.flags = flags;
    this.sources = sources;
    this.cache = cache;
    this.confidence = confidenceOf(flags);
    const inherit = flags.inherit === false ? 'alone' : 'inherit';
    const neighbours = name === 'hybrid' ? `${NEIGHBOURS_VERSION}@${this.confidence}` : 'rules';
    this.key = `${TAGS_VERSION}-${sourcesKey(sources)}-${neighbours}-${inherit}${cacheKey}`;
  }

  /** Throws UsageError. */
  static async of(flags: MeaningFlags): Promise<Tagging> {
    const { tagger = 'hybrid', tagCache } = flags;
    const name = TAGGERS.find(each => each === tagger);
    if (name === undefined)
      throw new UsageError(`--tagger: there is no tagger ${JSON.stringify(tagger)}. Taggers: ${TAGGERS.join(', ')}.`);
    if (name === 'llm' && flags.llmUrl === undefined)
      throw new UsageError(
        '--tagger llm: name the server of the model with --llm-url, for example http://127.0.0.1:8080.',
      );
    if (name !== 'llm' && flags.dryRun)
      throw new UsageError('--dry-run: shows what would be sent to a model; give --tagger llm with it.');
    const own = flags.tagRule.length + flags.tagRules.length > 0;
    const bare = name === 'llm' || name === 'cluster';
    const preset = flags.preset === true || (name === 'regex' && !own);
    const sources = await readTaggerSources({ tagRules: flags.tagRule, ruleFiles: flags.tagRules, preset, bare });
    // Models and clusters read and write the cache themselves.
    if (tagCache === undefined || bare) return new Tagging(name, flags, sources, undefined, '');
    const { cacheStep } = await import('./tag-whole.ts');
    const { step, bytes } = cacheStep(tagCache);
    return new Tagging(name, flags, sources, step, `-${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`);
  }

  /** Texts that reading must keep. Throws UsageError for rules that cannot be used. */
  async texts(store: Store): Promise<TextKind[]> {
    if (store.knowsPart(PART, this.key)) return ['prompt'];
    const { textsFor } = await import('./tag-anew.ts');
    return textsFor(await this.tagger());
  }

  /** Tags a history: fields `prompt`, `turn`, `call`, `tagged_by` and `session_tag`. Throws UsageError, ModelError, DryRun. */
  async tag(history: Taggable, context: TaggingContext): Promise<TagSummary> {
    const { name, flags, sources, key } = this;
    if (name === 'llm' || name === 'cluster') {
      const { taggedWhole } = await import('./tag-anew.ts');
      const { columns, facts } = await taggedWhole(name, history, await this.tagger(), { flags, sources, context });
      return register(history.trace, columns, facts);
    }
    const part = history.part(PART, key);
    if (part) return register(history.trace, part, part.facts as TagFacts);
    const { taggedAnew } = await import('./tag-anew.ts');
    const { columns, facts } = taggedAnew(history, await this.tagger(), { name: PART, key }, flags.inherit !== false);
    return register(history.trace, columns, facts);
  }

  private async tagger(): Promise<Tagger> {
    const { name, sources, cache, confidence } = this;
    const { taggerOf } = await import('./tag-anew.ts');
    this.loaded ??= await taggerOf(name, sources, cache, confidence);
    return this.loaded;
  }
}

function confidenceOf({ tagConfidence }: MeaningFlags): number {
  if (tagConfidence === undefined) return CONFIDENCE;
  const confidence = Number(tagConfidence);
  if (!(confidence >= 0 && confidence <= 1))
    throw new UsageError(`--tag-confidence: ${JSON.stringify(tagConfidence)} is no number from 0 to 1.`);
  return confidence;
}

/** Columns without any value are missing in a part. */
function register(trace: Trace, { strings, bySession }: PartColumns, facts: TagFacts): TagSummary {
  const prompt = strings.prompt ?? new StringColumn();
  trace.register('prompt', { column: prompt, through: 'prompt' });
  trace.register('turn', { column: strings.turn ?? new StringColumn(), through: 'prompt' });
  trace.register('tagged_by', { column: strings.tagged_by ?? new StringColumn(), through: 'prompt' });
  trace.register('call', { column: strings.call ?? new StringColumn(), through: 'call' });
  trace.register('session_tag', { column: bySession.session ?? new StringColumn(), through: 'session' });
  const shown = ({ text, prompts }: UnmatchedSample) => (prompts > 1 ? `${text} (${prompts} times)` : text);
  return { ...facts, samples: most => unmatchedSamples(trace.ops, prompt, most).map(shown) };
}

const SHARES: Readonly<Record<string, string>> = {
  rule: 'own rules',
  preset: 'built-in rules',
  cache: 'the tag cache',
  model: 'the model',
  cluster: 'clusters',
  neighbour: 'nearest example',
  turn: 'continuation',
};

/** "built-in rules 150, nearest example 8, continuation 12", for summaries and comments. */
export function sharesOf({ steps }: Pick<TagSummary, 'steps'>): string {
  return Object.entries(steps)
    .map(([step, prompts]) => `${SHARES[step] ?? step} ${grouped(prompts)}`)
    .join(', ');
}
