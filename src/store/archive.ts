import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { COPIED, FILES, PACKED, placeOf } from '../sources/archived.ts';
import type { FoundFile } from '../sources/find.ts';
import { readBlock } from '../sources/read-file.ts';
import { readerOf } from '../sources/registry.ts';
import { Operations } from '../trace/operations.ts';
import { Texts } from '../trace/texts.ts';
import { goesOn, isCurrent, type Original, originalOf } from './copies.ts';
import { CopyError, removeUnfinished, setAside, writeCopy } from './copy-writer.ts';

/** What became of one live file. */
export type Fate =
  /** It has a copy now that it did not have. */
  | 'new'
  /** It had one of an earlier state, and has one of its state of now. */
  | 'again'
  /** Its copy is up to date. */
  | 'same'
  /** It was changed too lately to be asked for. */
  | 'young'
  /** A copy could not be read like the file itself. */
  | 'unfit'
  | 'failed';

export interface Archived {
  readonly file: FoundFile;
  readonly fate: Fate;
  /** Bytes written, and those of its siblings. */
  readonly written: number;
  /** Why, for `unfit` and `failed`. */
  readonly reason?: string;
}

export interface Asked {
  /** See `archiveDirectory`. */
  readonly archive: string;
  /** Only files that were last changed before this time, milliseconds since the epoch. */
  readonly before: number;
  /** Says what would become of the files and writes nothing. */
  readonly dryRun: boolean;
  readonly progress?: (done: number, all: number) => void;
}

/** Copies of an original that went on otherwise than they did: nothing reads them, but they are not lost. */
const EARLIER = 'earlier';

/**
 * Brings the copies of live files up to date. Any number of runs may do so at once and be killed at any moment: a copy is
 * whole or not there, and one of a later state is not replaced by one of an earlier state. A file that cannot be copied
 * costs itself alone.
 */
export function archive(files: readonly FoundFile[], asked: Asked): Archived[] {
  if (!asked.dryRun && existsSync(asked.archive)) removeUnfinished(asked.archive, Date.now());
  const live = files.filter(file => file.origin === undefined && file.root !== undefined);
  const all = live.reduce((sum, file) => sum + file.size, 0);
  let done = 0;
  return live.map(file => {
    asked.progress?.(done, all);
    done += file.size;
    try {
      return { file, ...kept(file, asked) };
    } catch (error) {
      return { file, fate: 'failed', written: 0, reason: reasonOf(error) };
    }
  });
}

function reasonOf(error: unknown): string {
  if (error instanceof CopyError) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return code === 'ENOENT' ? 'it is gone' : code;
}

function kept(file: FoundFile, asked: Asked): Omit<Archived, 'file'> {
  const reason = readerOf(file.reader).needsItsPlace?.(file.path);
  if (reason !== undefined) return { fate: 'unfit', written: 0, reason };
  const place = join(placeOf(asked.archive, file.root as string), relative(file.root as string, file.path));
  const before = copyAt(place);
  if (isCurrent(before, file.size, file.mtimeMs)) {
    const written = asked.dryRun ? 0 : keepSiblings(file.path, place, (before as Original).siblings, asked.archive);
    return { fate: 'same', written };
  }
  // What was emptied is not what a copy is kept for.
  if (before && file.size === 0) return { fate: 'same', written: 0 };
  if (file.mtimeMs >= asked.before) return { fate: 'young', written: 0 };
  const fate = before ? 'again' : 'new';
  if (asked.dryRun) return { fate, written: 0 };
  const siblings = siblingsOf(file);
  // First what belongs to it, so that a copy never stands there without.
  const beside = keepSiblings(file.path, place, siblings, asked.archive);
  const { written, bytes } = writeCopy(asked.archive, file.path, place, siblings, copy =>
    keepEarlier(copy, file, asked.archive),
  );
  return written ? { fate, written: beside + bytes } : { fate: 'same', written: beside };
}

function copyAt(place: string): Original | undefined {
  return originalOf(place + PACKED) ?? originalOf(place + COPIED);
}

/** Files beside a file that its reader asks for, there or not, relative to its directory. */
function siblingsOf(file: FoundFile): string[] {
  const { siblings } = readBlock(file, new Operations(new Texts([])), undefined, { texts: [] });
  return siblings.map(([path]) => relative(dirname(file.path), path));
}

/** Gives the bytes written. */
function keepSiblings(path: string, place: string, names: readonly string[], archive: string): number {
  let written = 0;
  for (const name of names) {
    const live = join(dirname(path), name);
    const stat = statSync(live, { throwIfNoEntry: false });
    const to = join(dirname(place), name);
    if (!stat?.isFile() || !resolve(to).startsWith(join(archive, FILES) + sep)) continue;
    if (isCurrent(copyAt(to), stat.size, stat.mtimeMs)) continue;
    const made = writeCopy(archive, live, to, [], () => undefined);
    if (made.written) written += made.bytes;
  }
  return written;
}

/**
 * Keeps a copy aside of which the file of today does not hold all: its agent has written it anew. A document is written
 * anew whenever it grows, so there only a shorter one counts.
 */
function keepEarlier(copy: string, file: FoundFile, archive: string): void {
  const original = originalOf(copy);
  if (original === undefined) return;
  const isDocument = readerOf(file.reader).isDocument?.(file.path) === true;
  if (isDocument ? file.size >= original.size : copy.endsWith(PACKED) && goesOn(copy, file.path)) return;
  const ending = copy.endsWith(PACKED) ? PACKED : COPIED;
  const name = relative(join(archive, FILES), copy.slice(0, -ending.length));
  setAside(archive, copy, join(archive, EARLIER, `${name}.${Math.trunc(original.mtime)}${ending}`));
}
