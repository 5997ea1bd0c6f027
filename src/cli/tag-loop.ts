import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { displayText } from '../formats/names.ts';
import { clusterTexts } from '../meaning/tagging/cluster.ts';
import { distil, type Proposal, type TaggedText } from '../meaning/tagging/distil.ts';
import { presetWords } from '../meaning/tagging/preset.ts';
import { promptKey, readTagCache } from '../meaning/tagging/tag-cache.ts';
import { amountsOf } from '../trace/amounts.ts';
import { counted, grouped } from '../trace/counted.ts';
import { Flag } from '../trace/flags.ts';
import { Kind, NO_ROW } from '../trace/kinds.ts';
import { MEASURES } from '../trace/measures.ts';
import { UsageError } from '../trace/usage-error.ts';
import { hintIfEmpty } from './empty.ts';
import { type History, readHistory } from './history.ts';
import type { HistoryFlags, MeaningFlags } from './options.ts';
import { checkOutput, writeOutput } from './output.ts';

export interface TagLoopFlags extends HistoryFlags, Omit<MeaningFlags, 'opMap' | 'opMapFile'> {
  json?: boolean;
  limit?: string;
  output?: string;
  minPrompts?: string;
  includePreviews?: boolean;
}

/** A prompt of a person, once, with what it cost: the tokens of all that was done for it. */
export interface Weighed {
  readonly text: string;
  readonly tag: string;
  readonly by: string;
  readonly tokens: number;
}

const TOKENS = MEASURES.findIndex(({ name }) => name === 'tokens');

/** Reads and tags the history that the flags select; only prompts of selected rows count. */
export async function weighedPrompts(flags: TagLoopFlags): Promise<{ prompts: Weighed[]; history: History }> {
  const history = await readHistory(flags, { meaning: { ...flags, opMap: [], opMapFile: [] } });
  hintIfEmpty(history);
  const { trace, rows } = history;
  const { ops, links } = trace;
  const amounts = amountsOf(trace);
  const tokens = new Map<number, number>();
  const chosen = new Set<number>();
  for (const row of rows) {
    if (ops.has(row, Flag.copy)) continue;
    if (ops.kind.get(row) === Kind.prompt) chosen.add(row);
    const prompt = links.prompt[row] as number;
    if (prompt === NO_ROW) continue;
    let sum = 0;
    amounts(row, (_, values) => {
      sum += values[TOKENS] as number;
    });
    if (sum > 0) tokens.set(prompt, (tokens.get(prompt) ?? 0) + sum);
  }
  const prompts = [...chosen].flatMap((row): Weighed[] => {
    const tag = trace.value('prompt', row);
    const by = trace.value('tagged_by', row);
    if (tag === '' || by === 'machine') return [];
    return [{ text: ops.texts.get('prompt', row), tag, by, tokens: tokens.get(row) ?? 0 }];
  });
  return { prompts, history };
}

/** Equal texts of one tag as one. */
export function distinct(prompts: readonly Weighed[], tagOf: (prompt: Weighed) => string): TaggedText[] {
  const found = new Map<string, { text: string; tag: string; prompts: number; tokens: number }>();
  for (const prompt of prompts) {
    const tag = tagOf(prompt);
    const key = JSON.stringify([tag, prompt.text]);
    const each = found.get(key) ?? { text: prompt.text, tag, prompts: 0, tokens: 0 };
    each.prompts++;
    each.tokens += prompt.tokens;
    found.set(key, each);
  }
  return [...found.values()];
}

/** Unmatched prompts in groups of similar ones, with the names of the groups; '' for those without any word. */
export function groupsOfUnmatched(prompts: readonly Weighed[], { redactor }: History): TaggedText[] {
  const unmatched = distinct(
    prompts.filter(({ tag }) => tag === 'unmatched'),
    () => '',
  );
  const { tags } = clusterTexts(unmatched, redactor.sayable);
  return unmatched.map(each => ({ ...each, tag: tags.get(each.text) ?? '' }));
}

export function leastPrompts({ minPrompts }: TagLoopFlags): number {
  const least = Number(minPrompts ?? 2);
  if (!Number.isInteger(least) || least < 1)
    throw new UsageError(`--min-prompts: ${JSON.stringify(minPrompts)} is no positive whole number.`);
  return least;
}

/** Proposals that would tag what is unmatched, the heaviest first; their words hardly touch what is tagged already. */
export function suggestions(prompts: readonly Weighed[], flags: TagLoopFlags, history: History): Proposal[] {
  const tagged = distinct(
    prompts.filter(({ tag, by }) => tag !== 'unmatched' && by !== 'turn'),
    () => '',
  );
  const proposals = distil([...groupsOfUnmatched(prompts, history), ...tagged], {
    leastPrompts: leastPrompts(flags),
    precision: 0.8,
    sayable: history.redactor.sayable,
  });
  return proposals.sort((a, b) => b.tokens - a.tokens || b.prompts - a.prompts || (a.tag < b.tag ? -1 : 1));
}

export async function tagsSuggest(flags: TagLoopFlags): Promise<void> {
  const { prompts, history } = await weighedPrompts(flags);
  const all = suggestions(prompts, flags, history);
  const unmatched = prompts.filter(({ tag }) => tag === 'unmatched');
  if (flags.output !== undefined) await writeRules(flags.output, all, flags, history);
  if (flags.json) {
    const facts = {
      schema: 'agentpprof.tags-suggest/1',
      prompts: prompts.length,
      unmatched: unmatched.length,
      unmatched_tokens: unmatched.reduce((sum, { tokens }) => sum + tokens, 0),
      rules: all.map(proposal => proposalFacts(proposal, flags, history)),
    };
    process.stdout.write(`${JSON.stringify(facts, null, 2)}\n`);
    return;
  }
  if (flags.output !== undefined) return;
  process.stdout.write(
    `${grouped(unmatched.length)} of ${counted(prompts.length, 'prompt')} ${unmatched.length === 1 ? 'is' : 'are'} unmatched\n`,
  );
  for (const proposal of all) process.stdout.write(proposalText(proposal, flags, history));
  if (all.length > 0)
    process.stdout.write(
      '\nWrite them with -o rules.yaml, rename the tags, and try: agentpprof tags test rules.yaml\n',
    );
}

function proposalFacts({ texts, ...proposal }: Proposal, flags: TagLoopFlags, history: History) {
  const examples = flags.includePreviews ? { examples: texts.map(text => preview(text, history)) } : {};
  return { ...proposal, ...examples };
}

/** The group as `tags status` counts it, then what its words take, which is less of the group and may be more of others. */
function proposalText(proposal: Proposal, flags: TagLoopFlags, history: History): string {
  const { tag, words, prompts, tokens, group, recall, texts } = proposal;
  const own = Math.round(recall * group.prompts);
  const others = prompts === own ? '' : `, ${grouped(prompts - own)} of others`;
  const shown =
    process.stdout.isTTY || flags.includePreviews
      ? texts.map(text => `    ${displayText(preview(text, history))}\n`)
      : [];
  return [
    '',
    `${tag}: ${counted(group.prompts, 'prompt')}, ${counted(group.tokens, 'token')}`,
    `  words: ${words.map(displayText).join(', ')}`,
    `  they take ${counted(prompts, 'prompt')}, ${counted(tokens, 'token')}: ${grouped(own)} of this group${others}`,
    shown.join(''),
  ].join('\n');
}

const PREVIEW = 120;

/** A prompt on one line, without secrets. */
export function preview(text: string, { redactor }: History): string {
  const line = [...redactor.text(text).replace(/\s+/g, ' ').trim()];
  return line.length > PREVIEW ? `${line.slice(0, PREVIEW).join('')}…` : line.join('');
}

export async function tagsInit(flags: TagLoopFlags): Promise<void> {
  const { prompts, history } = await weighedPrompts(flags);
  const known = distinct(
    prompts.filter(({ tag, by }) => tag !== 'unmatched' && by !== 'turn'),
    ({ tag }) => tag,
  );
  const least = leastPrompts(flags);
  // What nobody knows yet is a group of its own.
  const rules = distil([...known, ...groupsOfUnmatched(prompts, history)], {
    leastPrompts: least,
    precision: 0.7,
    sayable: history.redactor.sayable,
    asking: true,
  });
  await finish(flags, rules, history, 'agentpprof.tags-init/1');
}

export async function tagsFreeze(files: readonly string[], flags: TagLoopFlags): Promise<void> {
  const caches = files.map(file => {
    const cache = readTagCache(file);
    if (cache === undefined)
      throw new UsageError(`${file}: there is no such file; --tagger llm --tag-cache ${file} makes one.`);
    return cache;
  });
  const { prompts, history } = await weighedPrompts({ ...flags, preset: false, tagger: 'regex' });
  const stable = (text: string) => {
    const tags = new Set(caches.map(cache => cache.prompts[promptKey(text)] ?? ''));
    return tags.size === 1 ? ([...tags][0] as string) : '';
  };
  const rules = distil(
    distinct(prompts, ({ text }) => stable(text)),
    { leastPrompts: leastPrompts(flags), precision: 0.8, sayable: history.redactor.sayable },
  );
  const described = new Map(
    caches.flatMap(({ vocabulary }) => vocabulary.map(({ tag, description }) => [tag, description])),
  );
  await finish(flags, rules, history, 'agentpprof.tags-freeze/1', described);
}

async function finish(
  flags: TagLoopFlags,
  rules: readonly Proposal[],
  history: History,
  schema: string,
  described?: ReadonlyMap<string, string>,
): Promise<void> {
  if (flags.json)
    process.stdout.write(
      `${JSON.stringify({ schema, rules: rules.map(rule => proposalFacts(rule, flags, history)) }, null, 2)}\n`,
    );
  if (!flags.json || flags.output !== undefined)
    await writeRules(flags.output ?? '-', rules, flags, history, described);
}

/** A rule file is worked on by hand: one that is there is never written over. Throws UsageError. */
function checkNew(path: string): void {
  checkOutput(path);
  if (path !== '-' && existsSync(path))
    throw new UsageError(`-o: ${path} is there already and may hold rules of yours; name another file.`);
}

/** A rule file of these rules. Examples are prompts, so they are written only if previews are asked for. */
async function writeRules(
  path: string,
  rules: readonly Proposal[],
  flags: TagLoopFlags,
  history: History,
  described: ReadonlyMap<string, string> = new Map(presetWords().map(({ tag, description }) => [tag, description])),
): Promise<void> {
  checkNew(path);
  const { stringify } = await import('yaml');
  const file = {
    version: 1,
    rules: rules.map(({ tag, words, texts }) => ({
      tag,
      ...(described.has(tag) ? { description: described.get(tag) } : {}),
      words,
      ...(flags.includePreviews ? { examples: { match: texts.map(text => preview(text, history)) } } : {}),
    })),
  };
  const text = path.toLowerCase().endsWith('.json')
    ? `${JSON.stringify(file, null, 2)}\n`
    : stringify(file, { lineWidth: 120 });
  writeOutput(path, sink => sink(text));
  if (path === '-' || flags.quiet) return;
  process.stderr.write(
    `${basename(path)}: ${counted(rules.length, 'rule')}; use it with --tag-rules, and --preset to ask the built-in rules after it\n`,
  );
}

/** The bytes of a file that a command was given. Throws UsageError. */
export function readGiven(path: string, flag: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${flag} ${path}: it cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}
