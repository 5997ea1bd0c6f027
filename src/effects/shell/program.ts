import { UNKNOWN } from './syntax.ts';

/** What a program is called where its name cannot be known or must not be shown. */
export const NAMELESS = 'shell';

/** Versioned names of one program. */
const SAME: ReadonlyMap<string, string> = new Map([
  ['python3', 'python'],
  ['pip3', 'pip'],
]);

/**
 * The name a program is shown by: the last part of its path, without `.exe` and without a version number.
 * `shell` for anything unknown (a variable) or too strange to be a program's name; a long mixture of letters
 * and digits may be a secret and is never shown.
 */
export function programName(word: string): string {
  let name = names.get(word);
  if (name === undefined) {
    name = nameOf(word);
    if (names.size >= REMEMBERED) names.clear();
    names.set(word, name);
  }
  return name;
}

const SCRIPT = /\.(?:sh|bash|zsh|fish|py|[cm]?[jt]s|rb|pl|php|lua|r|ps1|out|bin)$/i;

/** Agents write scripts by the hundred, `run-1.sh`, `run-2.sh`: all of them are one name. */
function numbered(name: string): string {
  const [ending = ''] = SCRIPT.exec(name) ?? [];
  return ending === '' ? name : name.slice(0, -ending.length).replace(/\d+/g, 'N') + ending;
}

/** Names by word: the same few programs come again and again. */
const names = new Map<string, string>();
const REMEMBERED = 2000;

function nameOf(word: string): string {
  if (word === '' || word.includes(UNKNOWN)) return NAMELESS;
  const base = word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1);
  if (base === '[' || base === '[[' || base === ':') return base;
  if (base === '.') return 'source';
  const name = base.replace(/\.(exe|cmd|bat)$/i, '');
  if (!plainName(name)) return NAMELESS;
  return SAME.get(name) ?? numbered(name.replace(/^(python|pip)\d[\d.]*$/, '$1'));
}

/** True for a short word of letters, digits and `._+-` that does not look like a secret. */
export function plainName(name: string): boolean {
  return /^[\p{L}\p{N}_.][\p{L}\p{N}_.+-]{0,39}$/u.test(name) && !secretLike(name) && /[\p{L}\p{N}]/u.test(name);
}

/** A run of at least 20 letters and digits that holds both in no order a name would have. */
export function secretLike(text: string): boolean {
  if (/^(sk|pk|ghp|gho|ghs|github_pat|glpat|xox[a-z]|AKIA|AIza|npm|pypi|hf)[-_A-Za-z0-9]{16,}$/.test(text)) return true;
  const run = /[A-Za-z0-9]{20,}/.exec(text)?.[0];
  return run !== undefined && (run.match(/\d/g)?.length ?? 0) >= 4 && (run.match(/[A-Za-z]/g)?.length ?? 0) >= 4;
}

/** `NAME=value` in front of a command, as `env`, `sudo` and `make` take it. */
export function isAssignment(word: string): boolean {
  return /^[A-Za-z_]\w*=/.test(word);
}

/** The last part of a path or of a URL's path, '' if there is none. */
export function lastPart(path: string): string {
  const trimmed = path.replace(/\/+$/, '');
  return trimmed.slice(trimmed.lastIndexOf('/') + 1);
}
