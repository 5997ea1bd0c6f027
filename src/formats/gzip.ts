import { constants, crc32, deflateRawSync } from 'node:zlib';
import type { Sink } from './sink.ts';

/** Bytes; zlib wants 64 at least. */
const LEAST_ROOM = 1 << 10;
const MOST_ROOM = 1 << 20;

/**
 * One gzip member (RFC 1952), written piece by piece, so that a large profile never stands in memory as a whole.
 * Each piece ends on a byte boundary (a sync flush), which deflate allows anywhere. The header has no time and no
 * operating system, so equal input gives equal bytes.
 */
export class GzipSink {
  private readonly sink: Sink;
  private readonly level: number;
  private crc = 0;
  private size = 0;

  constructor(sink: Sink, level: number) {
    this.sink = sink;
    this.level = level;
    // Magic, method deflate, no flags, time 0 (four bytes), extra flags 4 (fastest) or 0, system 255 (unknown).
    sink(Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, level === 1 ? 4 : 0, 255));
  }

  add(bytes: Uint8Array): void {
    this.crc = crc32(bytes, this.crc);
    this.size = (this.size + bytes.length) >>> 0;
    // Room for all that may come out, so that it comes in one piece.
    const chunkSize = Math.max(LEAST_ROOM, Math.min(bytes.length, MOST_ROOM));
    const finishFlush = constants.Z_SYNC_FLUSH;
    this.sink(deflateRawSync(bytes, { level: this.level, finishFlush, chunkSize }));
  }

  end(): void {
    const tail = new DataView(new ArrayBuffer(10));
    // The last block: final, fixed codes, nothing but its end mark.
    tail.setUint8(0, 3);
    tail.setUint32(2, this.crc, true);
    tail.setUint32(6, this.size, true);
    this.sink(new Uint8Array(tail.buffer));
  }
}
