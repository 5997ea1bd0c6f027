import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  fstatSync,
  fsyncSync,
  futimesSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { makeFolder } from '../disk/folder.ts';
import { isGzip, isZstd } from '../ingest/compressed.ts';
import { COPIED, PACKED } from '../sources/archived.ts';
import {
  CLOCK,
  hashOf,
  hashOfFile,
  hashOfUnpacked,
  type Original,
  originalOf,
  piecesOf,
  readFully,
  withOriginal,
} from './copies.ts';
import { ready } from './place.ts';

/** A file that could not be copied; the message says why, without its name. */
export class CopyError extends Error {
  override readonly name = 'CopyError';
}

/** So many bytes go into one gzip member; members behind each other are one text. */
const MEMBER = 8 << 20;
const LEVEL = 6;
const TRIES = 3;

/** Below the archive: what is being written. A file there that was not written to for so long was left by a killed run. */
const UNFINISHED = 'unfinished';
const LONGEST_WRITE = 3_600_000;

export interface Written {
  /** False where another run has put a copy of a later state there meanwhile. */
  readonly written: boolean;
  /** Bytes of the copy. */
  readonly bytes: number;
}

/**
 * Puts a copy of a file where `place` says (without its ending). It is written under another name, read back and compared
 * with the original, forced to the disk, and only then renamed: at any moment the old copy or the new one is there, whole.
 * `keepEarlier` is told the copy that is about to be replaced. Throws CopyError or the system's error.
 */
export function writeCopy(
  archive: string,
  path: string,
  place: string,
  siblings: readonly string[],
  keepEarlier: (copy: string) => void,
): Written {
  const temporary = unfinished(archive);
  try {
    for (let attempt = 1; ; attempt++) {
      const made = attemptOf(path, temporary, siblings);
      if (made) return moved(temporary, place, made, keepEarlier);
      if (attempt === TRIES) throw new CopyError('it kept changing while it was copied');
    }
  } finally {
    rmSync(temporary, { force: true });
  }
}

interface Attempt {
  readonly original: Original;
  readonly ending: string;
}

/** Undefined for a file that was rewritten meanwhile; one that grew is copied as it was at first. */
function attemptOf(path: string, temporary: string, siblings: readonly string[]): Attempt | undefined {
  const source = openSync(path, 'r');
  try {
    const { size, mtimeMs } = fstatSync(source);
    const original = { size, mtime: mtimeMs, siblings };
    const ending = isCompressed(source) ? COPIED : PACKED;
    const target = openSync(temporary, 'w', 0o600);
    let hash: string | undefined;
    try {
      hash = ending === COPIED ? copied(source, size, target) : packed(source, original, target);
      futimesSync(target, mtimeMs / 1000, mtimeMs / 1000);
      fsyncSync(target);
    } finally {
      closeSync(target);
    }
    if (hash === undefined) return undefined;
    const now = fstatSync(source);
    if (now.mtimeMs !== mtimeMs && hashOf(source, size) !== hash) return undefined;
    const back = ending === COPIED ? hashOfFile(temporary) : hashOfUnpacked(temporary);
    if (back !== hash) throw new CopyError('the copy could not be read back as it was written');
    return { original, ending };
  } finally {
    closeSync(source);
  }
}

function moved(
  temporary: string,
  place: string,
  { original, ending }: Attempt,
  keepEarlier: (copy: string) => void,
): Written {
  makeFolder(dirname(place));
  const { size: bytes } = statSync(temporary);
  const before = [PACKED, COPIED].map(each => place + each).filter(copy => statSync(copy, { throwIfNoEntry: false }));
  for (const copy of before) {
    const there = originalOf(copy);
    if (there && there.mtime > original.mtime + CLOCK && there.size >= original.size) return { written: false, bytes };
    keepEarlier(copy);
  }
  renameSync(temporary, place + ending);
  for (const copy of before) if (copy !== place + ending) rmSync(copy, { force: true });
  syncDirectory(dirname(place));
  return { written: true, bytes };
}

function packed(source: number, original: Original, target: number): string | undefined {
  const hash = createHash('sha256');
  const room = Buffer.allocUnsafe(Math.min(MEMBER, Math.max(1, original.size)));
  let at = 0;
  do {
    const bytes = room.subarray(0, readFully(source, room, at, original.size - at));
    if (bytes.length < Math.min(room.length, original.size - at)) return undefined;
    hash.update(bytes);
    const member = gzipSync(bytes, { level: LEVEL });
    const first = at === 0 ? withOriginal(member, original) : member;
    if (!first) throw new CopyError('too many files belong to it');
    writeFully(target, first);
    at += bytes.length;
  } while (at < original.size);
  return hash.digest('hex');
}

function copied(source: number, size: number, target: number): string | undefined {
  const hash = createHash('sha256');
  for (const bytes of piecesOf(source, size)) {
    hash.update(bytes);
    writeFully(target, bytes);
    size -= bytes.length;
  }
  return size === 0 ? hash.digest('hex') : undefined;
}

function writeFully(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
}

function isCompressed(fd: number): boolean {
  const magic = Buffer.alloc(4);
  const length = readSync(fd, magic, 0, magic.length, 0);
  return isGzip(magic, length) || isZstd(magic, length);
}

/** Keeps a copy under a second name: nothing reads it there, and nothing removes it. */
export function setAside(archive: string, copy: string, aside: string): void {
  makeFolder(dirname(aside));
  try {
    linkSync(copy, aside);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || code === 'ENOENT') return;
    // A file system without links.
    const temporary = unfinished(archive);
    copyFileSync(copy, temporary);
    renameSync(temporary, aside);
  }
}

function unfinished(archive: string): string {
  const directory = join(archive, UNFINISHED);
  ready(archive);
  makeFolder(directory);
  return join(directory, `${process.pid}.${randomBytes(6).toString('hex')}`);
}

/** Removes what killed runs left. */
export function removeUnfinished(archive: string, now: number): void {
  try {
    for (const name of readdirSync(join(archive, UNFINISHED))) {
      const path = join(archive, UNFINISHED, name);
      const stat = lstatSync(path, { throwIfNoEntry: false });
      if (stat?.isFile() && now - stat.mtimeMs > LONGEST_WRITE) rmSync(path, { force: true });
    }
  } catch {
    // There is none, or another run is at it.
  }
}

/** A rename is on the disk once its directory is. */
function syncDirectory(directory: string): void {
  try {
    const fd = openSync(directory, 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch {
    // Some systems cannot do that with directories.
  }
}
