import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import type { Models } from '../llm/client.ts';
import type { Counted } from '../meaning/tagging/cluster.ts';
import { type DecidedBy, type Decision, UNDECIDED } from '../meaning/tagging/decision.ts';
import { machineKind } from '../meaning/tagging/intent.ts';
import {
  estimateVocabulary,
  proposeVocabulary,
  sampleOf,
  sentText,
  tagByModel,
  taggingTask,
  type Word,
} from '../meaning/tagging/model.ts';
import { presetWords } from '../meaning/tagging/preset.ts';
import { parseRulesFile } from '../meaning/tagging/rules-file.ts';
import { promptKey, readTagCache, type TagCache, writeTagCache } from '../meaning/tagging/tag-cache.ts';
import type { Step, Tagger } from '../meaning/tagging/tagger.ts';
import type { TaggerSources } from '../meaning/tagging/tagger-sources.ts';
import { keptVocabulary } from '../meaning/tagging/vocabulary-file.ts';
import type { Redactor } from '../privacy/redact.ts';
import { cacheDirectory } from '../store/place.ts';
import { counted } from '../trace/counted.ts';
import { Flag } from '../trace/flags.ts';
import { Kind } from '../trace/kinds.ts';
import type { Operations } from '../trace/operations.ts';
import { UsageError } from '../trace/usage-error.ts';
import { DryRun } from './dry-run.ts';
import { estimateFacts, estimateText, modelsOf, tellModels } from './models.ts';
import type { MeaningFlags } from './options.ts';

/** What tagging with the texts of a whole history needs beside them. */
export interface TaggingContext {
  /** What may be said of a text, to a model or in a name. */
  readonly redactor: () => Redactor;
  readonly quiet: boolean;
  readonly cache: boolean;
}

/** The step that answers from a tag cache, and the bytes of its file. Throws UsageError. */
export function cacheStep(path: string): { step: Step; bytes: Buffer } {
  const cache = readTagCache(path);
  if (cache === undefined)
    throw new UsageError(`--tag-cache ${path}: there is no such file; --tagger cluster or --tagger llm makes one.`);
  return { step: stepOf(new Map(Object.entries(cache.prompts)), 'cache', promptKey), bytes: readFileSync(path) };
}

/** Tags by key of the text. */
function stepOf(
  tags: ReadonlyMap<string, string>,
  by: DecidedBy,
  keyOf: (text: string) => string = text => text,
): Step {
  const decisions = new Map<string, Decision>();
  return text => {
    const tag = tags.get(keyOf(text));
    if (tag === undefined) return UNDECIDED;
    let decision = decisions.get(tag);
    if (!decision) decisions.set(tag, (decision = { tag, by }));
    return decision;
  };
}

/** What the model or the clusters say of the prompts that no rule knows. Writes the tag cache. Throws as Tagging.tag. */
export async function wholeStep(
  name: 'llm' | 'cluster',
  ops: Operations,
  rules: Tagger,
  flags: MeaningFlags,
  sources: TaggerSources,
  context: TaggingContext,
): Promise<{ step: Step; description: string }> {
  const open = undecided(ops, rules);
  const cache = flags.tagCache === undefined ? undefined : readTagCache(flags.tagCache);
  if (cache !== undefined && cache.tagger !== name)
    throw new UsageError(
      `--tag-cache ${flags.tagCache}: was made by --tagger ${cache.tagger}; name another file for ${name}.`,
    );
  const keys = new Map(open.map(({ text }) => [text, promptKey(text)]));
  const made =
    name === 'llm' ? await byModel(open, cache, flags, sources, context) : await byClusters(open, cache, context);
  const tags: Record<string, string> = { ...cache?.prompts };
  for (const [text, tag] of made.tags) tags[keys.get(text) as string] ??= tag;
  if (flags.tagCache !== undefined)
    writeTagCache(flags.tagCache, { schema: 'agentpprof.tag-cache/1', tagger: name, ...made.kept, prompts: tags });
  const kept = stepOf(new Map(Object.entries(cache?.prompts ?? {})), 'cache', promptKey);
  const fresh = stepOf(made.tags, name === 'llm' ? 'model' : 'cluster');
  return {
    step: text => {
      const before = kept(text);
      return before.tag === '' ? fresh(text) : before;
    },
    description: made.description,
  };
}

interface Made {
  readonly tags: ReadonlyMap<string, string>;
  readonly kept: Pick<TagCache, 'vocabulary' | 'clusters' | 'model'>;
  readonly description: string;
}

/** Distinct texts that the rules leave open, with how many prompts have each. */
export function undecided(ops: Operations, rules: Tagger): Counted[] {
  const counts = new Map<string, number>();
  for (let row = 0; row < ops.length; row++) {
    if (ops.kind.get(row) !== Kind.prompt || ops.has(row, Flag.copy)) continue;
    const text = ops.texts.get('prompt', row);
    if (text.trim() !== '') counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts]
    .filter(([text]) => machineKind(text) === '' && rules.decide('prompt', text).tag === '')
    .map(([text, prompts]) => ({ text, prompts }));
}

async function byClusters(
  open: readonly Counted[],
  cache: TagCache | undefined,
  { redactor }: TaggingContext,
): Promise<Made> {
  const { clusterTexts } = await import('../meaning/tagging/cluster.ts');
  const { k, tags, clusters, silhouette } = clusterTexts(open, redactor().sayable, cache?.clusters);
  const vocabulary = clusters.map(({ tag, words }) => ({ tag, description: words.join(', ') }));
  const kept = clusters.map(({ words, columns, values, ...rest }) => ({
    ...rest,
    words: [...words],
    columns: [...columns],
    values: [...values],
  }));
  return {
    tags,
    kept: { vocabulary, clusters: kept },
    description: `${counted(k, 'cluster')} (silhouette ${silhouette.toFixed(2)})`,
  };
}

async function byModel(
  open: readonly Counted[],
  cache: TagCache | undefined,
  flags: MeaningFlags,
  sources: TaggerSources,
  { redactor, quiet, cache: keeps }: TaggingContext,
): Promise<Made> {
  const redact = redactor().text;
  const models = await modelsOf(flags, { redact, quiet, cache: keeps, doing: 'tagging' });
  const texts = open.map(({ text }) => text).filter(text => cache?.prompts[promptKey(text)] === undefined);
  const given = (await givenWords(sources)) ?? cache?.vocabulary;
  const directory = keeps ? cacheDirectory(process.env, homedir()) : undefined;
  if (flags.dryRun) {
    const known = given ?? keptVocabulary(directory, await models.knownModel()).get();
    throw new DryRun(...(await estimated(models, texts, known, redact)));
  }
  const model = await models.chatModel();
  const keep = keptVocabulary(directory, model);
  const propose = () =>
    proposeVocabulary(
      models,
      sampleOf(
        open.map(({ text }) => text),
        redact,
      ),
    );
  const vocabulary = given ?? keep.get() ?? keep.set(await propose());
  const tags = await tagByModel(models, vocabulary, texts, redact);
  tellModels(models, quiet);
  return {
    tags,
    kept: { model, vocabulary: [...vocabulary], clusters: [] },
    description: `model ${model} with ${counted(vocabulary.length, 'tag')}`,
  };
}

/** The closed vocabulary that the flags give: the tags of the rule files, else those of the preset if it is asked for. */
async function givenWords({ files, preset }: TaggerSources): Promise<Word[] | undefined> {
  const words = new Map<string, string>();
  for (const { path, text } of files) {
    for (const { kind, tag, description, patterns } of await parseRulesFile(text, path))
      if ((kind === 'prompt' || kind === 'all') && !words.has(tag))
        words.set(tag, description ?? patterns[0]?.slice(0, 80) ?? tag);
  }
  if (preset) for (const { tag, description } of presetWords()) if (!words.has(tag)) words.set(tag, description);
  return words.size === 0 ? undefined : [...words].map(([tag, description]) => ({ tag, description }));
}

/** A dry run: tagging with the vocabulary there is; where none is yet, asking for one first. */
async function estimated(
  models: Models,
  texts: readonly string[],
  given: readonly Word[] | undefined,
  redact: (text: string) => string,
): Promise<[text: string, facts: Record<string, unknown>]> {
  const sent = texts.map(text => sentText(text, redact));
  const tagging = await models.estimate(taggingTask(given ?? presetWords()), sent);
  if (given) return [estimateText(tagging), estimateFacts(tagging)];
  const proposal = await estimateVocabulary(models, sampleOf(texts, redact));
  return [
    `First a vocabulary is asked for:\n${estimateText(proposal)}\nThen tags (here with the built-in vocabulary, in the place of the one to come):\n${estimateText(tagging)}`,
    { ...estimateFacts(tagging), vocabulary: estimateFacts(proposal) },
  ];
}
