import { words } from '../text/words.ts';

/** Words that say nothing of what a prompt is about, of both languages. */
const STOP = new Set(
  `a an and any are as at be been but by can could did do does doing for from get got had has have he her here his how i
if in into is it its it's i'm i'd just like let let's make me my need no not now of off on one only or our out please so some
than thanks that that's the their them then there these they this those to too try up us use using want was we were what when
where which who why will with would you your yes ok okay also still all new about should file files code don't can't
的 了 是 在 我 你 他 它 们 我们 你们 有 和 就 不 也 都 这 那 这个 那个 一个 一下 请 吧 吗 呢 啊 把 给 让 用 要 会 能 可以 帮 帮我 下 上
里 中 个 到 去 来 对 为 与 或 还 再 先 后 然后 现在 需要 什么 怎么 没有 没 很 被 从 做 看 想 进行 以及 并 一 个人 里面 文件 代码`.split(
    /\s+/,
  ),
);

/** Of these, words that say what is asked for: they name no group of prompts, but they tell tags apart. */
const ASKING = new Set(
  `add any can could do does file files fix for get how in is like make need new no not show should so try use using want
what when where which who why all about don't can't
怎么 什么 为什么 能 可以 看 想 做 没 没有 让 给 对 被 里面`.split(/\s+/),
);

/** Parts of addresses, numbers and ids, which stand in one prompt and mean nothing in the next. */
const MEANINGLESS = /^(?:\d[\d_.]*|[0-9a-f]{6,}|https?|www|com|_+|[a-z])$/;

/** The distinct words of a text that can tell it from others; with `asking` those of requests and questions too. */
export function tellingWords(text: string, asking = false): Set<string> {
  const tells = (word: string) => !STOP.has(word) || (asking && ASKING.has(word));
  return new Set(words(text).filter(word => tells(word) && !MEANINGLESS.test(word) && word.length <= 40));
}

/** Texts in groups, with the words of each and how much each counts. */
export interface Grouped {
  readonly words: ReadonlySet<string>;
  readonly group: number;
  readonly weight: number;
}

/**
 * Words by group, the most distinctive first: those of many texts of the group and few of the others. The score is the share
 * of the group's texts that have the word, times the logarithm of how much greater that is than everywhere.
 */
export function distinctiveWords(texts: readonly Grouped[], groups: number, most: number): string[][] {
  const everywhere = new Map<string, number>();
  const within = Array.from({ length: groups }, () => new Map<string, number>());
  const sizes = new Array<number>(groups).fill(0);
  let all = 0;
  for (const { words: own, group, weight } of texts) {
    all += weight;
    sizes[group] = (sizes[group] as number) + weight;
    const counts = within[group] as Map<string, number>;
    for (const word of own) {
      everywhere.set(word, (everywhere.get(word) ?? 0) + weight);
      counts.set(word, (counts.get(word) ?? 0) + weight);
    }
  }
  return within.map((counts, group) => {
    const size = sizes[group] as number;
    const scored = [...counts].map(([word, n]) => {
      const share = n / size;
      const expected = (everywhere.get(word) as number) / all;
      return { word, score: share * Math.log(share / expected + 1e-9), n };
    });
    scored.sort((a, b) => b.score - a.score || b.n - a.n || (a.word < b.word ? -1 : 1));
    return scored.slice(0, most).map(({ word }) => word);
  });
}
