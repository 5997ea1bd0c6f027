/** How a tool's command text was found in a process's arguments. */
export type TextMatch = 'exact' | 'contained' | 'prefix';

/** Fewer characters of a cut argument prove nothing. */
const SHORTEST_PREFIX = 64;

/**
 * Whether the process was started to run this command: an argument is the command; or the command is inside the text handed
 * to a shell (`-c`, `-lc`), as a word after shell unquoting (an agent wraps it: `source x && eval '...' && pwd`) or as a
 * stretch between word ends; or the arguments were cut and what is left is the command's beginning.
 */
export function matchCommand(command: string, argv: readonly string[], truncated: boolean): TextMatch | undefined {
  const wanted = command.trim();
  if (wanted === '') return undefined;
  for (const arg of argv) if (arg.trim() === wanted) return 'exact';
  if (argv.join(' ') === wanted) return 'exact';
  const text = shellText(argv);
  if (text === undefined) return undefined;
  if (shellWords(text).some((word, at, all) => all[at - 1] === 'eval' && word.trim() === wanted)) return 'exact';
  if (stands(text, wanted)) return 'contained';
  if (truncated && cutCommand(text, wanted)) return 'prefix';
  return undefined;
}

/** The script of `sh -c SCRIPT`; options may be run together (`-lc`) or apart (`-l -c`). */
export function shellText(argv: readonly string[]): string | undefined {
  const at = argv.findIndex((arg, index) => index > 0 && /^-[a-zA-Z]*c$/.test(arg));
  return at < 0 ? undefined : argv[at + 1];
}

export function isShell(argv: readonly string[]): boolean {
  const name = (argv[0] ?? '').replace(/^-/, '').split('/').at(-1) ?? '';
  return /^(?:ba|da|z|k|fi|a)?sh$/.test(name) || name === 'pwsh';
}

/** A shell that gets its commands through its input: what it runs cannot be known by text. */
export const isPersistentShell = (argv: readonly string[]): boolean =>
  isShell(argv) && shellText(argv) === undefined && !argv.slice(1).some(arg => !arg.startsWith('-'));

/** `wanted` inside `text`, not as part of a longer word: `ls` is not in `false`. */
function stands(text: string, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const before = text[at - 1];
    const after = text[at + wanted.length];
    if (isEdge(before, '({;&|\'"`') && isEdge(after, ')};&|\'"`<>')) return true;
  }
  return false;
}

const isEdge = (character: string | undefined, edges: string): boolean =>
  character === undefined || /\s/.test(character) || edges.includes(character);

function cutCommand(text: string, wanted: string): boolean {
  const at = text.indexOf(wanted.slice(0, SHORTEST_PREFIX));
  if (at < 0 || wanted.length < SHORTEST_PREFIX) return false;
  const left = text.slice(at);
  return left.length >= SHORTEST_PREFIX && wanted.startsWith(left);
}

/** Words after quoting, as a shell splits them; operators stay glued to their words, which is enough here. */
export function shellWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const c = text[at]!;
    if (c === "'") {
      const end = text.indexOf("'", at + 1);
      word = (word ?? '') + text.slice(at + 1, end < 0 ? undefined : end);
      at = end < 0 ? text.length : end;
    } else if (c === '"') {
      word ??= '';
      for (at++; at < text.length && text[at] !== '"'; at++) {
        if (text[at] === '\\' && '"\\$`\n'.includes(text[at + 1] ?? '')) at++;
        word += text[at] ?? '';
      }
    } else if (c === '\\') {
      word = (word ?? '') + (text[++at] ?? '');
    } else if (/\s/.test(c)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + c;
  }
  if (word !== undefined) words.push(word);
  return words;
}
