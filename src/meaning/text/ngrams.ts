/**
 * Calls `take` with the place of each character n-gram of a word, `min` to `max` code points long, in the word standing
 * between two blanks, so that ends of words are grams of their own (" fi", "ix "). A word shorter than a gram gives one gram,
 * itself with its blanks. No gram becomes a string of its own: a prompt has thousands.
 */
export function characterNgrams(
  word: string,
  min: number,
  max: number,
  take: (padded: string, from: number, to: number) => void,
): void {
  const padded = ` ${word} `;
  const starts = startsOf(padded);
  const characters = starts.length - 1;
  for (let length = min; length <= max; length++) {
    if (length >= characters) {
      take(padded, 0, padded.length);
      return;
    }
    for (let from = 0; from + length <= characters; from++)
      take(padded, starts[from] as number, starts[from + length] as number);
  }
}

const scratch: number[] = [];

/** Where each code point starts, and the end. A half of a pair that stands alone is one too. Valid until the next call. */
function startsOf(text: string): readonly number[] {
  let characters = 0;
  for (let at = 0; at < text.length; at++) {
    scratch[characters++] = at;
    if ((text.codePointAt(at) as number) > 0xffff) at++;
  }
  scratch[characters] = text.length;
  scratch.length = characters + 1;
  return scratch;
}
