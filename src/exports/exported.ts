import type { Trace } from '../trace/trace.ts';

/** What an export is made of: selected operations, and what of them may be seen. */
export interface Exported {
  readonly trace: Trace;
  /** Rows that count, none of them a copy. */
  readonly rows: Uint32Array;
  /** A value of a field as it may leave: redacted, ids as pseudonyms. */
  readonly shown: (field: string, value: string) => string;
  /** A keyed hash of something that identifies an operation, the same in every run on this machine. */
  readonly keyed: (identity: string) => string;
  /** The words of a prompt as they may leave; only where a person asked for words. */
  readonly words?: ((row: number) => string) | undefined;
}

export type Chunk = string | Uint8Array;

/** The value of a field of a row as it may leave; '' where there is none. */
export function shownValue({ trace, shown }: Exported, field: string, row: number): string {
  const value = trace.value(field, row);
  return value === '' ? '' : shown(field, value);
}

/** Rows in the order of their times, then of files and bytes: the same whatever order the files were read in. */
export function inTime({ trace, rows }: Exported): number[] {
  const { ops } = trace;
  const rank = (row: number) => ops.fileRank[ops.file.get(row)] ?? ops.file.get(row);
  return [...rows].sort(
    (a, b) =>
      ops.start.get(a) - ops.start.get(b) || rank(a) - rank(b) || ops.offset.get(a) - ops.offset.get(b) || a - b,
  );
}
