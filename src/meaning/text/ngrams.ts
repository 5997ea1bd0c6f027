/**
 * Calls `take` with each character n-gram of a word, `min` to `max` code points long, the word standing between two
 * blanks, so that ends of words are grams of their own (" fi", "ix "). A word shorter than a gram gives one gram, itself
 * with its blanks.
 */
export function characterNgrams(word: string, min: number, max: number, take: (gram: string) => void): void {
  const characters = [' ', ...word, ' '];
  for (let length = min; length <= max; length++) {
    if (length >= characters.length) {
      take(` ${word} `);
      return;
    }
    for (let from = 0; from + length <= characters.length; from++) take(characters.slice(from, from + length).join(''));
  }
}
