import { openBytes } from './byte-source.ts';
import type { Damage } from './damage.ts';
import { type Engine, withScanner } from './engines.ts';
import type { Keep } from './keep.ts';
import { compileKeep } from './keep-table.ts';
import { type OnRecord, Pass } from './pass.ts';

export type { Damage } from './damage.ts';
export { readDocument } from './document.ts';
export type { Engine } from './engines.ts';
export { recordAt } from './evidence.ts';
export { readHead } from './head.ts';
export { IngestError } from './ingest-error.ts';
export type { OnRecord } from './pass.ts';

export interface ReadOptions {
  /** Where to start: 0, or the `end` of an earlier read. In unpacked bytes. */
  readonly from?: number;
  /** Number of the line that starts at `from`: one more than the lines read before. */
  readonly fromLine?: number;
  /** Without it: the kernel where WebAssembly SIMD is there, else plain JavaScript. */
  readonly engine?: Engine;
  /** Stop after this many records. */
  readonly limit?: number;
  /** Bytes a read takes at once; for tests, which put every boundary everywhere. */
  readonly chunk?: number;
}

export interface ReadOutcome {
  /** Bytes read from `from` on (from 0: a byte order mark not included), a torn tail included; unpacked. */
  readonly bytes: number;
  /** Lines read, blank and bad ones included, a torn tail not. The line numbers of the next read go on from here. */
  readonly lines: number;
  readonly badLines: number;
  /** Numbers of the first five bad lines. */
  readonly badLineNumbers: number[];
  /** The file ends in a line without newline that is not JSON (yet). It was not counted as a line. */
  readonly tornTail: boolean;
  /** Where the next read of a grown file starts: see `readRecords`. */
  readonly end: number;
  /** A compressed file that broke off or is broken; what stood before was delivered. */
  readonly damage: Damage | undefined;
}

/**
 * Reads a JSON-lines file (plain, gzip or Zstandard) in one pass and delivers every line that is JSON, in order.
 *
 * A file may be written while it is read. A last line without newline is delivered if it is JSON already, and `end`
 * is then behind it; the next read from `end` meets its newline first, which is no line of its own, so the record
 * comes once and lines keep their numbers. If it is not JSON yet, `end` is its start and `tornTail` is set. A bare
 * number without newline could go on, so it counts as torn. If anything but white space follows a delivered record
 * before its newline, the line was not JSON after all: it is counted as bad, and the record stays delivered.
 *
 * Memory does not grow with the file, nor with a line except for what is left of it. Synchronous; `onRecord` may
 * throw (the file is closed) and may read other files. Throws IngestError where a path cannot be read.
 */
export function readRecords(path: string, keep: Keep, onRecord: OnRecord, options: ReadOptions = {}): ReadOutcome {
  const { from = 0, fromLine = 1, limit = Number.POSITIVE_INFINITY } = options;
  const source = openBytes(path, Math.max(0, from - 1));
  try {
    return withScanner(options.engine, options.chunk, scanner => {
      scanner.begin(compileKeep(keep));
      const pass = new Pass(source, scanner, onRecord, from, fromLine, limit);
      const start = pass.at;
      while (pass.chunk());
      const tornTail = pass.tail();
      return {
        bytes: (pass.limit > 0 ? pass.at : pass.lineStart) - start,
        lines: pass.lines,
        badLines: pass.badLines,
        badLineNumbers: pass.badLineNumbers,
        tornTail,
        // Behind a mark and nothing else, `from` would look like the middle of a line.
        end: pass.lineStart === start ? from : pass.lineStart,
        damage: source.damage,
      };
    });
  } finally {
    source.close();
  }
}
