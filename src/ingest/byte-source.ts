import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { isGzip, isZstd, type Unpack, unpackGzip, unpackZstd } from './compressed.ts';
import type { Damage } from './damage.ts';
import { IngestError } from './ingest-error.ts';

/** The bytes of one file in order, unpacked if they are compressed. Read to the end or closed, whichever is first. */
export interface ByteSource {
  /** Offset of the first byte that `read` gives, in unpacked bytes: behind a byte order mark at the start of a file. */
  readonly start: number;
  readonly compressed: boolean;
  /** Puts at most `most` bytes into `into` at `at`; 0 at the end. */
  read(into: Uint8Array, at: number, most: number): number;
  close(): void;
  /** Known once `read` gave 0; what stood before the damage was given. */
  damage: Damage | undefined;
}

const MAGIC_BYTES = 4;
const PACKED_CHUNK = 64 << 10;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;

/**
 * Opens a file (or pipe) for one pass from an offset. Compression is told by the first bytes, not by the name.
 * Throws IngestError; `read` does too.
 */
export function openBytes(path: string, from: number): ByteSource {
  const fd = attempt(path, () => openSync(path, 'r'));
  try {
    const stat = attempt(path, () => fstatSync(fd));
    if (stat.isDirectory()) throw new IngestError(path, 'EISDIR');
    const file = new FileBytes(path, fd, stat.isFile());
    const magic = new Uint8Array(MAGIC_BYTES);
    const length = fill(file, magic);
    const unpack = isZstd(magic, length) ? unpackZstd() : isGzip(magic, length) ? unpackGzip() : undefined;
    if (!unpack && stat.isFile()) {
      file.start = from === 0 && hasMark(magic) ? BYTE_ORDER_MARK.length : from;
      file.position = file.start;
      return file;
    }
    return new PulledBytes(file, magic.subarray(0, length), unpack, from);
  } catch (thrown) {
    closeSync(fd);
    throw thrown;
  }
}

function attempt<T>(path: string, call: () => T): T {
  try {
    return call();
  } catch (thrown) {
    throw IngestError.of(path, thrown);
  }
}

function fill(file: FileBytes, into: Uint8Array): number {
  let length = 0;
  while (length < into.length) {
    const got = file.read(into, length, into.length - length);
    if (got === 0) break;
    length += got;
  }
  return length;
}

function hasMark(bytes: Uint8Array): boolean {
  return BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte);
}

class FileBytes implements ByteSource {
  start = 0;
  position = 0;
  readonly compressed = false;
  readonly damage = undefined;
  private readonly path: string;
  private readonly fd: number;
  private readonly seekable: boolean;

  constructor(path: string, fd: number, seekable: boolean) {
    this.path = path;
    this.fd = fd;
    this.seekable = seekable;
  }

  read(into: Uint8Array, at: number, most: number): number {
    for (;;) {
      try {
        const got = readSync(this.fd, into, at, most, this.seekable ? this.position : null);
        this.position += got;
        return got;
      } catch (thrown) {
        const error = IngestError.of(this.path, thrown);
        // A pipe in non-blocking mode has nothing yet; Windows reports the end of a pipe as an error.
        if (error.reason === 'EOF') return 0;
        if (error.reason !== 'EAGAIN') throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      }
    }
  }

  close(): void {
    closeSync(this.fd);
  }
}

/** Bytes that come in pieces of their own size: what an unpacker gives, or a pipe that cannot be wound back. */
class PulledBytes implements ByteSource {
  readonly start: number;
  readonly compressed: boolean;
  damage: Damage | undefined;
  private readonly file: FileBytes;
  private readonly unpack: Unpack | undefined;
  private readonly packed = new Uint8Array(PACKED_CHUNK);
  private readonly pieces: Uint8Array[] = [];
  /** What was read of the file and not taken yet; at first the magic bytes. */
  private unread: Uint8Array;
  private ended = false;

  constructor(file: FileBytes, magic: Uint8Array, unpack: Unpack | undefined, from: number) {
    this.file = file;
    this.unread = magic;
    this.unpack = unpack;
    this.compressed = unpack !== undefined;
    this.start = this.skip(from);
  }

  read(into: Uint8Array, at: number, most: number): number {
    while (this.pieces.length === 0 && !this.ended) this.pull();
    const piece = this.pieces[0];
    if (!piece) return 0;
    const got = Math.min(piece.length, most);
    into.set(got === piece.length ? piece : piece.subarray(0, got), at);
    if (got === piece.length) this.pieces.shift();
    else this.pieces[0] = piece.subarray(got);
    return got;
  }

  close(): void {
    this.unpack?.close();
    this.file.close();
  }

  /** Moves to `from`, or behind the byte order mark; gives where it came to (short of `from` if the bytes end). */
  private skip(from: number): number {
    if (from === 0) {
      const first = new Uint8Array(BYTE_ORDER_MARK.length);
      let length = 0;
      while (length < first.length) {
        const got = this.read(first, length, first.length - length);
        if (got === 0) break;
        length += got;
      }
      if (hasMark(first)) return first.length;
      if (length > 0) this.pieces.unshift(first.subarray(0, length));
      return 0;
    }
    const scratch = new Uint8Array(PACKED_CHUNK);
    let at = 0;
    while (at < from) {
      const got = this.read(scratch, 0, Math.min(scratch.length, from - at));
      if (got === 0) break;
      at += got;
    }
    return at;
  }

  /** Turns the next bytes of the file into pieces. */
  private pull(): void {
    if (this.unread.length === 0) {
      this.unread = this.packed.subarray(0, this.file.read(this.packed, 0, this.packed.length));
    }
    const next = this.unread.subarray(0, this.unpack?.step);
    this.unread = this.unread.subarray(next.length);
    this.ended = next.length === 0;
    if (this.unpack) {
      this.damage = this.ended ? this.unpack.end(this.pieces) : this.unpack.push(next, this.pieces);
      if (this.damage) this.ended = true;
    } else if (!this.ended) this.pieces.push(next.slice());
  }
}
