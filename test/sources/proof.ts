import { relative } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Reader } from '../../src/sources/reader.ts';
import { Kind } from '../../src/trace/kinds.ts';
import { mutated } from './mutations.ts';
import {
  CORPUS,
  everything,
  filesBelow,
  headOf,
  readAll,
  readFiles,
  recordsOf,
  rowsOf,
  tokensByModel,
} from './reading.ts';
import { runsOf, toldByModel } from './truth.ts';

export interface Claims {
  /** Files of the runs that the reader takes. */
  readonly takes: (path: string) => boolean;
  /** Paths below the corpus, with forward slashes, that are this agent's by content; no other is. */
  readonly owns: (path: string) => boolean;
  /** Files of people's sessions that are read, with the lines that are no records. */
  readonly sessions: Readonly<Record<string, { readonly bad?: number; readonly unknown?: readonly string[] }>>;
  /** Tool calls that are in the files of a run, where these cannot show all that were asked for. */
  readonly tools?: Readonly<Record<string, number>>;
  /** Commands that failed, of which the files tell no exit code. */
  readonly silentExits?: readonly string[];
  /** The files do not tell reasoning apart: all of it is output. */
  readonly tellsNoReasoning?: boolean;
  /** Histories for the fuzz test besides the runs; paths below the corpus. */
  readonly fuzz?: readonly string[];
}

/** Everything that a reader must prove on the corpus: totals, prompts, tools, resuming, sniffing, ledgers, robustness. */
export function proves(reader: Reader, claims: Claims): void {
  const runs = runsOf(reader.agent, claims.takes);
  const isDocument = (path: string) => reader.isDocument?.(path) ?? false;

  describe.skipIf(CORPUS === undefined)(
    'what the real client wrote against a provider that kept its own count (needs the shared corpus)',
    () => {
      test('there are runs to check', () => {
        expect(runs.filter(run => run.paths.length > 0).length).toBeGreaterThan(2);
      });

      test.each(runs)(
        '$name: tokens are what the provider answered, by model and kind',
        ({ paths, total, tellsAll, truth }) => {
          const models = tokensByModel(readFiles(reader, paths));
          expect(models.get('all')?.total).toBe(total);
          models.delete('all');
          if (tellsAll) expect(Object.fromEntries(models)).toEqual(toldByModel(truth, claims.tellsNoReasoning));
        },
      );

      test.each(runs)('$name: prompts typed, tools asked for, commands that failed', ({ name, paths, truth }) => {
        const read = readFiles(reader, paths);
        const { ops } = read;
        const exits = truth.toolCalls.filter(
          call => /^exit [^0]/.test(call.op.expect ?? '') || /exit 3/.test(JSON.stringify(call.op)),
        ).length;
        expect(rowsOf(read, Kind.prompt).map(row => ops.texts.get('prompt', row))).toEqual(
          truth.prompts.map(({ prompt }) => prompt),
        );
        expect(rowsOf(read, Kind.tool).length).toBe(claims.tools?.[name] ?? truth.toolCalls.length);
        expect(rowsOf(read, Kind.tool, row => ops.field.error.get(row).startsWith('exit-')).length).toBe(
          claims.silentExits?.includes(name) ? 0 : exits,
        );
        expect(rowsOf(read, Kind.tool, row => ops.field.status.get(row) === 'unanswered')).toEqual([]);
      });

      test.each(runs)('$name: a tool call stands under its answer and begins when that ended', ({ paths }) => {
        const read = readFiles(reader, paths);
        for (const row of rowsOf(read, Kind.tool)) {
          const call = read.ops.parentOf(row);
          expect(read.ops.kind.get(call)).toBe(Kind.call);
          expect(read.ops.start.get(row)).toBeGreaterThan(read.ops.end.get(call) - 100_000);
          expect(read.ops.end.get(row)).toBeGreaterThanOrEqual(read.ops.start.get(row));
        }
      });

      test.each(runs)(
        '$name: every prompt and answer has its directory and no note complains',
        ({ paths, tellsAll }) => {
          const { ops, ledgers } = readFiles(reader, paths);
          if (!tellsAll) return;
          expect(
            ops.sessions.all.map(
              session => session.cwd ?? ops.sessions.all.find(({ id }) => id === session.parent)?.cwd,
            ),
          ).not.toContain(undefined);
          expect(ledgers.flatMap(ledger => [...ledger.notes, ...ledger.unknown.keys()])).toEqual([]);
        },
      );

      test.each(
        runs.flatMap(run =>
          run.paths.filter(path => !isDocument(path)).map(path => ({ path: relative(CORPUS ?? '', path) })),
        ),
      )('$path: read in two parts, cut before any line, it gives the same as at once', ({ path }) => {
        const records = recordsOf(`${CORPUS}/${path}`);
        const whole = everything(readAll(reader, { [path]: records }));
        for (let cut = 1; cut < records.length; cut++)
          expect(everything(readAll(reader, { [path]: records }, [cut]))).toEqual(whole);
      });
    },
  );

  describe.skipIf(CORPUS === undefined)('people’s sessions (needs the shared corpus)', () => {
    test.each(Object.entries(claims.sessions))(
      '%s is read, and its ledger accounts for each line',
      (path, { bad = 0, unknown = [] }) => {
        const { ledgers, ops } = readFiles(reader, [`${CORPUS}/${path}`]);
        const [ledger] = ledgers;
        expect([...(ledger?.unknown.keys() ?? [])].sort()).toEqual([...unknown].sort());
        expect(ledger?.badLines).toBe(bad);
        expect(ops.length > 0 || bad > 0 || /T04-09/.test(path)).toBe(true);
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

    test('rows that moved never make tokens of a call count twice', () => {
      for (const path of runs.flatMap(run => run.paths).filter(each => !isDocument(each))) {
        const records = recordsOf(path);
        const total = tokensByModel(readAll(reader, { [path]: records })).get('all')?.total;
        const moved = fc.shuffledSubarray(records, { minLength: records.length });
        const property = fc.property(
          moved,
          made => tokensByModel(readAll(reader, { [path]: made })).get('all')?.total === total,
        );
        fc.assert(property, { numRuns: 12 });
      }
    });

    test('damaged records never make it throw, and never a call twice', () => {
      const paths = [...runs.flatMap(run => run.paths), ...(claims.fuzz ?? []).map(path => `${CORPUS}/${path}`)];
      const all = paths.map(path => ({ path, records: recordsOf(path, isDocument(path)) }));
      const others = all.flatMap(each => each.records);
      for (const { path, records } of all) {
        const property = fc.property(mutated(records, others), made => {
          const read = readAll(reader, { [path]: made });
          for (const column of Object.values(read.ops.tokens)) {
            for (let row = 0; row < read.ops.length; row++) if (!Number.isSafeInteger(column.get(row))) return false;
          }
          return true;
        });
        fc.assert(property, { numRuns: 12 });
        const doubled = readAll(reader, { [path]: records, [`copy of ${path}`]: records });
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
    JSON.parse('{"__proto__":1,"constructor":{}}'),
  ])('a record like %j costs nothing but itself', value => {
    expect(() => readAll(reader, { '/h/a.jsonl': [value, value] })).not.toThrow();
    expect(reader.sniff({ path: '/h/a.jsonl', records: [value] })).toBe(false);
    expect(reader.sniff({ path: '/h/a.json', records: [], document: value })).toBe(false);
  });
}
