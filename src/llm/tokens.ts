/**
 * Tokens of a text, estimated without the model's tokenizer: four characters of ASCII are one, a character beyond is one.
 * Tokenizers of today take 0.8 to 1.2 times that for English, code and Chinese alike.
 */
export function estimateTokens(text: string): number {
  let ascii = 0;
  let others = 0;
  for (let at = 0; at < text.length; at++)
    if (text.charCodeAt(at) < 128) ascii++;
    else others++;
  return Math.ceil(ascii / 4) + others;
}
