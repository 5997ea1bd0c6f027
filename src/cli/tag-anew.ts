import { coverageOf, tagOperations, textsFor } from '../meaning/tagging/apply.ts';
import { Decided, type Told } from '../meaning/tagging/decided.ts';
import { neighbourStep } from '../meaning/tagging/neighbours.ts';
import { loadTagger, type Step, type Tagger } from '../meaning/tagging/tagger.ts';
import type { TaggerSources } from '../meaning/tagging/tagger-sources.ts';
import type { Part, PartColumns } from '../store/parts.ts';
import { StringColumn } from '../trace/columns.ts';
import type { Trace } from '../trace/trace.ts';
import type { MeaningFlags } from './options.ts';
import type { TaggingContext } from './tag-whole.ts';
import type { TagFacts, Taggable, TaggerName } from './tagged.ts';

export { textsFor };

/** What the tagger said of each text, by its hash, so that prompts of a family that has grown are not decided again. */
const DECISIONS = 'tag decisions';
/** More texts than twice those of today and so many are of files that are gone. */
const FEW = 1000;
const NO_COLUMNS: PartColumns = { numbers: {}, strings: {}, bySession: {} };

/** Tags, and how far they go. */
export interface Tagged {
  readonly columns: PartColumns;
  readonly facts: TagFacts;
}

/** Throws UsageError for rules that cannot be used. */
export function taggerOf(
  name: TaggerName,
  sources: TaggerSources,
  cache: Step | undefined,
  confidence: number,
): Promise<Tagger> {
  return loadTagger(sources, rules => {
    if (name === 'regex') return [];
    const nearest = name === 'hybrid' ? neighbourStep(rules, sources.preset, confidence) : undefined;
    return [cache, nearest].filter(step => step !== undefined);
  });
}

/** Tags what has none in this part, and keeps the part and what the tagger said of the texts. */
export function taggedAnew(
  history: Taggable,
  tagger: Tagger,
  { name, key }: Pick<Part, 'name' | 'key'>,
  inherit: boolean,
): Tagged {
  const missing = history.missing(name, key);
  const told = history.missing(DECISIONS, key).facts as Told | undefined;
  const decided = new Decided(tagger, told);
  const made = tagOperations(missing.trace.ops, tagger, { inherit, decided });
  const tagged = complete(history.trace, made, missing.complete);
  history.keep({ name, key, ...tagged.columns, facts: tagged.facts });
  // Where only some families were tagged, the others' texts are those that were not asked for now.
  const keepsAll = missing.trace !== history.trace && (told?.answers.length ?? 0) <= 2 * tagged.facts.prompts + FEW;
  history.keep({ name: DECISIONS, key, ...NO_COLUMNS, facts: decided.told(keepsAll) });
  return tagged;
}

export interface Whole {
  readonly flags: MeaningFlags;
  readonly sources: TaggerSources;
  readonly context: TaggingContext;
}

/** Models and clusters decide by all prompts, so nothing is taken over from an earlier run but their own cache. */
export async function taggedWhole(
  name: 'llm' | 'cluster',
  history: Taggable,
  rules: Tagger,
  { flags, sources, context }: Whole,
): Promise<Tagged> {
  const { wholeStep } = await import('./tag-whole.ts');
  const { step, description } = await wholeStep(name, history.trace.ops, rules, flags, sources, context);
  const tagger = await loadTagger(sources, () => [step]);
  const made = tagOperations(history.trace.ops, tagger, { inherit: flags.inherit !== false });
  const { columns, facts } = complete(history.trace, made, columns => columns);
  const source = rules.description === 'no rules' ? description : `${rules.description}, ${description}`;
  return { columns, facts: { ...facts, source } };
}

function complete(
  trace: Trace,
  made: ReturnType<typeof tagOperations>,
  join: (columns: PartColumns) => PartColumns,
): Tagged {
  const { prompt, by, turn, call, session, description, fingerprint } = made;
  const columns = join({ numbers: {}, strings: { prompt, tagged_by: by, turn, call }, bySession: { session } });
  const { strings } = columns;
  const none = new StringColumn();
  const { prompts, tagged, byStep } = coverageOf(trace.ops, strings.prompt ?? none, strings.tagged_by ?? none);
  const facts: TagFacts = { prompts, tagged, steps: byStep, source: description, fingerprint };
  return { columns, facts };
}
