import { REDACTED } from './placeholders.ts';

/** So many words before an argument may tell that it is a secret (`mysql -h db -u root -pSECRET`). */
const REACH = 12;
const LONGEST = 300;
/** Words behind which a secret may stand as a word of its own. */
const TELLS = /^-|pass|secret|token|key|auth|bearer/i;

/**
 * The arguments of a program, each as it may leave. What an argument is may only show by those before it (`--password X`,
 * `-u NAME:X`), so each is looked at behind them, with its bounds as they are; one that then looks otherwise in a way that is not
 * understood goes whole. `text` is a redactor's.
 */
export function redactArguments(words: readonly string[], text: (text: string) => string): string[] {
  return words.map((word, at) => {
    const own = text(word);
    if (at === 0 || word === '' || !(TELLS.test(words[at - 1] as string) || word.startsWith('-'))) return own;
    const before = words
      .slice(Math.max(0, at - REACH), at)
      .join(' ')
      .slice(-LONGEST);
    // In quotes, because its bounds are known; those in it would end them.
    const probe = word.replaceAll('"', "'");
    const quote = word.startsWith('-') ? '' : '"';
    const start = `${text(before)} ${quote}`;
    const whole = text(`${before} ${quote}${probe}${quote}`);
    if (whole === `${start}${probe === word ? own : text(probe)}${quote}`) return own;
    const rest = whole.slice(start.length, whole.length - quote.length);
    const understood = whole.startsWith(start) && whole.endsWith(quote) && probe === word;
    return understood && !rest.startsWith(REDACTED) ? rest : REDACTED;
  });
}
