import { openBytes } from './byte-source.ts';
import { withScanner } from './engines.ts';
import { compileKeep } from './keep-table.ts';
import { Pass } from './pass.ts';
import { CHUNK } from './scanner.ts';

/** The start of a file, for telling whose it is. */
export interface FileHead {
  /** The first records that parsed, whole but for strings, which have at most 1 KB. */
  readonly records: readonly unknown[];
  /** Not a text: no record, and a NUL byte near the start or broken compression. */
  readonly binary: boolean;
  /** Nothing but white space. */
  readonly empty: boolean;
}

const HEAD_TEXT = 1 << 10;

/** How far a first line longer than `maxBytes` is followed. */
const LONGEST_FIRST_LINE = 4 << 20;

/** As far as git looks for a NUL byte. */
const BINARY_LOOK = 8000;

/**
 * The first `n` records, from about `maxBytes` of the file; more is read only until there is one record, and never
 * more than 4 MB. Throws IngestError where the path cannot be read.
 */
export function readHead(path: string, n: number, maxBytes: number = CHUNK): FileHead {
  const records: unknown[] = [];
  const source = openBytes(path, 0);
  try {
    return withScanner(undefined, undefined, scanner => {
      scanner.begin(compileKeep(HEAD_TEXT));
      const pass = new Pass(source, scanner, value => records.push(value), 0, 1, n);
      let nul = false;
      let more = true;
      while (more && pass.at < (records.length > 0 ? maxBytes : LONGEST_FIRST_LINE)) {
        const before = pass.at;
        more = pass.chunk();
        const looked = Math.max(0, Math.min(pass.at, BINARY_LOOK) - before);
        nul ||= scanner.input.subarray(scanner.inputAt, scanner.inputAt + looked).includes(0);
        // A binary file is not worth four megabytes.
        if (nul && records.length === 0) break;
      }
      const torn = more ? pass.at > pass.lineStart : pass.tail();
      return {
        records,
        binary: records.length === 0 && (nul || source.damage === 'corrupt'),
        empty: records.length === 0 && pass.badLines === 0 && !torn && source.damage === undefined,
      };
    });
  } finally {
    source.close();
  }
}
