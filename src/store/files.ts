import { closeSync, openSync } from 'node:fs';
import { type FoundFile, pathOf } from '../sources/find.ts';
import type { Resume } from '../sources/gathered.ts';
import type { FileLedger } from '../sources/ledger.ts';
import { markOf, type Sibling } from '../sources/siblings.ts';
import type { Session } from '../trace/sessions.ts';
import { PackError, type PackReader, type PackWriter } from './pack.ts';

/** First row and number of rows. */
export type Range = readonly [first: number, count: number];

/** Rows of a file: as its reader made them, as settling added them, as its tool calls' effects. */
export interface Ranges {
  readonly made: Range;
  readonly settled: Range;
  readonly effects: Range;
}

/** What a pack says of one file: by which it is known again, and where its rows lie. */
export interface Entry extends Ranges {
  /** Where its bytes were, and the path by which it goes. */
  readonly path: string;
  readonly name: string;
  readonly agent: string;
  /** Of the reader that made the rows. */
  readonly version: number;
  readonly inode: number;
  readonly size: number;
  /** -1 where the file was changed so shortly before it was read that a later change may bear the same time. */
  readonly mtime: number;
  /** See families.ts. */
  readonly family: number;
  readonly siblings: readonly Sibling[];
  /** Why it could not be read, if it could not; and whether it was tried again in vain, with the same result. */
  readonly problem?: string;
  readonly inVain?: boolean;
}

/** Times of files tick in steps, up to those of 100 a second. */
const TICK = 20;

interface Told extends Ranges {
  readonly family: number;
  readonly siblings: readonly Sibling[];
  readonly problem: string | undefined;
}

/** `before` is the entry of the same name that an earlier run made; the run of today began at `started`. */
export function entryOf(file: FoundFile, told: Told, started: number, before: Entry | undefined): Entry {
  const { made, settled, effects, family, siblings, problem } = told;
  const inVain =
    before !== undefined && before.problem === problem && before.inode === file.inode && before.size === file.size;
  const isFresh = file.mtimeMs > started - TICK && file.mtimeMs <= Date.now();
  return {
    path: file.path,
    name: pathOf(file),
    agent: file.reader.agent,
    version: file.reader.version,
    inode: file.inode,
    size: file.size,
    mtime: isFresh ? -1 : file.mtimeMs,
    made,
    settled,
    effects,
    family,
    siblings,
    ...(problem === undefined ? {} : { problem, inVain }),
  };
}

/** Whether an entry is of this file at all: at the same place, and read as it would be read today. */
export function isOf(entry: Entry, file: FoundFile): boolean {
  return entry.path === file.path && entry.agent === file.reader.agent && entry.version === file.reader.version;
}

/**
 * Whether a file is what it was. What could not be read is tried again once it can be opened; if that is in vain, no
 * more until it changes.
 */
export function isUnchanged(entry: Entry, file: FoundFile): boolean {
  if (entry.inode !== file.inode || entry.size !== file.size || entry.mtime !== file.mtimeMs) return false;
  return entry.problem === undefined || entry.inVain === true || !opens(file.path);
}

function opens(path: string): boolean {
  try {
    closeSync(openSync(path, 'r'));
    return true;
  } catch {
    return false;
  }
}

/** Whether the files beside a file are what they were; each is looked at once in a run. */
export function siblingsCheck(): (entry: Entry) => boolean {
  const marks = new Map<string, string>();
  return entry =>
    entry.siblings.every(([path, before]) => {
      let mark = marks.get(path);
      if (mark === undefined) {
        mark = markOf(path);
        marks.set(path, mark);
      }
      return mark === before;
    });
}

/** A ledger as JSON, and how many of its notes the reader made: the others are made again by settling. */
export interface StoredLedger extends Omit<FileLedger, 'unknown'> {
  readonly unknown: readonly (readonly [string, number])[];
  readonly ownNotes: number;
}

export function storedLedger(ledger: FileLedger, ownNotes: number): StoredLedger {
  return { ...ledger, unknown: [...ledger.unknown], ownNotes };
}

export function ledgerOf({ unknown, ownNotes: _, ...ledger }: StoredLedger): FileLedger {
  return { ...ledger, unknown: new Map(unknown) };
}

/** The ledger as its reader left it. */
export function ownLedgerOf(stored: StoredLedger): FileLedger {
  return ledgerOf({ ...stored, notes: stored.notes.slice(0, stored.ownNotes) });
}

/** What only a refresh asks for, by file: the facts each tells of its sessions, and how to go on with it. */
export interface Readings {
  readonly sessions: readonly (readonly Session[])[];
  readonly resumes: readonly (Resume | undefined)[];
}

const STATES = 'readings/states';

export function saveReadings(pack: PackWriter, { sessions, resumes }: Readings): void {
  pack.json('readings/sessions', sessions);
  const stored: (StoredResume | null)[] = [];
  pack.pieces(STATES, states());
  pack.json('readings/resumes', stored);
  function* states(): Generator<Uint8Array> {
    let at = 0;
    // States that lie behind each other in an earlier pack are taken over as one.
    let [from, bytes] = [undefined as StoredState | undefined, 0];
    for (const resume of resumes) {
      if (!resume) {
        stored.push(null);
        continue;
      }
      const { end, lines, tail } = resume;
      const put = (stateBytes: number) => {
        at += stateBytes;
        stored.push({ end, lines, tail, stateEnd: at, stateBytes });
      };
      if (resume instanceof StoredState) {
        if (from?.isFollowedBy(resume, bytes)) bytes += resume.bytes;
        else {
          if (from) yield* from.copied(bytes);
          [from, bytes] = [resume, resume.bytes];
        }
        put(resume.bytes);
        continue;
      }
      if (from) yield* from.copied(bytes);
      from = undefined;
      const state = resume.state();
      put(state.length);
      yield state;
    }
    if (from) yield* from.copied(bytes);
  }
}

interface StoredResume extends Omit<Resume, 'state'> {
  readonly stateEnd: number;
  readonly stateBytes: number;
}

/** As many bytes of states are copied at a time. */
const AT_ONCE = 1 << 17;

/** How to go on with a file, whose reader's state lies in a pack. */
class StoredState implements Resume {
  readonly end: number;
  readonly lines: number;
  readonly tail: Resume['tail'];
  readonly bytes: number;
  private readonly pack: PackReader;
  private readonly first: number;

  constructor(pack: PackReader, { end, lines, tail, stateEnd, stateBytes }: StoredResume) {
    this.end = end;
    this.lines = lines;
    this.tail = tail;
    this.bytes = stateBytes;
    this.pack = pack;
    this.first = stateEnd - stateBytes;
  }

  state(): Uint8Array {
    const bytes = new Uint8Array(this.bytes);
    this.pack.part(STATES, this.first, bytes);
    return bytes;
  }

  /** Whether another state lies so many bytes behind the beginning of this one. */
  isFollowedBy(other: StoredState, bytes: number): boolean {
    return other.pack === this.pack && other.first === this.first + bytes;
  }

  /** So many bytes from its beginning on, some at a time. */
  *copied(bytes: number): Generator<Uint8Array> {
    const room = new Uint8Array(Math.min(AT_ONCE, bytes));
    for (let at = 0; at < bytes; at += AT_ONCE) {
      const piece = room.subarray(0, Math.min(AT_ONCE, bytes - at));
      this.pack.part(STATES, this.first + at, piece);
      yield piece;
    }
  }
}

/** Throws PackError. */
export function loadReadings(pack: PackReader, path: string): Readings {
  const sessions = pack.json('readings/sessions') as Session[][];
  const stored = pack.json('readings/resumes') as (StoredResume | null)[];
  if (sessions.length !== stored.length) throw new PackError(path, 'is damaged');
  return { sessions, resumes: stored.map(resume => (resume ? new StoredState(pack, resume) : undefined)) };
}
