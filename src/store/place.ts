import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { makeFolder } from '../disk/folder.ts';
import type { Sink } from './pack.ts';

/** The directory of packs: this user's alone. */
export const ENDING = '.pack';
const UNFINISHED = '.tmp';

/** Packs that nobody used for so long go when another is written; so do unfinished ones that a killed run left. */
const LONGEST_UNUSED = 60 * 86_400_000;
const LONGEST_WRITE = 3_600_000;

/** How often the time of a pack in use is renewed. */
const RENEWED = 86_400_000;

/** `${XDG_CACHE_HOME:-HOME/.cache}/agentpprof`; a relative variable is ignored, as its standard says. */
export function cacheDirectory(env: NodeJS.ProcessEnv, home: string): string {
  const { XDG_CACHE_HOME: cache } = env;
  return join(cache && isAbsolute(cache) ? cache : join(home, '.cache'), 'agentpprof');
}

/** True for a directory that is there, is this user's and shows nobody else anything. */
export function isPrivate(directory: string): boolean {
  try {
    const uid = process.getuid?.();
    const link = lstatSync(directory);
    const stat = link.isSymbolicLink() ? statSync(directory) : link;
    if (!stat.isDirectory()) return false;
    // A link of one's own may lead to another disk; somebody else's may lead anywhere.
    return uid === undefined || (link.uid === uid && stat.uid === uid && (stat.mode & 0o077) === 0);
  } catch {
    return false;
  }
}

/**
 * Writes a file into the directory, whole or not at all: under another name first, then renamed. The directory is made
 * if need be. Throws the system's error; what was begun is removed then.
 */
export function writeWhole(directory: string, name: string, write: (sink: Sink) => void): void {
  ready(directory);
  const unfinished = join(directory, `${name}.${process.pid}.${randomBytes(6).toString('hex')}${UNFINISHED}`);
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants;
  const fd = openSync(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  let open = true;
  try {
    buffered(fd, write);
    closeSync(fd);
    open = false;
    renameSync(unfinished, join(directory, name));
  } catch (error) {
    if (open) closeSync(fd);
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** Makes the directory if need be, and this user's alone. Throws the system's error, and for one of somebody else. */
export function ready(directory: string): void {
  makeFolder(directory);
  if (isPrivate(directory)) return;
  const { uid, mode } = statSync(directory);
  if (lstatSync(directory).uid !== process.getuid?.() || uid !== process.getuid?.()) {
    throw Object.assign(new Error('is not yours'), { code: 'is not yours' });
  }
  chmodSync(directory, mode & 0o700);
}

/** What is small is put together, so that the system is not asked for every few bytes. */
const AT_ONCE = 1 << 18;

function buffered(fd: number, write: (sink: Sink) => void): void {
  const room = Buffer.allocUnsafe(AT_ONCE);
  let held = 0;
  const flush = () => {
    writeAll(fd, room.subarray(0, held));
    held = 0;
  };
  write(bytes => {
    if (held + bytes.length > AT_ONCE) flush();
    if (bytes.length > AT_ONCE >> 1) {
      flush();
      writeAll(fd, bytes);
    } else {
      room.set(bytes, held);
      held += bytes.length;
    }
  });
  flush();
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
}

/** A file of the directory, as `cache` lists and clears them. */
export interface Kept {
  readonly path: string;
  readonly bytes: number;
  /** When it was last used, milliseconds since the epoch. */
  readonly used: number;
  readonly finished: boolean;
}

/** Packs, and unfinished ones that were left; files of others are not touched. */
export function keptIn(directory: string): Kept[] {
  if (!isPrivate(directory)) return [];
  const kept: Kept[] = [];
  for (const name of readdirSync(directory).sort()) {
    const finished = name.endsWith(ENDING);
    if (!finished && !(name.endsWith(UNFINISHED) && name.includes(`${ENDING}.`))) continue;
    const path = join(directory, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat?.isFile()) kept.push({ path, bytes: stat.size, used: stat.mtimeMs, finished });
  }
  return kept;
}

/** Files that other rooms keep in a folder of theirs below. */
export function keptBelow(directory: string, folder: string): Pick<Kept, 'path' | 'bytes'>[] {
  const below = join(directory, folder);
  if (!isPrivate(directory) || !isPrivate(below)) return [];
  const paths = readdirSync(below)
    .sort()
    .map(name => join(below, name));
  return paths.flatMap(path => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat?.isFile() ? { path, bytes: stat.size } : [];
  });
}

/** Removes what nobody used for long, beside the pack that was just written. Failures are the next run's. */
export function removeUnused(directory: string, now: number): void {
  try {
    for (const { path, used, finished } of keptIn(directory)) {
      if (now - used > (finished ? LONGEST_UNUSED : LONGEST_WRITE)) rmSync(path, { force: true });
    }
  } catch {
    // Another run may be at it.
  }
}

/** Notes that a pack was used, at most once a day. */
export function renew(path: string, used: number, now: number): void {
  if (now - used < RENEWED) return;
  try {
    utimesSync(path, now / 1000, now / 1000);
  } catch {
    // A directory that cannot be written keeps its times.
  }
}
