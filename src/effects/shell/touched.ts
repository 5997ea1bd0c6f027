import { UNKNOWN } from './syntax.ts';

/** The longest path kept while directories are joined. */
const LONGEST = 4096;

/** A path seen from a directory, both as written; '' where they grow too long. */
export function joined(cwd: string, path: string): string {
  if (cwd === '' || /^(?:[/~]|[A-Za-z]:[\\/]|\\\\|file:\/)/.test(path)) return path;
  return cwd.length + path.length > LONGEST ? '' : `${cwd}/${path}`;
}

/**
 * The path a word stands for, '' for none. A pattern (`src/*.c`, `{a,b}`) is the files of its fixed directory:
 * `src/*`, so that patterns fold and none is mistaken for the directory itself.
 */
export function touchedPath(word: string): string {
  if (word === '' || word === '-' || word.length > LONGEST || word.includes('\n')) return '';
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(word) && !word.startsWith('file://')) return '';
  const at = word.search(/[*?]|\{[^{}]*(?:,|\.\.)[^{}]*\}/);
  return at < 0 ? word : `${word.slice(0, word.lastIndexOf('/', at) + 1)}*`;
}

const HARMLESS = /^\/dev\/(null|zero|full|random|urandom|tty|ptmx|stdin|stdout|stderr|fd\/.*)$/;

/** Devices that hold nothing: reading or writing them is no effect. */
export function isHarmlessDevice(path: string): boolean {
  return HARMLESS.test(path);
}

/** `host:port` of the shell's own sockets (`/dev/tcp/host/port`), or ''. */
export function socketOf(path: string): string {
  const socket = /^\/dev\/(?:tcp|udp)\/([^/]+)\/(\d+)$/.exec(path);
  return socket ? `${socket[1]}:${socket[2]}` : '';
}

/** False where nothing of a path is certain: an unknown part, and no directory from the root or a home before it. */
export function mayBeKnown(path: string): boolean {
  const at = path.indexOf(UNKNOWN);
  return at < 0 || (/^[/~]|^[A-Za-z]:/.test(path) && path.lastIndexOf('/', at) > 0);
}
