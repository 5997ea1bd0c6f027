import {
  coverageOf,
  TAGS_VERSION,
  tagOperations,
  textsFor,
  type UnmatchedSample,
  unmatchedSamples,
} from '../meaning/tagging/apply.ts';
import {
  loadTagger,
  readTaggerSources,
  sourcesKey,
  type Tagger,
  type TaggerSources,
} from '../meaning/tagging/tagger.ts';
import type { StoredHistory } from '../store/history.ts';
import type { PartColumns } from '../store/parts.ts';
import type { Store } from '../store/store.ts';
import { StringColumn } from '../trace/columns.ts';
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

const PART = 'tags';

/** The tagger that the flags ask for. It is loaded when something has no tags yet. */
export class Tagging {
  private readonly sources: TaggerSources;
  private readonly key: string;
  private loaded: Tagger | undefined;

  private constructor(sources: TaggerSources) {
    this.sources = sources;
    this.key = `${TAGS_VERSION}-${sourcesKey(sources)}`;
  }

  /** Throws UsageError. */
  static async of(flags: MeaningFlags): Promise<Tagging> {
    const { tagger } = flags;
    if (tagger !== undefined && !(TAGGERS as readonly string[]).includes(tagger)) {
      throw new UsageError(`--tagger: there is no tagger ${JSON.stringify(tagger)}. Taggers: ${TAGGERS.join(', ')}.`);
    }
    const own = flags.tagRule.length + flags.tagRules.length > 0;
    const preset = flags.preset === true || (tagger === 'regex' && !own);
    return new Tagging(await readTaggerSources({ tagRules: flags.tagRule, ruleFiles: flags.tagRules, preset }));
  }

  /** Texts that reading must keep. Throws UsageError for rules that cannot be used. */
  async texts(store: Store): Promise<TextKind[]> {
    return store.knowsPart(PART, this.key) ? ['prompt'] : textsFor(await this.tagger());
  }

  /** Tags a history: fields `prompt`, `turn`, `call` and, where rules give them, `session_tag`. */
  async tag(history: StoredHistory): Promise<TagSummary> {
    const part = history.part(PART, this.key);
    if (part) return register(history.trace, part, part.facts as TagFacts);
    const tagger = await this.tagger();
    const missing = history.missing(PART, this.key);
    const { prompt, turn, call, session, description, fingerprint } = tagOperations(missing.trace.ops, tagger);
    const columns = missing.complete({ numbers: {}, strings: { prompt, turn, call }, bySession: { session } });
    const { prompts, tagged } = coverageOf(history.trace.ops, columns.strings.prompt ?? new StringColumn());
    const facts: TagFacts = { prompts, tagged, source: description, fingerprint, sessions: tagger.tags('session') };
    history.keep({ name: PART, key: this.key, ...columns, facts });
    return register(history.trace, columns, facts);
  }

  private async tagger(): Promise<Tagger> {
    this.loaded ??= await loadTagger(this.sources);
    return this.loaded;
  }
}

interface TagFacts extends Omit<TagSummary, 'samples'> {
  /** Rules give tags to sessions. */
  readonly sessions: boolean;
}

/** Columns without any value are missing in a part. */
function register(trace: Trace, { strings, bySession }: PartColumns, { sessions, ...facts }: TagFacts): TagSummary {
  const prompt = strings.prompt ?? new StringColumn();
  trace.register('prompt', { column: prompt, through: 'prompt' });
  trace.register('turn', { column: strings.turn ?? new StringColumn(), through: 'prompt' });
  trace.register('call', { column: strings.call ?? new StringColumn(), through: 'call' });
  if (sessions) trace.register('session_tag', { column: bySession.session ?? new StringColumn(), through: 'session' });
  const shown = ({ text, prompts }: UnmatchedSample) => (prompts > 1 ? `${text} (${prompts} times)` : text);
  return { ...facts, samples: most => unmatchedSamples(trace.ops, prompt, most).map(shown) };
}
