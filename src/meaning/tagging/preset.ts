import { createHash } from 'node:crypto';
import { CONTINUE } from './decision.ts';
import { ownWords } from './intent.ts';
import { APART, onlyContinues, PHRASES } from './phrases.ts';
import { INQUIRY } from './preset-inquiry.ts';
import { MAKING } from './preset-making.ts';

/**
 * The demonstration taxonomy, used when no tagger option is given. Four steps; the first that says something wins:
 *
 * 1. `continue`: the text is nothing but "ok", "go on", "继续".
 * 2. How a sentence begins, after courtesies ("can you please"), sentence by sentence: the request itself. "Write a
 *    test for the fixed bug" is `test` because it asks to write a test, whatever else it names. Fenced code does
 *    not ask.
 * 3. Words anywhere.
 * 4. A question of some length that says nothing else is `explain`.
 *
 * Within a step the order of the vocabulary decides, the narrow before the wide: "fix the README typo" is `docs`
 * before it is `debug`. Words of failure come first among words: "the tests fail" reports a failure.
 *
 * This is no rule file: as rules of one RE2 set the same vocabulary has 45,000 instructions and takes 0.9 s to
 * compile, because each rule repeats the courtesies. JavaScript's own engine compiles it in milliseconds, and the
 * time stays linear because each sentence is looked at for at most 240 characters and the word patterns never
 * backtrack over more than a word.
 */
export const PRESET = 'preset 2';

/** What may stand before an English request. */
const COURTESIES = String.raw`
  please|pls|plz|kindly|can|could|would|will|you|we|i|to|let['’]?s|let me|let us|me|us|i['’]d|i['’]m|you['’]d|we['’]d|
  want|wants|need|needs|like|would like|have to|love|now|then|next|so|ok|okay|great|good|thanks|thank you|cool|perfect|
  nice|yes|yeah|yep|sure|fine|right|alright|also|and|but|hey|hi|hello|first|second|third|finally|afterwards|just|
  go ahead|help|try|should|must|quickly|carefully|briefly|thoroughly|independently|only|again|maybe|perhaps|additionally|
  it would be (?:good|nice|great)|step \d+|\d+|todo|task|goal|feature request|well|hmm+|oh|still|actually|instead`
  .trim()
  .replace(/\|\s+/g, '|');
const ZH_COURTESIES =
  '请|麻烦|帮我|帮忙|帮|你|我们|我|想要?|需要|要|能不能|能否|能|可以|可不可以|现在|然后|接下来|再|先|那就?|好的?|嗯|给我|一下|' +
  '去|来|同时|顺便|另外|还有|让|把|首先|最后|第[一二三四五]步';

/**
 * Ends of a whole word. Stricter than `\b`: a word inside a path, a file name or a hyphenated name is not a word of
 * the sentence ("src/test/fix-plan.ts", "pre-commit").
 */
const LEFT = String.raw`\b(?<![./\\-])`;
const RIGHT = String.raw`(?![\w/\\]|[.-]\w)`;

const COURTESY = new RegExp(`${APART}*(?:(?:${COURTESIES})(?!\\w)${APART}+|(?:${ZH_COURTESIES}))`, 'y');
const NOT_A_WORD = new RegExp(`${APART}*`, 'y');
/** Where one sentence ends and the next begins; a comma only before a courtesy ("..., can you"). */
const SENTENCE_END = /[.!?;:](?=\s)|\.{2,}|[\n。！？；：]+|,(?=\s+(?:please|can you|could you|let['’]?s|so|then)\b)/g;
const CLAUSE_END = /[.!?;:,](?=\s)|\.{2,}|[\n。！？；：，]+|\s(?:and|then|so)(?=\s)/g;
/** "Update it", "write one": a request whose object stands elsewhere tells less than the words around it. */
const POINTS_BACK =
  /(?:write|update|change|make|add|do|use|remove|set|move|create|run|check|see) (?:it|them|this|that|one|some|so|something)\s*(?:[.!?,;]|$)/y;
const FENCED = /```[\s\S]*?(?:```|$)/g;
const HAS_CHINESE = /[\u3400-\u9fff]/;
const QUESTION = /[?？]\s*$/;

const NEXT_WORD = /\s+/y;
/** A word that does not end its clause. */
const WORD = /[^\s!?;,]*[^\s!?;,.:](?=\s)/y;
const OBJECT_WITHIN = 4;

/** A sentence is looked at for so many characters; a question as short as "How are you?" asks for nothing. */
const SENTENCE = 240;
const REAL_QUESTION = 24;

/** Matches nothing: what an empty list of fragments stands for. */
const NEVER = '(?!)';

/** Patterns meet lower-case text only, which compiles in two thirds of the time of a case-blind pattern. */
const sticky = (fragments: readonly string[]): RegExp => new RegExp(`(?:${fragments.join('|') || NEVER})${RIGHT}`, 'y');

/** A whole English word, or a Chinese one anywhere. */
const named = (words: readonly string[], zhWords: readonly string[]): string =>
  [...(words.length > 0 ? [`${LEFT}(?:${words.join('|')})${RIGHT}`] : []), ...zhWords].join('|') || NEVER;

interface Matcher {
  readonly tag: string;
  readonly asks: RegExp;
  readonly asksWith: readonly { readonly verbs: RegExp; readonly objects: RegExp }[];
  readonly zhAsks: RegExp;
  readonly words: RegExp;
}

const VOCABULARY = [...INQUIRY, ...MAKING];

const MATCHERS: readonly Matcher[] = VOCABULARY.map(({ tag, asks, asksWith, zhAsks, words, zhWords }) => ({
  tag,
  asks: sticky(asks),
  asksWith: asksWith.map(([verbs, ...objects]) => ({ verbs: sticky([verbs]), objects: sticky(objects) })),
  zhAsks: new RegExp(zhAsks.join('|')),
  words: new RegExp(named(words, zhWords), 'y'),
}));

/**
 * Whether there is a verb of any tag that needs an object, and whether any tag is asked for in Chinese: most sentences ask for
 * nothing, and these tell half of that at once. Not so for what asks alone: all of that in one takes V8 0.1 s to compile.
 */
const ANY_VERB = sticky(VOCABULARY.flatMap(each => each.asksWith.map(([verbs]) => verbs)));
const ANY_ZH_ASKS = new RegExp(VOCABULARY.flatMap(each => each.zhAsks).join('|'));

/** Words of failure before all others. */
const BY_WORDS = [...MATCHERS].sort((a, b) => Number(b.tag === 'debug') - Number(a.tag === 'debug'));
/** Any word of any tag: one pass finds the places, and only there it is asked whose word it is. */
const ANY_WORD = new RegExp(
  named(
    VOCABULARY.flatMap(each => each.words),
    VOCABULARY.flatMap(each => each.zhWords),
  ),
  'g',
);

/**
 * The tag of a prompt, '' for none. Reads the whole text; what a person says in their own words comes before what they
 * pasted.
 */
export function presetTag(prompt: string): string {
  if (onlyContinues(prompt) !== '') return CONTINUE;
  const own = ownWords(prompt);
  const said = own === '' || own.length === prompt.length ? '' : tagOfWords(own.toLowerCase());
  return said || tagOfWords(prompt.toLowerCase());
}

function tagOfWords(text: string): string {
  const asked = askedBy(text.includes('```') ? text.replace(FENCED, '\n') : text);
  if (asked !== '') return asked;
  const word = namedIn(text);
  if (word !== '') return word;
  return text.length >= REAL_QUESTION && QUESTION.test(text) ? 'explain' : '';
}

function namedIn(text: string): string {
  let best = BY_WORDS.length;
  ANY_WORD.lastIndex = 0;
  for (let found = ANY_WORD.exec(text); found && best > 0; found = ANY_WORD.exec(text)) {
    for (let at = 0; at < best; at++) if (standsAt((BY_WORDS[at] as Matcher).words, text, found.index)) best = at;
    ANY_WORD.lastIndex = found.index + 1;
  }
  return BY_WORDS[best]?.tag ?? '';
}

/** The first sentence that begins like a request, else the first clause within a sentence that does. */
function askedBy(text: string): string {
  return firstOf(text, SENTENCE_END) || firstOf(text, CLAUSE_END);
}

function firstOf(text: string, ends: RegExp): string {
  for (let from = 0; from < text.length; ) {
    ends.lastIndex = from;
    const to = ends.test(text) ? ends.lastIndex : text.length;
    const tag = asksFor(text.slice(from, Math.min(to, from + SENTENCE)));
    if (tag !== '') return tag;
    from = to;
  }
  return '';
}

function asksFor(sentence: string): string {
  const start = afterCourtesies(sentence);
  if (start === sentence.length) return '';
  const chinese = HAS_CHINESE.test(sentence);
  if (!chinese && standsAt(POINTS_BACK, sentence, start)) return '';
  const verb = standsAt(ANY_VERB, sentence, start);
  const inChinese = chinese && ANY_ZH_ASKS.test(sentence);
  for (const matcher of MATCHERS) {
    if (standsAt(matcher.asks, sentence, start)) return matcher.tag;
    if (verb && asksWithObject(matcher, sentence, start)) return matcher.tag;
    if (inChinese && matcher.zhAsks.test(sentence)) return matcher.tag;
  }
  return '';
}

/** A verb at `start`, and the object at the beginning of one of the next four words of the same clause. */
function asksWithObject(matcher: Matcher, sentence: string, start: number): boolean {
  return matcher.asksWith.some(({ verbs, objects }) => {
    if (!standsAt(verbs, sentence, start)) return false;
    NEXT_WORD.lastIndex = verbs.lastIndex;
    for (let word = 0; word < OBJECT_WITHIN && NEXT_WORD.test(sentence); word++) {
      if (standsAt(objects, sentence, NEXT_WORD.lastIndex)) return true;
      WORD.lastIndex = NEXT_WORD.lastIndex;
      if (!WORD.test(sentence)) return false;
      NEXT_WORD.lastIndex = WORD.lastIndex;
    }
    return false;
  });
}

function standsAt(pattern: RegExp, sentence: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(sentence);
}

function afterCourtesies(sentence: string): number {
  COURTESY.lastIndex = 0;
  let at = 0;
  while (COURTESY.test(sentence)) at = COURTESY.lastIndex;
  NOT_A_WORD.lastIndex = at;
  NOT_A_WORD.test(sentence);
  return NOT_A_WORD.lastIndex;
}

/** The tags of the preset with what they mean, `continue` left out. */
export function presetWords(): { tag: string; description: string }[] {
  return VOCABULARY.filter(({ tag }, at) => VOCABULARY.findIndex(each => each.tag === tag) === at).map(
    ({ tag, description }) => ({ tag, description: DESCRIPTIONS[tag] ?? description }),
  );
}

/** Where the vocabulary speaks of a part of a tag, what all of it means. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  debug: 'something is broken: find out why, fix it',
  explain: 'a question about what is there',
};

/** Content hash of the preset, so that what was tagged with other words is tagged again. */
export function presetFingerprint(): string {
  return createHash('sha256')
    .update(JSON.stringify([PRESET, COURTESIES, ZH_COURTESIES, PHRASES, VOCABULARY]))
    .digest('hex')
    .slice(0, 16);
}
