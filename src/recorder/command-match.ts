import { SHELLS, shellArguments } from '../effects/shell/shell-arguments.ts';

/** How a tool's command text was found in a process's arguments; `requoted`: said in other quotes, with an input of nothing. */
export type TextMatch = 'exact' | 'requoted' | 'contained' | 'prefix';

/** The process was asked for this command and nothing else. */
export const isWhole = (match: TextMatch | undefined): boolean => match === 'exact' || match === 'requoted';

/** Fewer characters of a cut argument prove nothing. */
const SHORTEST_PREFIX = 64;

/**
 * Whether the process was started to run this command: an argument is the command; or the command is inside the text handed
 * to a shell, as what that text gives to `eval` (an agent wraps it: `source x && eval '...' && pwd`), as another word of it
 * or as a stretch between word ends; or the arguments were cut and what is left is the command's beginning.
 */
export function matchCommand(command: string, argv: readonly string[], truncated: boolean): TextMatch | undefined {
  const wanted = command.trim();
  if (wanted === '') return undefined;
  for (const arg of argv) if (arg.trim() === wanted) return 'exact';
  if (argv.join(' ') === wanted) return 'exact';
  const asked = askedOf(argv);
  if (asked === undefined) return undefined;
  if (asked.evaluated.some(({ text }) => text === wanted)) return 'exact';
  if (asked.evaluated.length > 0) {
    const bare = bareText(wanted);
    if (bare !== '' && asked.evaluated.some(each => each.bare === bare)) return 'requoted';
  }
  if (stands(asked.text, wanted) || asked.words.has(wanted)) return 'contained';
  if (truncated && cutCommand(asked.text, wanted)) return 'prefix';
  return undefined;
}

/** What a shell was asked: its text, the words of it, and what it evaluates. */
interface Asked {
  readonly text: string;
  readonly words: ReadonlySet<string>;
  readonly evaluated: readonly { readonly text: string; readonly bare: string }[];
}

/** Many calls are compared with the same few arguments. */
const known = new WeakMap<readonly string[], Asked>();

function askedOf(argv: readonly string[]): Asked | undefined {
  let asked = known.get(argv);
  if (asked !== undefined) return asked;
  const text = shellText(argv);
  if (text === undefined) return undefined;
  const words = new Set<string>();
  const evaluated: string[] = [];
  unwrap(text, words, evaluated, DEEPEST);
  asked = { text, words, evaluated: evaluated.map(each => ({ text: each, bare: bareText(each) })) };
  known.set(argv, asked);
  return asked;
}

/** A sandbox around a wrapper around a program that is put before every command. */
const DEEPEST = 4;

/** The words of a text and of the texts that it hands on, quoted, to another shell or to `eval`. */
function unwrap(text: string, words: Set<string>, evaluated: string[], depth: number): void {
  let before = '';
  for (const word of shellWords(text)) {
    const trimmed = word.trim();
    words.add(trimmed);
    if (before === 'eval') evaluated.push(trimmed);
    if (depth > 1 && /\beval\s/.test(word)) unwrap(word, words, evaluated, depth - 1);
    before = word;
  }
}

/**
 * A command without what an agent changes in it: Claude Code takes a pipeline apart, quotes the words anew (`a:b` becomes
 * `a\:b`, in double quotes `!` becomes `\!`), loses line ends and the values of variables on the way (`$x` may come out empty),
 * and gives the first program an input of its own: `ps aux | grep x` becomes `ps aux < /dev/null | grep x`.
 */
const bareText = (text: string): string =>
  text.replace(/\$(?:\{[^}]*\}|\w+|[$!?#@*-])|[\s'"\\]+/g, '').replace(/(?:<\/dev\/null)+\|/g, '|');

/** The script of `sh -c SCRIPT`, also where another program starts the shell (`timeout 9 sh -c SCRIPT`) or is like one. */
export function shellText(argv: readonly string[]): string | undefined {
  const shell = argv.findIndex(arg => shellNamed(arg) !== undefined);
  const text = shell < 0 ? undefined : textOf(shellNamed(argv[shell]!)!, argv.slice(shell + 1));
  if (text !== undefined || shell === 0) return text;
  const at = argv.findIndex((arg, index) => index > 0 && /^-[a-zA-Z]*c$/.test(arg));
  return at < 0 ? undefined : argv[at + 1];
}

const textOf = (shell: string, args: readonly string[]): string | undefined =>
  shell === 'pwsh' ? pwshText(args) : shellArguments(args, shell).script;

/** `-Command` takes all that follows. */
function pwshText(args: readonly string[]): string | undefined {
  const at = args.findIndex(arg => /^-c(?:ommand)?$/i.test(arg));
  return at < 0 || at === args.length - 1 ? undefined : args.slice(at + 1).join(' ');
}

/** The name of a shell that a first argument calls; a login shell is called `-bash`. */
function shellNamed(arg: string): string | undefined {
  const name = arg.slice(arg.lastIndexOf('/') + 1).replace(/^-/, '');
  return SHELLS.has(name) || name === 'fish' || name === 'pwsh' ? name : undefined;
}

export const isShell = (argv: readonly string[]): boolean => shellNamed(argv[0] ?? '') !== undefined;

/** A shell that gets its commands through its input: what it runs cannot be known by text. */
export function isPersistentShell(argv: readonly string[]): boolean {
  const name = shellNamed(argv[0] ?? '');
  if (name === undefined || shellText(argv) !== undefined) return false;
  if (name === 'pwsh') return !argv.slice(1).some(arg => !arg.startsWith('-'));
  return shellArguments(argv.slice(1), name).file === '';
}

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
