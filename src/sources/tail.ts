import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { isGzip, isZstd } from '../ingest/compressed.ts';

/** The end of what was read of a file, by which it is known again after it has grown. */
export interface Tail {
  /** SHA-256 of the last 4 KB before the end of the last whole line, 16 hex digits. */
  readonly hash: string;
  /** Bytes of a byte order mark. */
  readonly mark: number;
}

const LENGTH = 4096;
const HEAD = 4;

/** The tail before `end`; undefined for compressed files, whose bytes are not those of the text, and for shorter ones. */
export function tailBefore(path: string, end: number): Tail | undefined {
  const fd = openSync(path, 'r');
  try {
    const head = Buffer.alloc(HEAD);
    const length = readSync(fd, head, 0, HEAD, 0);
    if (isGzip(head, length) || isZstd(head, length)) return undefined;
    const bytes = Buffer.alloc(Math.min(LENGTH, end));
    for (let done = 0; done < bytes.length; ) {
      const got = readSync(fd, bytes, done, bytes.length - done, end - bytes.length + done);
      if (got === 0) return undefined;
      done += got;
    }
    const mark = length >= 3 && head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0;
    return { hash: createHash('sha256').update(bytes).digest('hex').slice(0, 16), mark };
  } finally {
    closeSync(fd);
  }
}
