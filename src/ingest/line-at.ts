import { openBytes } from './byte-source.ts';

const CHUNK = 1 << 16;

/** The number of the line (from 1) that holds a byte of a plain or compressed file; undefined where it cannot be read. */
export function lineAt(path: string, offset: number): number | undefined {
  try {
    const source = openBytes(path, 0);
    try {
      const part = Buffer.alloc(CHUNK);
      let line = 1;
      for (let at = 0; at < offset; ) {
        const got = source.read(part, 0, Math.min(CHUNK, offset - at));
        if (got === 0) return undefined;
        for (let i = 0; i < got; i++) if (part[i] === 0x0a) line++;
        at += got;
      }
      return line;
    } finally {
      source.close();
    }
  } catch {
    return undefined;
  }
}
