export const SHELLS: ReadonlySet<string> = new Set(['bash', 'sh', 'zsh', 'dash', 'ksh', 'ash']);

/** What a shell was told to run: a text (`-c`), a script file, or neither (its standard input). */
export interface ShellArguments {
  readonly script?: string;
  readonly file: string;
}

/** Letters that take the next argument: `-o pipefail`, `-O extglob`; fish has others. */
const TAKES: ReadonlyMap<string, string> = new Map([['fish', 'CdDfop']]);
const POSIX_TAKES = 'oO';
/** Shells where the rest of the word may be what such a letter takes: `-opipefail`. */
const ATTACHES: ReadonlySet<string> = new Set(['zsh', 'ksh', 'fish']);
/** Options of a whole word that take the next argument; Bash also knows them with one dash. */
const LONG_TAKES: ReadonlySet<string> = new Set([
  'rcfile',
  'init-file',
  'emulate',
  'init-command',
  'features',
  'profile',
]);
const ONE_DASH = /^-(?:rcfile|init-file|norc|noprofile|noediting|login|posix|restricted|verbose)$/;

/**
 * Reads the arguments of a shell as it does itself: `-c` says that the first operand is a text, and other options may stand
 * before it, after it or in the same word (`-lc TEXT`, `-c -l TEXT`, `-c -o pipefail -- TEXT`). `program` is the shell's name.
 */
export function shellArguments(args: readonly string[], program = 'sh'): ShellArguments {
  const takes = TAKES.get(program) ?? POSIX_TAKES;
  const attaches = ATTACHES.has(program);
  let text = false;
  let input = false;
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] as string;
    if (arg === '-' || arg === '--') {
      at++;
      break;
    }
    if (!/^[-+]./.test(arg)) break;
    if (arg.startsWith('--') || ONE_DASH.test(arg)) {
      const equals = arg.indexOf('=');
      const name = (equals < 0 ? arg : arg.slice(0, equals)).replace(/^--?/, '');
      const value = equals < 0 ? undefined : arg.slice(equals + 1);
      if (name === 'command' && value !== undefined) return { script: value, file: '' };
      if (name === 'command') text = true;
      if (LONG_TAKES.has(name) && value === undefined) at++;
      continue;
    }
    for (let i = 1; i < arg.length; i++) {
      const letter = arg[i] as string;
      if (takes.includes(letter)) {
        if (attaches && i < arg.length - 1) break;
        at++;
      } else if (arg.startsWith('-')) {
        text ||= letter === 'c';
        input ||= letter === 's';
      }
    }
  }
  const operand = args[at];
  if (text) return operand === undefined ? { file: '' } : { script: operand, file: '' };
  return { file: input ? '' : (operand ?? '') };
}
