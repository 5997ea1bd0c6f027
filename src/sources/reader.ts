import type { Keep } from '../ingest/keep.ts';
import type { Operations } from '../trace/operations.ts';
import type { FileLedger } from './ledger.ts';
import type { TraceSettings } from './spans/boundaries.ts';

/**
 * The contract of a reader. It knows its agent's records and nothing of bytes, stacks or profiles. It is handed
 * one parsed, shrunk record at a time with the byte range it came from, appends rows and columns, and keeps no
 * record. Whatever it must remember between records (open tool calls, the model of the turn) is plain data in the
 * sink's `state`, so that a grown file can be read from where it was left (`resume`).
 *
 * A reader sees the rows and sessions of its own file alone, counted from 0 and in the order in which it made them, also
 * when it goes on with a grown file. What other files tell is for `settle`.
 */
export interface Reader extends Whereabouts {
  readonly keep: Keep;
  /** True if a file with these first records (and this path) is this agent's. Must not throw on any JSON. */
  sniff(head: Head): boolean;
  /** Starts a file, or goes on with one whose earlier part gave `state`. */
  open(file: SourceFile, out: Operations, ledger: FileLedger, state?: unknown): RecordSink;
  /** True for a file that is one JSON document and not lines: the sink gets one record, the document. */
  isDocument?(path: string): boolean;
  /**
   * Reads a source that is neither lines nor a JSON document (a database), opening it itself. Gives false, having done
   * nothing, for a file that is lines or a document. Evidence (`offset`, `bytes`) is then what the reader says it is,
   * and `recordAt` resolves it. Fills the ledger's `bytes` and `lines` (rows). Throws IngestError where it cannot read.
   */
  readWhole?(file: SourceFile, out: Operations, ledger: FileLedger): boolean;
  /** True if a file that is no text is this agent's. May open it. Must not throw. */
  sniffWhole?(path: string): boolean;
  /** The record that the evidence of an operation of `readWhole` names; undefined if it is there no more. */
  recordAt?(path: string, offset: number, bytes: number): unknown;
  /** Files beside this one whose change is a change of it (the log of a database). */
  dependsOn?(path: string): readonly string[];
  /** True for a file that belongs to another one and tells nothing by itself (metadata beside a transcript). */
  companion?(path: string): boolean;
  /**
   * Why a copy of a file in another place could not be read like the file itself, as a clause that follows "not kept:";
   * undefined where it can. Without it, it always can: whatever else the reader needs it asks `sibling` for.
   */
  needsItsPlace?(path: string): string | undefined;
  /**
   * Cross-file corrections after all files are read and before the general link (for instance fork prefixes). It may
   * change `key`, `flags`, `end`, `parent`, `model` and token counts of rows, facts of sessions and notes of ledgers, and
   * append rows; nothing else, because a stored history is settled again from what the readers made when it changes.
   * And it may relate files only by what `store/families.ts` knows: a session they share, one that names another
   * (as its parent or origin, by the call that spawned it), equal keys of rows. Files that are related by nothing of
   * that are not settled again when another one changes.
   */
  settle?(out: Operations, ledgers: readonly FileLedger[]): void;
}

/** What is known of an agent before any of its files is read: a run over a history that is stored already needs no more. */
export interface Whereabouts {
  readonly agent: string;
  /** Raised when the rows a reader makes change, so that stored ones are made again. */
  readonly version: number;
  /** Settings that change the rows, where they are not the usual ones; and in words: rows stored under others are not reused. */
  readonly settings?: TraceSettings;
  readonly variant?: string;
  /** Where this agent's histories lie for a home directory and an environment; existence is checked by discover. */
  roots(home: string, env: NodeJS.ProcessEnv): Root[];
  /** What a file is a version of, where an agent keeps one history in several places; the smallest rank is read. */
  identity?(path: string): { readonly id: string; readonly rank: number } | undefined;
}

export interface Root {
  readonly path: string;
  /** How it was found, for `doctor`: "HOME/.claude/projects", "CODEX_HOME". */
  readonly from: string;
  /** Takes a path relative to the root, with forward slashes; false for indexes and other files of the agent. */
  accepts(relative: string): boolean;
}

export interface Head {
  readonly path: string;
  /** The first records that parsed, at most 20, whole. */
  readonly records: readonly unknown[];
  /** The whole file, shrunk as records are, where it is one JSON value over several lines; undefined for all others. */
  readonly document?: unknown;
}

export interface SourceFile {
  /** What rows and sessions made from this file carry as their file; set right when the blocks of all files are put together. */
  readonly index: number;
  readonly path: string;
  /** JSON files that lie beside it and belong to it (Claude Code's agent-*.meta.json), parsed; undefined if absent. */
  sibling(name: string): unknown;
}

export interface RecordSink {
  /** One record: any JSON value, shrunk by `keep`, from `offset` for `bytes` bytes (without the newline). Never throws. */
  record(value: unknown, offset: number, bytes: number): void;
  /**
   * The file is read to its end; gives the state for `resume` (must survive structuredClone), or undefined if a grown
   * file must be read again from its start.
   */
  end(): unknown;
}
