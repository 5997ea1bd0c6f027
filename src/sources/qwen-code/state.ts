import type { OpenTool, Strand } from '../strand.ts';

/** A call told so far by one of the two records that tell of each: the telemetry, or the answer. */
export interface Half {
  row: number;
  /** Its counts, by which the other record knows it. */
  counts: string;
}

/** One conversation of the file. */
export interface Lane {
  strand: Strand;
  /** Calls of the telemetry whose answer has not come. */
  measured: Half[];
  /** Calls of answers that no telemetry has told. */
  answered: Half[];
  /** The call that a further row of the same answer adds to; NO_ROW once something else was said. */
  last: number;
  /** The row of the latest answer; -1 before the first. */
  answer: number;
  /** How often each vector of counts was seen: two files that tell one subagent's calls agree on the n-th. */
  seen: Map<string, number>;
}

/** A tool call; `timed` where the telemetry told exactly when it ran. */
export interface TimedTool extends OpenTool {
  timed: boolean;
}

/** What the reading of a file must remember between records: plain data. */
export interface FileState {
  /** By session. */
  lanes: Map<string, Lane>;
  /** By tool call id. */
  tools: Map<string, TimedTool>;
}

export function freshState(): FileState {
  return { lanes: new Map(), tools: new Map() };
}
