import { openBytes } from './byte-source.ts';
import type { Damage } from './damage.ts';
import { type Engine, withScanner } from './engines.ts';
import type { Keep } from './keep.ts';
import { compileKeep } from './keep-table.ts';
import { parseRow } from './pass.ts';
import { Line } from './scanner.ts';

export interface DocumentOutcome {
  /** The document shrunk by the rule; undefined if the file is not one JSON value (empty, half-written, lines). */
  readonly value: unknown;
  /** Bytes read (a byte order mark not included); unpacked. */
  readonly bytes: number;
  readonly damage: Damage | undefined;
}

/**
 * Reads a file that is one JSON value, over as many lines as it likes, like `readRecords` reads a line: in one pass,
 * and never whole in memory. Throws IngestError where the path cannot be read.
 */
export function readDocument(
  path: string,
  keep: Keep,
  options: { readonly engine?: Engine; readonly chunk?: number } = {},
): DocumentOutcome {
  const source = openBytes(path, 0);
  try {
    return withScanner(options.engine, options.chunk, scanner => {
      scanner.begin(compileKeep(keep), true);
      let bytes = 0;
      for (;;) {
        const got = source.read(scanner.input, scanner.inputAt, scanner.chunk);
        if (got === 0) break;
        bytes += got;
        scanner.feed(got);
      }
      scanner.finish();
      const good = ((scanner.rows[3] as number) & Line.good) !== 0;
      return { value: good ? parseRow(scanner, 0) : undefined, bytes, damage: source.damage };
    });
  } finally {
    source.close();
  }
}
