import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { serialize } from 'node:v8';
import { gunzipSync } from 'node:zlib';
import { type Damage, type ReadOutcome, readDocument, readRecords } from '../ingest/records.ts';
import { BlockRoom, beside, copyRows, placeRows, shiftParents } from '../trace/blocks.ts';
import { Operations } from '../trace/operations.ts';
import { type TextKind, Texts } from '../trace/texts.ts';
import { PACKED } from './archived.ts';
import { type Discovery, type FoundFile, pathOf } from './find.ts';
import { type Block, type FileRows, type Gathered, gathered, type Histories, type Resume } from './gathered.ts';
import { Joining } from './joining.ts';
import { type FileLedger, fileLedger } from './ledger.ts';
import { Projects } from './projects.ts';
import type { RecordSink } from './reader.ts';
import { readerOf } from './registry.ts';
import { markOf, type Sibling } from './siblings.ts';
import { type Tail, tailBefore } from './tail.ts';

export type { Block, FileRows, Gathered, Histories, Resume } from './gathered.ts';

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
  /** True for files whose reading may go on in a later run: their reader's state is kept. */
  readonly resumable?: (file: FoundFile) => boolean;
}

/** One pass over each file. A file that fails costs itself alone and is told in `discovery.problems`. */
export function load(discovery: Discovery, options: LoadOptions): Gathered {
  const gathered = gather(discovery, options);
  settle(gathered);
  return gathered;
}

/** Reads what an earlier run does not know and puts the blocks of all files together, in the order of the files. */
export function gather(discovery: Discovery, options: LoadOptions): Gathered {
  const { earlier, progress } = options;
  const whole = new Whole(options);
  const known = discovery.files.map(file => earlier?.known(file));
  const unread = discovery.files.map((file, at) => bytesToRead(file, known[at]));
  const all = unread.reduce((sum, bytes) => sum + bytes, 0);
  const room = new BlockRoom(whole.ops, options.texts);
  let done = 0;
  let read = 0;
  discovery.files.forEach((file, at) => {
    const before = known[at];
    if (earlier && before && !before.grown) whole.keep(before.rows, earlier.ops);
    else {
      progress?.(done, all);
      const block = readBlock(file, whole.ops, before, options, room.take());
      whole.add(block);
      read += block.ops.length;
      room.giveBack(block.ops);
      done += unread[at] as number;
      if (done > TELLING) whole.ops.expect(whole.ops.length + Math.ceil(((all - done) * read) / done));
    }
  });
  return whole.gathered(discovery, earlier !== undefined);
}

/** Bytes after which the rows of all files are foretold by those of the files read so far. */
const TELLING = 32 << 20;

/**
 * Puts blocks together that were read before, beside those that an earlier run has; in the order of the files. Each column
 * is put together when it is first used.
 */
export function joinBlocks(
  discovery: Discovery,
  blocks: ReadonlyMap<FoundFile, Block>,
  options: LoadOptions,
): Gathered {
  const { earlier, texts } = options;
  const base = earlier?.ops ?? new Operations(new Texts(texts));
  const joining = new Joining();
  for (const file of discovery.files) {
    const block = blocks.get(file);
    const known = block ? undefined : earlier?.known(file);
    if (earlier && known && !known.grown) joining.keep(known.rows, earlier.ops);
    else joining.add(block ?? readBlock(file, base, known, options));
  }
  const { ops, files } = joining.joined(texts);
  return gathered(ops, files, discovery, earlier !== undefined);
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

function bytesToRead(file: FoundFile, known: KnownFile | undefined): number {
  if (!known) return file.size;
  return known.grown ? Math.max(0, file.size - (known.rows.resume?.end ?? 0)) : 0;
}

/** What only all files together tell: readers' corrections, then project, host and roots of the sessions. */
export function settle({ ops, ledgers, discovery }: Histories, projects: Projects = new Projects()): void {
  const made = ops.length;
  for (const reader of new Set(discovery.files.map(file => readerOf(file.reader)))) reader.settle?.(ops, ledgers);
  sortByFile(ops, made);
  describeSessions(ops, discovery.files, projects);
}

/** Rows that settling appends have the order of their files, whatever order their readers are asked in. */
function sortByFile(ops: Operations, first: number): void {
  const files = Array.from({ length: ops.length - first }, (_, i) => ops.file.get(first + i));
  if (files.every((file, i) => i === 0 || (files[i - 1] as number) <= file)) return;
  const rows = beside(ops, new Texts([]));
  copyRows(rows, ops, first, ops.length);
  const order = files.map((_, i) => i).sort((a, b) => (files[a] as number) - (files[b] as number) || a - b);
  for (let i = 0; i < order.length; i++) placeRows(ops, first + i, rows, order[i] as number, (order[i] as number) + 1);
}

/** The operations of all files while their blocks come in. */
class Whole {
  readonly ops: Operations;
  private readonly files: FileRows[] = [];

  constructor({ texts, earlier }: LoadOptions) {
    this.ops = earlier ? beside(earlier.ops, new Texts(texts)) : new Operations(new Texts(texts));
  }

  gathered(discovery: Discovery, lost: boolean): Gathered {
    return gathered(this.ops, this.files, discovery, lost);
  }

  /** The block of a file that was just read. */
  add({ ops: block, ...told }: Block): void {
    const first = copyRows(this.ops, block, 0, block.length);
    shiftParents(this.ops, first, this.ops.length, first);
    this.ops.texts.take(block.texts, first);
    this.ops.touches.take(block.touches, first);
    const sessions = told.sessions.map(session => this.ops.sessions.join(session, this.files.length));
    this.number(first, at => sessions[at]);
    this.files.push({ ...told, first, count: block.length });
  }

  /** The block of a file that an earlier run read. */
  keep(rows: FileRows, earlier: Operations): void {
    const { sessions } = earlier;
    const first = copyRows(this.ops, earlier, rows.first, rows.first + rows.count);
    shiftParents(this.ops, first, this.ops.length, first - rows.first);
    const moved = new Map<number, number>();
    for (const session of rows.sessions) {
      const now = this.ops.sessions.join(session, this.files.length);
      moved.set(sessions.find(session.agent, session.id) ?? -1, now);
    }
    this.number(first, at => moved.get(at));
    this.files.push({ ...rows, first });
  }

  /** Gives the rows of the last block their file and their sessions. */
  private number(first: number, moved: (session: number) => number | undefined): void {
    const { ops } = this;
    const file = this.files.length;
    for (let row = first; row < ops.length; row++) {
      ops.file.set(row, file);
      ops.session.set(row, moved(ops.session.get(row)) ?? 0);
    }
  }
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
  ledger.badLineNumbers.push(...outcome.badLineNumbers);
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

/** Project, host and roots of each session; a subagent has its parent's project where it names no directory itself. */
function describeSessions(ops: Operations, files: readonly FoundFile[], projects: Projects): void {
  for (const session of ops.sessions.all) {
    const host = files[session.file]?.host;
    if (host !== undefined) session.host = host;
    const parent = session.parent === undefined ? undefined : ops.sessions.find(session.agent, session.parent);
    const cwd = session.cwd ?? (parent === undefined ? undefined : ops.sessions.all[parent]?.cwd);
    if (cwd === undefined || cwd === '') continue;
    const project = projects.of(cwd);
    session.project ??= project.name;
    session.roots = project.roots;
  }
}
