import type { FileEffect } from '../../trace/fields.ts';

/**
 * How a program's arguments are read: which options take a value, which of those values are files, how many
 * operands stand before the files, and what happens to the files.
 */
export interface Shape {
  readonly effect: FileEffect | undefined;
  /** Leading operands that are no files (the pattern of grep). */
  readonly skip: number;
  /** How many operands are files, where the rest is something else. */
  readonly most: number;
  /** Short options are not bundled: `-ftest-coverage` holds no `-o`. */
  readonly unbundled: boolean;
  readonly options: ReadonlyMap<string, Option>;
}

export interface Option {
  readonly effect: FileEffect | undefined;
  /** Its value takes the place of the leading operands (`grep -e PATTERN file`). */
  readonly replaces: boolean;
}

const EFFECTS: Readonly<Record<string, FileEffect>> = { '<': 'read', '>': 'write', '+': 'create', x: 'delete' };

/**
 * Shapes by program from a table, one line a group: the effect (`<` read, `>` write, `+` create, `x` delete, `0`
 * none) with the number of leading operands, the programs, `=1` if only one operand is a file, `=` if short options are
 * not bundled, then options that take a value. An option's last
 * character tells of its value: `:` anything, `<` a file read, `>` a file written, `!` stands for the leading
 * operands (`<!` is a file read that does).
 */
export function shapes(table: string): Map<string, Shape> {
  const found = new Map<string, Shape>();
  for (const line of table.trim().split('\n')) {
    const [head = '0', ...rest] = line.trim().split(/\s+/);
    const shape: Shape = {
      effect: EFFECTS[head[0] as string],
      skip: Number(head.slice(1) || 0),
      most: rest.includes('=1') ? 1 : Number.POSITIVE_INFINITY,
      unbundled: rest.includes('='),
      options: optionsOf(rest.filter(word => word.startsWith('-'))),
    };
    for (const word of rest) if (!/^[-=]/.test(word)) found.set(word, shape);
  }
  return found;
}

/** Options in the notation of `shapes`. */
export function options(text: string): Map<string, Option> {
  return optionsOf(text.trim().split(/\s+/));
}

function optionsOf(words: readonly string[]): Map<string, Option> {
  const found = new Map<string, Option>();
  for (const word of words) {
    const parts = /^(.*?)([<>]?)(!?):?$/.exec(word);
    if (parts) found.set(parts[1] as string, { effect: EFFECTS[parts[2] as string], replaces: parts[3] === '!' });
  }
  return found;
}

export interface Arguments {
  readonly operands: string[];
  /** True if an option's value stands for the leading operands. */
  replaced: boolean;
}

/**
 * Splits arguments into options and operands. `value` sees each option that takes one, with its value ('' where
 * the line ends before it); flags without value are not reported.
 */
export function readArguments(
  args: readonly string[],
  known: ReadonlyMap<string, Option>,
  value?: (name: string, value: string, option: Option) => void,
  unbundled = false,
): Arguments {
  const found: Arguments = { operands: [], replaced: false };
  const take = (name: string, option: Option, text: string) => {
    if (option.replaces) found.replaced = true;
    value?.(name, text, option);
  };
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string;
    if (arg.length < 2 || arg.charCodeAt(0) !== 45) {
      found.operands.push(arg);
      continue;
    }
    if (arg === '--') {
      for (i++; i < args.length; i++) found.operands.push(args[i] as string);
      break;
    }
    const equals = arg.startsWith('--') ? arg.indexOf('=') : -1;
    const name = equals < 0 ? arg : arg.slice(0, equals);
    const option = known.get(name);
    if (option) {
      take(name, option, equals < 0 ? (args[++i] ?? '') : arg.slice(equals + 1));
      continue;
    }
    if (arg.startsWith('--')) continue;
    for (let j = 1; j < (unbundled ? 2 : arg.length); j++) {
      const letter = `-${arg[j]}`;
      const short = known.get(letter);
      if (!short) continue;
      take(letter, short, j + 1 < arg.length ? arg.slice(j + 1) : (args[++i] ?? ''));
      break;
    }
  }
  return found;
}

/** True if a flag stands among the arguments before `--`: `--name`, or a letter in a cluster of short ones. */
export function hasFlag(args: readonly string[], letters: string, ...names: readonly string[]): boolean {
  for (const arg of args) {
    if (arg === '--') return false;
    if (arg.startsWith('--')) {
      if (names.includes(arg)) return true;
    } else if (arg.length > 1 && arg.startsWith('-') && letters !== '') {
      for (const letter of letters) if (arg.includes(letter, 1)) return true;
    }
  }
  return false;
}
