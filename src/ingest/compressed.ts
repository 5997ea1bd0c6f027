import { constants, createGunzip, type Gunzip, gunzipSync } from 'node:zlib';
import { Decompress, type ZstdError, ZstdErrorCode } from 'fzstd';
import type { Damage } from './damage.ts';

/** Unpacks piece by piece, in order. Pieces given are the caller's. */
export interface Unpack {
  /**
   * The most bytes to push at once. All that comes of one push is in memory together, and a byte of well compressed
   * text may give thousands.
   */
  readonly step: number;
  /** Unpacks the next bytes of the file; says if they are broken (what could be unpacked before is given). */
  push(packed: Uint8Array, pieces: Uint8Array[]): Damage | undefined;
  /** The file is at its end. */
  end(pieces: Uint8Array[]): Damage | undefined;
  close(): void;
}

/** A Zstandard frame (RFC 8878, 3.1.1) or a skippable frame (3.1.2). */
export function isZstd(magic: Uint8Array, length: number): boolean {
  if (length < 4) return false;
  const [a, b, c, d] = magic as unknown as [number, number, number, number];
  return (
    (a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd) ||
    ((a & 0xf0) === 0x50 && b === 0x2a && c === 0x4d && d === 0x18)
  );
}

/** A gzip member with deflate (RFC 1952, 2.3.1). */
export function isGzip(magic: Uint8Array, length: number): boolean {
  return length >= 3 && magic[0] === 0x1f && magic[1] === 0x8b && magic[2] === 8;
}

/** Checksums are not compared (fzstd does not); windows above 32 MB do not unpack. */
export function unpackZstd(): Unpack {
  let into: Uint8Array[] = [];
  const stream = new Decompress(piece => {
    if (piece.length > 0) into.push(piece);
  });
  const push = (packed: Uint8Array, pieces: Uint8Array[], last: boolean): Damage | undefined => {
    into = pieces;
    try {
      stream.push(packed, last);
      return undefined;
    } catch (thrown) {
      // Broken data may also end in a TypeError inside fzstd.
      return (thrown as Partial<ZstdError>).code === ZstdErrorCode.UnexpectedEOF ? 'truncated' : 'corrupt';
    }
  };
  return {
    // A block of 128 KB may have as few as ten bytes.
    step: 1 << 10,
    // fzstd keeps what it does not need yet, so it gets a copy.
    push: (packed, pieces) => push(packed.slice(), pieces, false),
    end: pieces => push(new Uint8Array(0), pieces, true),
    close: () => undefined,
  };
}

/** The part of node:zlib's binding that works in steps without a callback; the class on top of it closes after one. */
interface InflateHandle {
  writeSync(
    flush: number,
    from: Uint8Array,
    at: number,
    length: number,
    to: Uint8Array,
    toAt: number,
    room: number,
  ): void;
  onerror: (message: string, errno: number, code: string) => void;
}

interface GunzipParts {
  readonly _handle?: InflateHandle;
  /** After a step: bytes of room left, and bytes of input left. */
  readonly _writeState?: Uint32Array;
}

const UNPACKED_CHUNK = 128 << 10;

/** Members behind each other are one text, as gzip itself has it. */
export function unpackGzip(): Unpack {
  const gunzip = createGunzip();
  const { _handle: handle, _writeState: state } = gunzip as Gunzip & GunzipParts;
  return typeof handle?.writeSync === 'function' && state ? inSteps(gunzip, handle, state) : atOnce();
}

function inSteps(gunzip: Gunzip, handle: InflateHandle, state: Uint32Array): Unpack {
  const room = new Uint8Array(UNPACKED_CHUNK);
  let failure: string | undefined;
  handle.onerror = (_message, _errno, code) => {
    failure = code;
  };
  const step = (packed: Uint8Array, pieces: Uint8Array[], flush: number): Damage | undefined => {
    let left = packed.length;
    for (;;) {
      handle.writeSync(flush, packed, packed.length - left, left, room, 0, room.length);
      if (failure) return failure === 'Z_BUF_ERROR' ? 'truncated' : 'corrupt';
      const got = room.length - (state[0] as number);
      if (got > 0) pieces.push(room.slice(0, got));
      left = state[1] as number;
      if (state[0] !== 0) return undefined;
    }
  };
  return {
    step: 4 << 10,
    push: (packed, pieces) => step(packed, pieces, constants.Z_NO_FLUSH),
    end: pieces => step(new Uint8Array(0), pieces, constants.Z_FINISH),
    close: () => gunzip.close(),
  };
}

/** Where the binding has another shape: the whole file in memory, with the public call. */
function atOnce(): Unpack {
  const all: Uint8Array[] = [];
  return {
    step: 1 << 20,
    push: packed => {
      all.push(packed.slice());
      return undefined;
    },
    end: pieces => {
      const packed = Buffer.concat(all);
      try {
        pieces.push(gunzipSync(packed));
        return undefined;
      } catch (thrown) {
        return (thrown as NodeJS.ErrnoException).code === 'Z_BUF_ERROR' ? 'truncated' : 'corrupt';
      }
    },
    close: () => undefined,
  };
}
