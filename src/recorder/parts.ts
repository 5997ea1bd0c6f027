import type { Agents } from './belonging.ts';
import type { Correlation, Link } from './links.ts';
import type { ProcessRecord } from './summary.ts';

/** A tool call with what was recorded of it. */
export interface RecordedToolCall {
  readonly row: number;
  /** More than one where a server or a shell fed through its input did the work. */
  readonly links: readonly Link[];
  readonly processes: readonly ProcessRecord[];
}

/** Processes that are no work of a call by themselves. */
export interface Remaining {
  readonly agents: ReadonlySet<ProcessRecord>;
  readonly servers: readonly ProcessRecord[];
}

/** What one recording shows of a history. */
export interface Parts {
  readonly agents: Agents;
  readonly calls: readonly RecordedToolCall[];
  /** Calls that left nothing that could be found, or more than one answer. */
  readonly unattached: Correlation['unattached'];
  readonly inTime: number;
  readonly remaining: Remaining;
}
