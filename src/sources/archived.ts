import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';

/**
 * Copies of session files that a person had made before their agent deletes them. The tree below `files` repeats the
 * paths of the originals, links resolved, so that a copy tells whose it is by where it lies:
 *
 *     <archive>/files/home/me/.claude/projects/x/y.jsonl.gz      packed
 *     <archive>/files/home/me/.codex/sessions/z.jsonl.zst.copy   as it was, because it is packed already
 *
 * The time of a copy is that of its original.
 */
export const FILES = 'files';
export const PACKED = '.gz';
export const COPIED = '.copy';

/** `${XDG_DATA_HOME:-HOME/.local/share}/agentpprof/archive`; a relative variable is ignored, as its standard says. */
export function archiveDirectory(env: NodeJS.ProcessEnv, home: string): string {
  const { XDG_DATA_HOME: data } = env;
  return join(data && isAbsolute(data) ? data : join(home, '.local', 'share'), 'agentpprof', 'archive');
}

/** Where the copy of an original lies, without the ending that says how it is kept. */
export function placeOf(archive: string, original: string): string {
  return join(
    archive,
    FILES,
    ...realOf(resolve(original))
      .split(/[\\/]/)
      .map(part => part.replace(/:$/, '')),
  );
}

/** The copy of an original; undefined if there is none. */
export function copyOf(archive: string, original: string): string | undefined {
  const place = placeOf(archive, original);
  return [place + PACKED, place + COPIED].find(path => existsSync(path));
}

/** Copies of the files below a directory, there or not, by their relative path with forward slashes. */
export function copiesBelow(archive: string, directory: string): Map<string, string> {
  const found = new Map<string, string>();
  if (!existsSync(archive)) return found;
  const top = placeOf(archive, directory);
  const pending = [''];
  while (pending.length > 0) {
    const below = pending.pop() as string;
    for (const entry of entriesOf(join(top, below))) {
      const name = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) pending.push(name);
      else if (entry.isFile() && originalName(name) !== '') found.set(originalName(name), join(top, name));
    }
  }
  return found;
}

/** A copy's name without its ending; '' for what is no copy. */
export function originalName(name: string): string {
  const ending = [PACKED, COPIED].find(each => name.endsWith(each));
  return ending === undefined ? '' : name.slice(0, -ending.length);
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** A path with its links resolved as far down as it exists: the original may be gone, its directory too. */
function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const up = dirname(path);
    return up === path ? path : join(realOf(up), basename(path));
  }
}
