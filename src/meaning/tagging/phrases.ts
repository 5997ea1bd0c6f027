/**
 * Short answers that carry no task of their own: "go on" and "yes, do that", in English and Chinese. One list serves
 * the preset's tag `continue` and the field `turn`, so that both agree on what a continuation is.
 */
const listed = (text: string): string[] => text.trim().split(/\s*,\s*/);

/** Asks for the next step. */
const GO_ON = listed(`
  continue, go on, next, next step, next one, do the next one, proceed, keep going, keep it going, carry on, resume,
  move on, start, begin, finish, do the rest, keep on, try again, retry, again, more,
  继续, 接着, 接着来, 接着做, 下一步, 下一个, 往下, 开始, 开始做, 走起, 再来, 再试, 再试一次, 重试
`);

/** Says yes, so that what was offered is done: it goes on too. */
const GO_AHEAD = listed(`
  yes, y, yep, yeah, yup, ok, okay, k, kk, sure, fine, do it, do that, do this, do so, do both, do all, do all of it,
  do all of them, go, go ahead, go for it, ship it, approved, approve, agreed, agree, i agree, let's do it, let's do that,
  let's do this, let's go, make it so, that works, works for me, confirmed, of course, absolutely, definitely,
  好, 好的, 好滴, 好吧, 嗯, 恩, 行, 可以, 没问题, 同意, 对, 是, 是的, 就这样, 就这么办, 就这么做, 就按这个来, 按你说的做,
  按你说的来, 按这个来, 照做, 确认, 批准, 通过, 赞同, 收到, 明白, 做吧, 改吧, 来吧, 干吧, 上吧, 就用这个, 都可以, 都行
`);

/** Praises what was done and asks for nothing. */
const PRAISE = listed(`
  great, good, perfect, nice, cool, awesome, excellent, lgtm, sgtm, looks good, looks good to me, looks great, sounds good,
  sounds great, sounds like a plan, correct, right, exactly, all good, good job, well done, nice work, great work, good work,
  that's fine, that's right, that's correct, that's good,
  没错, 不错, 很好, 完美
`);

/** May stand beside them and changes nothing. */
const BESIDE = listed(`
  please, pls, plz, and, then, now, just, so, with it, with that, with this, from here, here, from there, where you left off,
  from where you left off, thanks, thank you, thx, to, the, with the, work, task, you can, that, it, all, also,
  请, 吧, 了, 的, 谢谢, 呀, 啊, 哦, 那, 就, 再, 先, 呢, 哈, 啦, 任务, 工作, 完成, 做, 一下
`);

/** An option picked from a list that the agent offered: "2", "option b", "方案一". */
const PICKED =
  /(?:(?:option|choice|number|plan)\s*)?\d{1,2}\b|(?:option|choice)\s+[a-d]\b|(?:方案|选项?)\s*[一二三四五\da-d]/y;

/** Characters between words: everything that is no letter or digit, emoji included. */
export const APART = String.raw`[\x00-/:-@\[-\x60{-\xbf\u2000-\u2bff\u3000-\u303f\ufe00-\ufe0f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\ud83c-\ud83e\udc00-\udfff]`;

/** A yes without words; more words after it decide as they would alone. */
const THUMB = /^\s*(?:👍|👌|✅)/u;

const BETWEEN = new RegExp(`${APART}*`, 'y');

/** All of these phrases, for the fingerprint of the preset. */
export const PHRASES = { GO_ON, GO_AHEAD, PRAISE, BESIDE, PICKED: PICKED.source };

type Says = 'continue' | 'approve' | 'beside';

/**
 * The phrases by their characters. A tree and no regular expression: an alternation of all of them takes an engine
 * longer to compile than a month of prompts takes to read.
 */
interface Node {
  readonly next: Map<string, Node>;
  says?: Says;
}

let tree: Node | undefined;

function phraseTree(): Node {
  const root: Node = { next: new Map() };
  const lists = [
    ['beside', BESIDE] as const,
    ['approve', PRAISE] as const,
    ['continue', [...GO_ON, ...GO_AHEAD]] as const,
  ];
  for (const [says, phrases] of lists)
    for (const phrase of phrases) {
      let node = root;
      for (const char of phrase) {
        const next = node.next.get(char) ?? { next: new Map() };
        node.next.set(char, next);
        node = next;
      }
      node.says = says;
    }
  return root;
}

interface Step {
  readonly end: number;
  readonly says: Says;
}

/** The longest phrase at a place of a text in lower case, whichever list it is of: "good job" is no "good", "do it" no "do". */
function phraseAt(text: string, from: number): Step | undefined {
  tree ??= phraseTree();
  const latin = isWordCharacter(text[from]);
  // An English phrase is made of whole words; an option may stand right behind an underscore.
  const within = latin && from > 0 && isWordCharacter(text[from - 1]);
  let best: (Step & { length: number }) | undefined;
  const walk = (node: Node, at: number, length: number): void => {
    if (node.says && (best === undefined || length > best.length) && !(latin && isWordCharacter(text[at])))
      best = { end: at, says: node.says, length };
    const apostrophe = node.next.get("'");
    if (apostrophe) {
      if (text[at] === "'" || text[at] === '’') walk(apostrophe, at + 1, length + 1);
      walk(apostrophe, at, length + 1);
    }
    const char = text[at];
    if (char === undefined) return;
    if (WHITE.test(char)) {
      const space = node.next.get(' ');
      let end = at + 1;
      while (end < text.length && WHITE.test(text[end] as string)) end++;
      if (space) walk(space, end, length + 1);
      return;
    }
    const next = char === "'" ? undefined : node.next.get(char);
    if (next) walk(next, at + 1, length + 1);
  };
  if (!within) walk(tree, from, 0);
  if (best) return best;
  PICKED.lastIndex = from;
  return PICKED.test(text) ? { end: PICKED.lastIndex, says: 'continue' } : undefined;
}

const WHITE = /\s/;
const isWordCharacter = (char: string | undefined): boolean => char !== undefined && /\w/.test(char);

/** Nobody says yes at such length. */
const LONGEST = 400;

/**
 * What a text says if it says nothing else: 'continue' (go on, or yes to what was offered), 'approve' (praise alone), or ''
 * for any other text. Reads phrase by phrase, the longest first, so the time is linear, and it stops at the first word
 * that is none of them.
 */
export function onlyContinues(prompt: string): 'continue' | 'approve' | '' {
  if (prompt.length > LONGEST) return '';
  const text = prompt.toLowerCase();
  let found: 'continue' | 'approve' | '' = THUMB.test(text) ? 'continue' : '';
  for (let at = 0; ; ) {
    BETWEEN.lastIndex = at;
    BETWEEN.test(text);
    at = BETWEEN.lastIndex;
    if (at === text.length) return found;
    const step = phraseAt(text, at);
    if (!step) return '';
    if (step.says === 'continue') found = 'continue';
    else if (step.says === 'approve' && found === '') found = 'approve';
    at = step.end;
  }
}
