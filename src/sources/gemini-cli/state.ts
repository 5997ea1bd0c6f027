import type { OpenTool, Strand } from '../strand.ts';

/** One answer, while rows that add to it may still come. */
export interface OpenAnswer {
  row: number;
  /** The counts last written, to tell news from repetition. */
  counts: string;
}

/** What the reading of a file must remember between records: plain data. */
export interface FileState {
  strand: Strand | undefined;
  isSubagent: boolean;
  /** The SHA-256 of the working directory, until a directory with that hash is found. */
  hash: string;
  /** By message id. */
  answers: Map<string, OpenAnswer>;
  /** Messages of people by id, and snapshots by their text's beginning: each stands again in later lists. */
  heard: Set<string>;
  /** By tool call id; undefined once its result came. */
  tools: Map<string, OpenTool | undefined>;
}

export function freshState(): FileState {
  return {
    strand: undefined,
    isSubagent: false,
    hash: '',
    answers: new Map(),
    heard: new Set(),
    tools: new Map(),
  };
}
