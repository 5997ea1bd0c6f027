/**
 * Programs and objects in a shell line, by its words alone. Histories have the effects of each line as the syntax tree
 * tells them; operation files have only the line, and a segmenter must not need more than milliseconds for it.
 */

/** Words that only prepare what follows. */
const PREPARES =
  /^(?:sudo|env|time|nohup|exec|command|timeout|set|export|source|\.|[A-Za-z_][A-Za-z0-9_]*=.*|-.*|\d+[smh]?)$/;
const SUBCOMMANDS: ReadonlySet<string> = new Set(
  'git npm pnpm yarn npx cargo go docker kubectl pip pip3 apt apt-get brew systemctl service make conda uv poetry gh'.split(
    ' ',
  ),
);

/** "git log", "pytest": the first program that does something, and the subcommand of programs that are many in one. */
export function programOf(line: string): string {
  for (const part of line.slice(0, 2000).split(/&&|\|\||[;|\n]/)) {
    const words = part
      .trim()
      .split(/\s+/)
      .filter(word => word !== '');
    let at = 0;
    while (at < words.length && PREPARES.test(words[at] as string)) at++;
    const program = (words[at] ?? '').replace(/^.*[/\\]/, '').replace(/^["'({]+|["')}]+$/g, '');
    if (program === '' || program === 'cd' || program === 'echo' || program.startsWith('#')) continue;
    const next = words[at + 1];
    if (SUBCOMMANDS.has(program) && next !== undefined && /^[a-z][a-z:-]*$/.test(next)) return `${program} ${next}`;
    if (/^python[\d.]*$/.test(program)) return next === '-m' ? `python ${words[at + 2] ?? ''}`.trim() : 'python';
    return program;
  }
  return line.trim().split(/\s+/)[0] ?? '';
}

const PATH_LIKE = /^(?:[~.]{0,2}\/)?[\p{L}\p{N}_.@+-]+(?:\/[\p{L}\p{N}_.@+*-]*)*$/u;
const HAS_EXTENSION = /\.[A-Za-z][A-Za-z0-9]{0,7}$/;

/** Paths, file names and hosts in a line: each once. */
export function objectsIn(line: string): string[] {
  const found = new Set<string>();
  for (const raw of line.slice(0, 4000).split(/[\s'"`=<>|;&(){},]+/)) {
    const word = raw.replace(/^https?:\/\//, '').replace(/[:.]+$/, '');
    if (word.length < 2 || word.length > 200 || word.startsWith('-')) continue;
    if ((word.includes('/') || HAS_EXTENSION.test(word)) && PATH_LIKE.test(word)) found.add(word);
  }
  return [...found];
}

/** The directory of a path with its closing slash, '' for a bare name. */
export function directoryOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}
