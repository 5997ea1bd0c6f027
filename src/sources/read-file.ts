import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { serialize } from 'node:v8';
import { gunzipSync } from 'node:zlib';
import { BAD_LINE_NUMBERS } from '../ingest/pass.ts';
import { type Damage, type ReadOutcome, readDocument, readRecords } from '../ingest/records.ts';
import { beside } from '../trace/blocks.ts';
import type { Operations } from '../trace/operations.ts';
import { type TextKind, Texts } from '../trace/texts.ts';
import { PACKED } from './archived.ts';
import { type FoundFile, pathOf } from './find.ts';
import type { Block, FileRows, Resume } from './gathered.ts';
import { type FileLedger, fileLedger } from './ledger.ts';
import type { RecordSink } from './reader.ts';
import { readerOf } from './registry.ts';
import { markOf, type Sibling } from './siblings.ts';
import { type Tail, tailBefore } from './tail.ts';

/** What an earlier run left. Its string codes become those of the new operations. */
export interface Earlier {
  /** Rows as the readers made them. */
  readonly ops: Operations;
  /** What is known of a file; undefined for one that must be read from its start. */
  known(file: FoundFile): KnownFile | undefined;
}

export interface KnownFile {
  /** In the numbers of the earlier operations. */
  readonly rows: FileRows;
  /** Undefined for a file that has not changed; for one that has grown, how to go on. */
  readonly grown?: {
    /** The reader's state; undefined if it cannot be restored. */
    state(): unknown;
    /** The file's rows and sessions by themselves, as the reader left them; what is put to their texts is added to them. */
    rows(texts: Iterable<TextKind>): Operations;
    /** False if what was made of the old rows does not hold for what they are now: then the whole file is read again. */
    stillHolds(block: Operations): boolean;
  };
}

export interface LoadOptions {
  readonly texts: Iterable<TextKind>;
  /** Called before each file with bytes read so far and bytes in all. */
  readonly progress?: (done: number, all: number) => void;
  readonly earlier?: Earlier | undefined;
  /** Threads that read beside this one; not said: as many as pay, see `threadsFor`. */
  readonly threads?: number | undefined;
  /** True for files whose reading may go on in a later run: their reader's state is kept. */
  readonly resumable?: (file: FoundFile) => boolean;
}

/**
 * Reads what is not known of a file. Its string codes are those of `whole`, and of the earlier operations. `room`: empty
 * operations beside the whole, for a file that is read from its start.
 */
export function readBlock(
  file: FoundFile,
  whole: Operations,
  known: KnownFile | undefined,
  options: LoadOptions,
  room: Operations = beside(whole, new Texts(options.texts)),
): Block {
  const goesOn = known ? goOn(file, known, options) : undefined;
  return goesOn ?? read(file, room, options);
}

/** A file that was still being written grows by about so many rows between two runs. */
export const MORE_ROWS = 200;

/** Goes on with a grown file where an earlier run left it; undefined if that cannot be done. */
function goOn(file: FoundFile, { rows, grown }: KnownFile, options: LoadOptions): Block | undefined {
  if (!grown || !rows.resume) return undefined;
  const state = grown.state();
  if (state === undefined) return undefined;
  const block = grown.rows(options.texts);
  const made = read(file, block, options, { ...rows.resume, state, ledger: rows.ledger, siblings: rows.siblings });
  return made.problem === undefined && grown.stillHolds(block) ? made : undefined;
}

/** What is known of a file's first part. */
interface Before {
  readonly end: number;
  readonly lines: number;
  readonly tail: Tail;
  readonly state: unknown;
  readonly ledger: FileLedger;
  readonly siblings: readonly Sibling[];
}

function read(file: FoundFile, block: Operations, options: LoadOptions, before?: Before): Block {
  const reader = readerOf(file.reader);
  const ledger = before ? structuredClone(before.ledger) : fileLedger(file.path, reader.agent);
  const siblings = new Map(before?.siblings ?? reader.dependsOn?.(file.path).map(markedNow));
  const sibling = (name: string) => {
    for (const path of placesOf(file, name)) {
      siblings.set(...markedNow(path));
      const value = readJson(path);
      if (value !== undefined) return value;
    }
    return undefined;
  };
  const told = (resume?: Resume, problem?: string): Block => ({
    ops: block,
    ledger,
    sessions: block.sessions.all.map(session => ({ ...session })),
    siblings: [...siblings],
    resume,
    problem,
  });
  try {
    const source = { index: 0, path: pathOf(file), sibling };
    if (reader.readWhole?.(source, block, ledger)) return told();
    const sink = reader.open(source, block, ledger, before?.state);
    if (reader.isDocument?.(source.path)) {
      readAtOnce(file, sink, ledger);
      sink.end();
      return told();
    }
    const { end, damage } = readLines(file, sink, ledger, before);
    const state = sink.end();
    if (damage !== undefined) return told(undefined, `${file.path}: ${DAMAGED[damage]}; what stands before is counted`);
    const goesOn = state !== undefined && options.resumable?.(file) === true;
    return told(goesOn ? resumeAt(file.path, end, ledger.lines, state) : undefined);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'cannot be read';
    return told(undefined, reason.includes(file.path) ? reason : `${file.path}: ${reason}`);
  }
}

const DAMAGED: Readonly<Record<Damage, string>> = {
  truncated: 'its compressed data ends early',
  corrupt: 'its compressed data is broken',
};

/** What was read, into the ledger too. `end` is where the next reading starts, unless compressed data were damaged. */
function readLines(file: FoundFile, sink: RecordSink, ledger: FileLedger, before?: Before): ReadOutcome {
  const from = before ? { from: before.end, fromLine: before.lines + 1 } : {};
  const outcome = readRecords(
    file.path,
    readerOf(file.reader).keep,
    (value, offset, bytes) => sink.record(value, offset, bytes),
    from,
  );
  ledger.bytes = (before ? before.end - before.tail.mark : 0) + outcome.bytes;
  ledger.lines = (before?.lines ?? 0) + outcome.lines;
  ledger.badLines += outcome.badLines;
  ledger.badLineNumbers.push(...outcome.badLineNumbers.slice(0, BAD_LINE_NUMBERS - ledger.badLineNumbers.length));
  ledger.tornTail = outcome.tornTail;
  return outcome;
}

function resumeAt(path: string, end: number, lines: number, state: unknown): Resume | undefined {
  const tail = tailBefore(path, end);
  if (!tail) return undefined;
  const bytes = serialize(state);
  return { end, lines, tail, state: () => bytes };
}

function readAtOnce(file: FoundFile, sink: RecordSink, ledger: FileLedger): void {
  const { value, bytes } = readDocument(file.path, readerOf(file.reader).keep);
  ledger.bytes = bytes;
  ledger.lines = 1;
  if (value === undefined) {
    ledger.badLines = 1;
    ledger.badLineNumbers.push(1);
    return;
  }
  sink.record(value, 0, bytes);
}

/** Where a file's companion may lie: beside the original, or beside its archived copy. */
function placesOf(file: FoundFile, name: string): string[] {
  const live = join(dirname(pathOf(file)), name);
  return file.origin === undefined ? [live] : [live, join(dirname(file.path), name + PACKED)];
}

function markedNow(path: string): [path: string, mark: string] {
  return [path, markOf(path)];
}

function readJson(path: string): unknown {
  try {
    const bytes = readFileSync(path);
    return JSON.parse((path.endsWith(PACKED) ? gunzipSync(bytes) : bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}
