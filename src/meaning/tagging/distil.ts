import { tellingWords } from './distinct.ts';
import { ownWords } from './intent.ts';
import { wordsPattern } from './words.ts';

/** A distinct prompt with a tag that somebody gave it ('' for none of those to be told apart) and what it stands for. */
export interface TaggedText {
  readonly text: string;
  readonly tag: string;
  readonly prompts: number;
  readonly tokens: number;
}

/** A rule that could stand in a rule file, and what it would do here. */
export interface Proposal {
  readonly tag: string;
  readonly words: readonly string[];
  /** What it takes of all texts, whatever their tag. */
  readonly prompts: number;
  readonly tokens: number;
  /** All that has the tag, whether the words take it or not. */
  readonly group: { readonly prompts: number; readonly tokens: number };
  /** Share of these prompts that had the tag: what the words get right. */
  readonly precision: number;
  /** Share of the tag's prompts that it takes. */
  readonly recall: number;
  /** Some of the texts it takes rightly, for examples. */
  readonly texts: readonly string[];
}

export interface DistilOptions {
  /** A word must take so many prompts of the tag. */
  readonly leastPrompts: number;
  /** Share of the prompts with a word that must have the tag. */
  readonly precision: number;
  /** What of a text may stand in a rule. */
  readonly sayable: (text: string) => string;
  /** The tags say what is asked for, so words such as "why" and "add" may tell them apart. */
  readonly asking?: boolean;
}

const MOST_WORDS = 16;
const EXAMPLES = 3;
/** What a prompt asks for shows in its beginning. */
const READ = 4000;

interface Entry extends TaggedText {
  readonly words: ReadonlySet<string>;
}

/**
 * Rules of words that give texts the tags they have: for each tag, greedily, the word that takes the most prompts not yet
 * taken, among words of which enough prompts have that tag. The narrow tags come first, because the first rule that
 * matches wins. What a proposal takes is counted with the very pattern that a rule file would give.
 */
export function distil(texts: readonly TaggedText[], options: DistilOptions): Proposal[] {
  const entries = texts.map(
    (each): Entry => ({ ...each, words: ruleWords(options.sayable(each.text), options.asking === true) }),
  );
  const everywhere = new Map<string, number>();
  for (const { words, prompts } of entries)
    for (const word of words) everywhere.set(word, (everywhere.get(word) ?? 0) + prompts);
  const tags = [...new Set(entries.map(({ tag }) => tag))].filter(tag => tag !== '').sort();
  const proposals = tags.flatMap(tag => {
    const own = entries.filter(each => each.tag === tag);
    const words = chosenWords(own, everywhere, options);
    return words.length === 0 ? [] : [proposed(tag, words, entries, own)];
  });
  return proposals.sort((a, b) => a.prompts - b.prompts || (a.tag < b.tag ? -1 : 1));
}

/** Words that can stand in a rule: telling ones, of scripts without spaces those of two characters or more. */
function ruleWords(text: string, asking: boolean): Set<string> {
  const own = ownWords(text);
  const found = tellingWords((own === '' ? text : own).slice(0, READ), asking);
  for (const word of found) if (word.length < 2 || (/^[\x21-\x7e]+$/.test(word) && word.length < 3)) found.delete(word);
  return found;
}

function chosenWords(own: readonly Entry[], everywhere: ReadonlyMap<string, number>, options: DistilOptions): string[] {
  const chosen: string[] = [];
  let left = own;
  while (chosen.length < MOST_WORDS && left.length > 0) {
    const all = countWords(own);
    let best: { word: string; gain: number } | undefined;
    for (const [word, gain] of countWords(left)) {
      if (
        gain < options.leastPrompts ||
        (all.get(word) as number) / (everywhere.get(word) as number) < options.precision
      )
        continue;
      if (!best || gain > best.gain || (gain === best.gain && word < best.word)) best = { word, gain };
    }
    if (!best) break;
    const { word } = best;
    chosen.push(word);
    left = left.filter(({ words }) => !words.has(word));
  }
  return chosen;
}

function countWords(entries: readonly Entry[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { words, prompts } of entries)
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + prompts);
  return counts;
}

function proposed(tag: string, words: readonly string[], all: readonly Entry[], own: readonly Entry[]): Proposal {
  // The flags and escapes that wordsPattern writes mean the same in both engines.
  const pattern = new RegExp(wordsPattern(words).replace('(?i)', ''), 'i');
  const taken = all.filter(({ text }) => pattern.test(text.normalize('NFC')));
  const right = taken.filter(each => each.tag === tag);
  const sum = (entries: readonly TaggedText[], of: 'prompts' | 'tokens') =>
    entries.reduce((n, each) => n + each[of], 0);
  return {
    tag,
    words,
    prompts: sum(taken, 'prompts'),
    tokens: sum(taken, 'tokens'),
    group: { prompts: sum(own, 'prompts'), tokens: sum(own, 'tokens') },
    precision: taken.length === 0 ? 0 : sum(right, 'prompts') / sum(taken, 'prompts'),
    recall: sum(right, 'prompts') / sum(own, 'prompts'),
    texts: [...right]
      .sort((a, b) => a.text.length - b.text.length)
      .slice(0, EXAMPLES)
      .map(({ text }) => text),
  };
}
