import type { Keep } from '../ingest/keep.ts';
import type { Operations } from '../trace/operations.ts';
import type { FileLedger } from './ledger.ts';

/**
 * The contract of a reader. It knows its agent's records and nothing of bytes, stacks or profiles. It is handed
 * one parsed, shrunk record at a time with the byte range it came from, appends rows and columns, and keeps no
 * record. Whatever it must remember between records (open tool calls, the model of the turn) is plain data in the
 * sink's `state`, so that a grown file can be read from where it was left (`resume`).
 */
export interface Reader {
  readonly agent: string;
  /** Raised when the rows a reader makes change, so that stored ones are made again. */
  readonly version: number;
  readonly keep: Keep;
  /** Where this agent's histories lie for a home directory and an environment; existence is checked by discover. */
  roots(home: string, env: NodeJS.ProcessEnv): Root[];
  /** True if a file with these first records (and this path) is this agent's. Must not throw on any JSON. */
  sniff(head: Head): boolean;
  /** Starts a file, or goes on with one whose earlier part gave `state`. */
  open(file: SourceFile, out: Operations, ledger: FileLedger, state?: unknown): RecordSink;
  /** True for a file that is one JSON document and not lines: the sink gets one record, the document. */
  isDocument?(path: string): boolean;
  /** True for a file that belongs to another one and tells nothing by itself (metadata beside a transcript). */
  companion?(path: string): boolean;
  /** What a file is a version of, where an agent keeps one history in several places; the smallest rank is read. */
  identity?(path: string): { readonly id: string; readonly rank: number } | undefined;
  /** Cross-file corrections after all files are read and before the general link (for instance fork prefixes). */
  settle?(out: Operations, ledgers: readonly FileLedger[]): void;
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
}

export interface SourceFile {
  /** File number in the run, the evidence of operations. */
  readonly index: number;
  readonly path: string;
  /** JSON files that lie beside it and belong to it (Claude Code's agent-*.meta.json), parsed; undefined if absent. */
  sibling(name: string): unknown;
}

export interface RecordSink {
  /** One record: any JSON value, shrunk by `keep`, from `offset` for `bytes` bytes (without the newline). Never throws. */
  record(value: unknown, offset: number, bytes: number): void;
  /** The file is read to its end; gives the state for `resume` (must survive structuredClone). */
  end(): unknown;
}
