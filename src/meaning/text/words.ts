/**
 * Words of any script, in lower case and NFKC, in their order: `修一下login页面的bug` is 修, 一下, login, 页面 (or 页, 面),
 * 的, bug.
 *
 * A word is a run of letters, marks, digits and underscores, with apostrophes inside ("don't"). Runs of scripts that write
 * without spaces are cut by Intl.Segmenter, whose dictionary comes with Node's ICU; everything else is cut here, the
 * same on every version. Text of ASCII alone never meets the segmenter and takes the short way. Linear in the text.
 */
export function words(text: string): string[] {
  if (!BEYOND_ASCII.test(text)) return text.toLowerCase().match(ASCII_WORD) ?? [];
  const found: string[] = [];
  for (const run of text.normalize('NFKC').toLowerCase().match(RUN) ?? []) {
    if (SPACELESS.test(run)) cut(run, found);
    else found.push(run);
  }
  return found;
}

const BEYOND_ASCII = /[^\x00-\x7f]/;
const ASCII_WORD = /\w+(?:'\w+)*/g;

/** Scripts that put no space between words. */
const SCRIPTS = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}々ー`;
const SPACELESS = new RegExp(`[${SCRIPTS}]`, 'u');
/** A run without spaces ends where a spaced script begins, so that neither changes how the other is cut. */
const RUN = new RegExp(
  String.raw`[${SCRIPTS}][${SCRIPTS}\p{M}]*|(?:(?![${SCRIPTS}])[\p{L}\p{M}\p{N}_])+(?:['’](?:(?![${SCRIPTS}])[\p{L}\p{M}\p{N}_])+)*`,
  'gu',
);

/** As much as is given to the segmenter at once; longer runs without any punctuation are no language. */
const AT_ONCE = 4096;

let segmenter: Intl.Segmenter | undefined;

function cut(run: string, into: string[]): void {
  segmenter ??= new Intl.Segmenter('zh', { granularity: 'word' });
  for (let from = 0; from < run.length; from += AT_ONCE) {
    for (const { segment, isWordLike } of segmenter.segment(run.slice(from, from + AT_ONCE)))
      if (isWordLike) into.push(segment);
  }
}
