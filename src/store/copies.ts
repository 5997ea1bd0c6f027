import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { openBytes } from '../ingest/byte-source.ts';
import { isGzip } from '../ingest/compressed.ts';
import { COPIED } from '../sources/archived.ts';

/**
 * Copies of session files in the archive. A packed copy is a gzip file that any tool unpacks; what it was made from
 * stands in the extra field of its header (RFC 1952, 2.3.1.1) under the letters AP. So every copy tells by itself whether
 * it is up to date, and no index can be lost or disagree with it. A file that is compressed already is kept byte by byte,
 * and its time is that of the original.
 */
export interface Original {
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly mtime: number;
  /** Files beside it that its reader asks for, by their names relative to its directory; they are archived with it. */
  readonly siblings: readonly string[];
}

const FLAG_EXTRA = 4;
const HEADER = 10;
const LETTERS = 'AP';
const MOST_EXTRA = 0xffff;

/** What a copy was made from; undefined for one that is not there, or whose header is not ours. */
export function originalOf(copy: string): Original | undefined {
  try {
    if (copy.endsWith(COPIED)) {
      const { size, mtimeMs } = statSync(copy);
      return { size, mtime: mtimeMs, siblings: [] };
    }
    const fd = openSync(copy, 'r');
    try {
      return parsed(fd);
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

function parsed(fd: number): Original | undefined {
  const start = Buffer.alloc(HEADER + 6);
  if (readSync(fd, start, 0, start.length, 0) < start.length) return undefined;
  if (!isGzip(start, start.length) || ((start[3] as number) & FLAG_EXTRA) === 0) return undefined;
  if (start.toString('latin1', HEADER + 2, HEADER + 4) !== LETTERS) return undefined;
  const text = Buffer.alloc(start.readUInt16LE(HEADER + 4));
  if (readSync(fd, text, 0, text.length, start.length) < text.length) return undefined;
  const { size, mtime, siblings } = JSON.parse(text.toString('utf8')) as Partial<Original>;
  return typeof size === 'number' && typeof mtime === 'number' && Array.isArray(siblings)
    ? { size, mtime, siblings }
    : undefined;
}

/** Times of copies that are kept byte by byte go through a number of seconds. */
export const CLOCK = 0.01;

/** Whether a copy was made from the file as it is now. */
export function isCurrent(original: Original | undefined, size: number, mtime: number): boolean {
  return original !== undefined && original.size === size && Math.abs(original.mtime - mtime) < CLOCK;
}

/** A gzip member with what it was made from in its header; undefined if that is too long for it. */
export function withOriginal(member: Buffer, original: Original): Buffer | undefined {
  const text = Buffer.from(JSON.stringify(original));
  if (text.length + 4 > MOST_EXTRA) return undefined;
  const extra = Buffer.alloc(6);
  extra.writeUInt16LE(text.length + 4, 0);
  extra.write(LETTERS, 2, 'latin1');
  extra.writeUInt16LE(text.length, 4);
  const header = Buffer.from(member.subarray(0, HEADER));
  header[3] = (header[3] as number) | FLAG_EXTRA;
  return Buffer.concat([header, extra, text, member.subarray(HEADER)]);
}

/** Unpacks as a reader will; '' for damage. */
export function hashOfUnpacked(path: string): string {
  const hash = createHash('sha256');
  return eachUnpacked(path, bytes => hash.update(bytes) !== undefined) ? hash.digest('hex') : '';
}

/** Visits the bytes of a packed copy, its byte order mark too, until `visit` gives false; false for damage. */
function eachUnpacked(copy: string, visit: (bytes: Buffer) => boolean): boolean {
  const source = openBytes(copy, 0);
  try {
    const room = Buffer.allocUnsafe(1 << 18);
    if (source.start === 3 && !visit(Buffer.from('\ufeff'))) return true;
    for (;;) {
      const got = source.read(room, 0, room.length);
      if (got === 0) return source.damage === undefined;
      if (!visit(room.subarray(0, got))) return true;
    }
  } finally {
    source.close();
  }
}

/** Whether a file begins with all that a packed copy holds. */
export function goesOn(copy: string, path: string): boolean {
  const fd = openSync(path, 'r');
  try {
    let at = 0;
    let same = true;
    const whole = eachUnpacked(copy, bytes => {
      const room = Buffer.allocUnsafe(bytes.length);
      same = readFully(fd, room, at, bytes.length) === bytes.length && room.equals(bytes);
      at += bytes.length;
      return same;
    });
    return same && whole;
  } finally {
    closeSync(fd);
  }
}

/** The first `size` bytes of an open file, piece by piece; fewer if it is shorter. A piece is overwritten by the next. */
export function* piecesOf(fd: number, size: number): Generator<Buffer> {
  const room = Buffer.allocUnsafe(1 << 20);
  for (let at = 0; at < size; ) {
    const got = readFully(fd, room, at, size - at);
    if (got === 0) return;
    yield room.subarray(0, got);
    at += got;
  }
}

/** Fills the room from an offset of the file, as far as `most` and the file go. */
export function readFully(fd: number, room: Buffer, at: number, most: number): number {
  const wanted = Math.min(room.length, most);
  let done = 0;
  while (done < wanted) {
    const got = readSync(fd, room, done, wanted - done, at + done);
    if (got === 0) break;
    done += got;
  }
  return done;
}

/** SHA-256 of the first bytes of an open file. */
export function hashOf(fd: number, size: number): string {
  const hash = createHash('sha256');
  for (const bytes of piecesOf(fd, size)) hash.update(bytes);
  return hash.digest('hex');
}

export function hashOfFile(path: string): string {
  const fd = openSync(path, 'r');
  try {
    return hashOf(fd, fstatSync(fd).size);
  } finally {
    closeSync(fd);
  }
}
