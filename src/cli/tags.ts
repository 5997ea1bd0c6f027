import { createHash } from 'node:crypto';
import {
  coverageOf,
  TAGS_VERSION,
  tagOperations,
  textsFor,
  type UnmatchedSample,
  unmatchedSamples,
} from '../meaning/tagging/apply.ts';
import { Decided, type Told } from '../meaning/tagging/decided.ts';
import { CONFIDENCE, NEIGHBOURS_VERSION, neighbourStep } from '../meaning/tagging/neighbours.ts';
import {
  loadTagger,
  readTaggerSources,
  type Step,
  sourcesKey,
  type Tagger,
  type TaggerSources,
} from '../meaning/tagging/tagger.ts';
import type { StoredHistory } from '../store/history.ts';
import type { PartColumns } from '../store/parts.ts';
import type { Store } from '../store/store.ts';
import { StringColumn } from '../trace/columns.ts';
import { grouped } from '../trace/counted.ts';
import type { TextKind } from '../trace/texts.ts';
import type { Trace } from '../trace/trace.ts';
import { UsageError } from '../trace/usage-error.ts';
import type { MeaningFlags } from './options.ts';
import type { TaggingContext } from './tag-whole.ts';

/** How far the tags go, for summaries and comments. */
export interface TagSummary {
  readonly prompts: number;
  readonly tagged: number;
  /** Prompts by who decided their tag: rule, preset, cache, model, cluster, neighbour, turn. */
  readonly steps: Readonly<Record<string, number>>;
  readonly source: string;
  readonly fingerprint: string;
  /** The most frequent prompts without a tag: text of the person, for their terminal only. */
  samples(most: number): string[];
}

const TAGGERS = ['hybrid', 'regex', 'llm', 'cluster'] as const;
type TaggerName = (typeof TAGGERS)[number];

const PART = 'tags';
/** What the tagger said of each text, by its hash, so that prompts of a family that has grown are not decided again. */
const DECISIONS = 'tag decisions';
/** More texts than twice those of today and so many are of files that are gone. */
const FEW = 1000;
const NO_COLUMNS: PartColumns = { numbers: {}, strings: {}, bySession: {} };

/** A history that keeps tags, or texts that stand for one. */
export type Taggable = Pick<StoredHistory, 'trace' | 'part' | 'missing' | 'keep'>;

/** The tagger that the flags ask for. It is loaded when something has no tags yet. */
export class Tagging {
  private readonly name: TaggerName;
  private readonly flags: MeaningFlags;
  private readonly sources: TaggerSources;
  private readonly key: string;
  private readonly further: (rules: Parameters<typeof neighbourStep>[0]) => readonly Step[];
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
    const confidence = confidenceOf(flags);
    const inherit = flags.inherit === false ? 'alone' : 'inherit';
    const neighbours = name === 'hybrid' ? `${NEIGHBOURS_VERSION}@${confidence}` : 'rules';
    this.key = `${TAGS_VERSION}-${sourcesKey(sources)}-${neighbours}-${inherit}${cacheKey}`;
    this.further = rules => {
      if (name === 'regex') return [];
      const nearest = name === 'hybrid' ? neighbourStep(rules, sources.preset, confidence) : undefined;
      return [cache, nearest].filter(step => step !== undefined);
    };
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
    return store.knowsPart(PART, this.key) ? ['prompt'] : textsFor(await this.tagger());
  }

  /** Tags a history: fields `prompt`, `turn`, `call`, `tagged_by` and `session_tag`. Throws UsageError, ModelError, DryRun. */
  async tag(history: Taggable, context: TaggingContext): Promise<TagSummary> {
    if (this.name === 'llm' || this.name === 'cluster') return this.tagWhole(this.name, history, context);
    const part = history.part(PART, this.key);
    if (part) return register(history.trace, part, part.facts as TagFacts);
    const missing = history.missing(PART, this.key);
    const tagger = await this.tagger();
    const told = history.missing(DECISIONS, this.key).facts as Told | undefined;
    const decided = new Decided(tagger, told);
    const made = tagOperations(missing.trace.ops, tagger, { inherit: this.inherit, decided });
    const { columns, facts } = complete(history.trace, made, missing.complete);
    history.keep({ name: PART, key: this.key, ...columns, facts });
    // Where only some families were tagged, the others' texts are those that were not asked for now.
    const keepsAll = missing.trace !== history.trace && (told?.answers.length ?? 0) <= 2 * facts.prompts + FEW;
    history.keep({ name: DECISIONS, key: this.key, ...NO_COLUMNS, facts: decided.told(keepsAll) });
    return register(history.trace, columns, facts);
  }

  get inherit(): boolean {
    return this.flags.inherit !== false;
  }

  /** Models and clusters decide by all prompts, so nothing is taken over from an earlier run but their own cache. */
  private async tagWhole(name: 'llm' | 'cluster', history: Taggable, context: TaggingContext): Promise<TagSummary> {
    const { wholeStep } = await import('./tag-whole.ts');
    const rules = await this.tagger();
    const { step, description } = await wholeStep(name, history.trace.ops, rules, this.flags, this.sources, context);
    const tagger = await loadTagger(this.sources, () => [step]);
    const made = tagOperations(history.trace.ops, tagger, this);
    const { columns, facts } = complete(history.trace, made, columns => columns);
    const source = rules.description === 'no rules' ? description : `${rules.description}, ${description}`;
    return register(history.trace, columns, { ...facts, source });
  }

  private async tagger(): Promise<Tagger> {
    this.loaded ??= await loadTagger(this.sources, this.further);
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

type TagFacts = Omit<TagSummary, 'samples'>;

function complete(trace: Trace, made: ReturnType<typeof tagOperations>, join: (columns: PartColumns) => PartColumns) {
  const { prompt, by, turn, call, session, description, fingerprint } = made;
  const columns = join({ numbers: {}, strings: { prompt, tagged_by: by, turn, call }, bySession: { session } });
  const { strings } = columns;
  const none = new StringColumn();
  const { prompts, tagged, byStep } = coverageOf(trace.ops, strings.prompt ?? none, strings.tagged_by ?? none);
  const facts: TagFacts = { prompts, tagged, steps: byStep, source: description, fingerprint };
  return { columns, facts };
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
