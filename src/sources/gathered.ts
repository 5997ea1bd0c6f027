import { dropEmptyFields } from '../trace/blocks.ts';
import type { Operations } from '../trace/operations.ts';
import type { Session } from '../trace/sessions.ts';
import type { Discovery } from './find.ts';
import type { FileLedger } from './ledger.ts';
import type { Sibling } from './siblings.ts';
import type { Tail } from './tail.ts';

/** Histories in memory: operations not yet linked, and the ledger of what each file gave. */
export interface Histories {
  readonly ops: Operations;
  /** By file number. */
  readonly ledgers: FileLedger[];
  readonly discovery: Discovery;
}

/** Histories as the readers left them, and by file number what each file gave. */
export interface Gathered extends Histories {
  readonly files: readonly FileRows[];
}

/** What one file gave: a block of rows. Rows and sessions in the state of its reader count from the first of the file. */
export interface FileRows {
  /** Row of the block's first operation, and their number. */
  readonly first: number;
  readonly count: number;
  readonly ledger: FileLedger;
  /** What this file alone tells of its sessions. */
  readonly sessions: readonly Session[];
  /** Files beside it that its reader asked for, and what they were before it did; see `markOf`. */
  readonly siblings: readonly Sibling[];
  /** Where the reading of the file goes on once it has grown; undefined where it must be read again. */
  readonly resume: Resume | undefined;
  /** Why the file could not be read, or not to its end. */
  readonly problem: string | undefined;
}

export interface Resume {
  /** Offset behind the last whole line, and lines up to there. */
  readonly end: number;
  readonly lines: number;
  readonly tail: Tail;
  /** The reader's state, serialised. To be used at once: the next state that is asked for may overwrite it. */
  state(): Uint8Array;
}

/** The rows of one file, and what belongs to them. */
export type Block = Omit<FileRows, 'first' | 'count'> & { readonly ops: Operations };

/** With `lost`, rows of an earlier run may be missing, and fields that only they had. */
export function gathered(ops: Operations, files: FileRows[], discovery: Discovery, lost: boolean): Gathered {
  if (lost) dropEmptyFields(ops);
  discovery.problems.push(...files.flatMap(file => file.problem ?? []));
  ops.fileRank = Uint32Array.from(files, (_, at) => at);
  return { ops, ledgers: files.map(file => file.ledger), discovery, files };
}
