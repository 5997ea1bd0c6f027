import { fieldsOf, textOf } from './fields.ts';

const SHELLS = /(?:^|[/\\])(?:bash|zsh|sh|dash|ksh|fish|powershell|pwsh|cmd)(?:\.exe)?$/i;
const RUN = /^(?:-l?i?c|-lic|-ilc|-cl|-Command|-c|\/c)$/i;
const PLAIN = /^[\w@%+=:,./~-]+$/;

/**
 * The command line of a `command` argument: a line, or words of which `bash -lc LINE` stands for the line itself.
 * Other words are joined with the quotes that a shell needs to read them back.
 */
export function commandLine(command: unknown): string {
  if (typeof command === 'string') return command;
  if (!Array.isArray(command)) return '';
  const words = command.filter((word): word is string => typeof word === 'string');
  const at = words.findIndex(word => RUN.test(word));
  if (at > 0 && at === words.length - 2 && SHELLS.test(words[0] as string)) return words[at + 1] as string;
  return words.map(word => (PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
}

/** The line and directory of a shell tool's arguments; '' where there is none. */
export function shellArguments(args: unknown): { line: string; workdir: string; words: readonly unknown[] } {
  const fields = fieldsOf(args);
  const command = fields?.cmd ?? fields?.command;
  return {
    line: commandLine(command),
    workdir: textOf(fields?.workdir) || textOf(fields?.working_directory),
    words: Array.isArray(command) ? command : [],
  };
}

/** A shell line that only applies a patch: the client runs the patch itself and no process. */
export function patchInLine(line: string): string {
  return /(?:^|&&|;|\n)[^\S\n]*(?:apply_patch|applypatch)\b/.test(line) && line.includes('*** Begin Patch') ? line : '';
}
