import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Reader } from '../../src/sources/reader.ts';
import { mutated } from './mutations.ts';
import {
  CORPUS,
  drawn,
  everything,
  filesBelow,
  headOf,
  readAll,
  readFiles,
  recordsOf,
  tokensByModel,
} from './reading.ts';

export interface Sample {
  /** Its rows as `drawn` writes them, or of a long one only how many there are of each kind. */
  readonly rows: readonly string[] | Readonly<Record<string, number>>;
  readonly total?: number;
  readonly unknown?: readonly string[];
  readonly bad?: number;
  readonly notes?: readonly string[];
}

export interface Claims {
  /** Paths below the corpus, with forward slashes, that are this agent's by content; no other is. */
  readonly owns: (path: string) => boolean;
  /** By path below the corpus. */
  readonly samples: Readonly<Record<string, Sample>>;
}

/** What a reader must prove of an agent of which there are samples, but no runs against a provider that kept count. */
export function reads(reader: Reader, claims: Claims): void {
  const isDocument = (path: string) => reader.isDocument?.(path) ?? false;

  describe.skipIf(CORPUS === undefined)('samples (needs the shared corpus)', () => {
    const samples = Object.entries(claims.samples);

    test.each(samples)('%s gives its rows, and its ledger accounts for each line', (path, sample) => {
      const read = readFiles(reader, [`${CORPUS}/${path}`]);
      const lines = drawn(read);
      if (Array.isArray(sample.rows)) expect(lines).toEqual(sample.rows);
      else expect(kindsOf(lines)).toEqual(sample.rows);
      expect(tokensByModel(read).get('all')?.total ?? 0).toBe(sample.total ?? 0);
      const [ledger] = read.ledgers;
      expect([...(ledger?.unknown.keys() ?? [])]).toEqual(sample.unknown ?? []);
      expect(ledger?.badLines).toBe(sample.bad ?? 0);
      expect(ledger?.notes).toEqual(sample.notes ?? []);
    });

    test.each(samples.filter(([path]) => !isDocument(path)))(
      '%s: read in two parts, cut before any line, it gives the same as at once',
      path => {
        const records = recordsOf(`${CORPUS}/${path}`);
        const whole = everything(readAll(reader, { [path]: records }));
        for (let cut = 1; cut < records.length; cut++) {
          expect(everything(readAll(reader, { [path]: records }, [cut]))).toEqual(whole);
        }
      },
    );

    test('content tells whose a file is: all of this agent’s, and none of another', () => {
      const wrong = ['sessions', 'real-agents'].flatMap(part =>
        filesBelow(`${CORPUS}/${part}`)
          .map(path => path.slice((CORPUS as string).length + 1))
          .filter(path => reader.sniff(headOf(`${CORPUS}/${path}`)) !== claims.owns(path)),
      );
      expect(wrong).toEqual([]);
    });

    test('damaged records never make it throw, and a copy of a history counts nothing twice', () => {
      const all = samples.map(([path]) => ({ path, records: recordsOf(`${CORPUS}/${path}`, isDocument(path)) }));
      const others = all.flatMap(each => each.records);
      for (const { path, records } of all) {
        const property = fc.property(mutated(records, others), made => {
          const { ops } = readAll(reader, { [path]: made });
          for (const column of [...Object.values(ops.tokens), ops.start, ops.end]) {
            for (let row = 0; row < ops.length; row++) if (!Number.isSafeInteger(column.get(row))) return false;
          }
          return true;
        });
        fc.assert(property, { numRuns: 25 });
        const doubled = readAll(reader, { [path]: records, [`/copy/of/${path}`]: records });
        expect(tokensByModel(doubled)).toEqual(tokensByModel(readAll(reader, { [path]: records })));
      }
    });
  });

  test.each([
    undefined,
    null,
    1,
    'x',
    [],
    {},
    { type: 7 },
    { message: { content: [null] } },
    { messages: [null] },
    JSON.parse('{"__proto__":1,"constructor":{}}'),
  ])('a record like %j costs nothing but itself', value => {
    expect(() => readAll(reader, { '/h/a.jsonl': [value, value] })).not.toThrow();
    expect(reader.sniff({ path: '/h/a.jsonl', records: [value] })).toBe(false);
    expect(reader.sniff({ path: '/h/a.json', records: [], document: value })).toBe(false);
  });
}

function kindsOf(lines: readonly string[]): Record<string, number> {
  const kinds: Record<string, number> = {};
  for (const line of lines) {
    const kind = /\w+/.exec(line)?.[0] ?? '';
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return kinds;
}
