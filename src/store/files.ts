import { closeSync, openSync, statSync } from 'node:fs';
import { type FoundFile, pathOf } from '../sources/discover.ts';
import type { FileLedger } from '../sources/ledger.ts';
import type { FileRows, Resume } from '../sources/load.ts';
import type { Session } from '../trace/sessions.ts';
import { type PackReader, PackError, type PackWriter } from './pack.ts';

/** What a pack says of one file: by which it is known again, and where its rows lie. */
export interface Entry {
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
  readonly first: number;
  readonly count: number;
  /** Its rows of effects. */
  readonly firstEffect: number;
  readonly effects: number;
  /** Files beside it that its reader asked for, and what they were: see `markOf`. */
  readonly siblings: readonly (readonly [path: string, mark: string])[];
  /** Why it could not be read, if it could not. */
  readonly problem?: string;
}

/** Times of files tick in steps, up to those of 100 a second. */
const TICK = 20;

export function entryOf(file: FoundFile, rows: FileRows, effects: readonly [number, number], started: number): Entry {
  return {
    path: file.path,
    name: pathOf(file),
    agent: file.reader.agent,
    version: file.reader.version,
    inode: file.inode,
    size: file.size,
    mtime: file.mtimeMs > started - TICK ? -1 : file.mtimeMs,
    first: rows.first,
    count: rows.count,
    firstEffect: effects[0],
    effects: effects[1],
    siblings: rows.siblings.map(path => [path, markOf(path)] as const),
    ...(rows.problem === undefined ? {} : { problem: rows.problem }),
  };
}

/** Whether an entry is of this file at all: at the same place, and read as it would be read today. */
export function isOf(entry: Entry, file: FoundFile): boolean {
  return entry.path === file.path && entry.agent === file.reader.agent && entry.version === file.reader.version;
}

/** Whether a file is what it was. What could not be read counts as unchanged as long as it cannot be opened. */
export function isUnchanged(entry: Entry, file: FoundFile): boolean {
  if (entry.inode !== file.inode || entry.size !== file.size || entry.mtime !== file.mtimeMs) return false;
  return entry.problem === undefined || !opens(file.path);
}

function opens(path: string): boolean {
  try {
    closeSync(openSync(path, 'r'));
    return true;
  } catch {
    return false;
  }
}

/** Inode, size and time of a file; '' for one that is not there. */
export function markOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? `${stat.ino} ${stat.size} ${stat.mtimeMs}` : '';
}

/** Whether the files beside a file are what they were; each is looked at once in a run. */
export function siblingsCheck(): (entry: Entry) => boolean {
  const marks = new Map<string, string>();
  return entry =>
    entry.siblings.every(([path, before]) => {
      let mark = marks.get(path);
      if (mark === undefined) marks.set(path, (mark = markOf(path)));
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

/** What only a refresh asks for: the facts each file tells of its sessions, and how to go on with it. */
export function saveReadings(pack: PackWriter, files: readonly FileRows[]): void {
  pack.json('readings/sessions', files.map(file => file.sessions));
  const states: Uint8Array[] = [];
  let at = 0;
  const resumes = files.map(({ resume }) => {
    if (!resume) return null;
    const { end, lines, tail, state } = resume;
    states.push(state);
    at += state.length;
    return { end, lines, tail, stateEnd: at, stateBytes: state.length };
  });
  pack.json('readings/resumes', resumes);
  pack.bytes('readings/states', Buffer.concat(states));
}

interface StoredResume extends Omit<Resume, 'state'> {
  readonly stateEnd: number;
  readonly stateBytes: number;
}

/** By file number: sessions as the file alone tells them, and where to go on. */
export function loadReadings(pack: PackReader, path: string): { sessions: Session[][]; resumes: (Resume | undefined)[] } {
  const sessions = pack.json('readings/sessions') as Session[][];
  const stored = pack.json('readings/resumes') as (StoredResume | null)[];
  if (sessions.length !== stored.length) throw new PackError(path, 'is damaged');
  let states: Uint8Array | undefined;
  const resumes = stored.map(resume => {
    if (!resume) return undefined;
    const { stateEnd, stateBytes, ...rest } = resume;
    states ??= pack.bytes('readings/states');
    return { ...rest, state: states.subarray(stateEnd - stateBytes, stateEnd) };
  });
  return { sessions, resumes };
}
