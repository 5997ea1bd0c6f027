/**
 * Patterns from plain words. `\b` of RE2 knows ASCII only: it stands between an ASCII letter, digit or underscore
 * and anything else. So it finds whole English words, also beside Chinese (`修一下bug吧`), but it NEVER matches
 * between two Chinese characters, and a pattern such as `\b修复\b` finds `修复` only between ASCII words. Words of
 * scripts without spaces are therefore matched wherever they stand.
 */

/**
 * One case-blind pattern that matches any of the words: at an ASCII end of a word only as a whole word, elsewhere as
 * a plain substring. A trailing `*` leaves the end open (`deploy*` also finds "deployed"). Spaces in a word stand
 * for any white space. `words` must not be empty.
 */
export function wordsPattern(words: readonly string[]): string {
  return `(?i)(?:${words.map(wordPattern).join('|')})`;
}

function wordPattern(word: string): string {
  const open = word.endsWith('*') && word.length > 1;
  const plain = (open ? word.slice(0, -1) : word).normalize('NFC').trim();
  const body = plain.split(/\s+/).map(quote).join('\\s+');
  const before = /^\w/.test(plain) ? '\\b' : '';
  const after = !open && /\w$/.test(plain) ? '\\b' : '';
  return `${before}${body}${after}`;
}

/** The pattern of exactly this text. */
function quote(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
