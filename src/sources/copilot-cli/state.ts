import type { OpenTool, Strand } from '../strand.ts';
import type { Reported } from '../usage.ts';

/** One conversation of the file: the person's, or a subagent's. */
export interface Lane {
  strand: Strand;
  isSubagent: boolean;
  /** The latest answer; NO_ROW before the first. */
  call: number;
}

/** A tool call whose end has not come. */
export interface Running extends OpenTool {
  /** Session of the conversation that asked. */
  lane: string;
  /** An answer asked for it; else it only began. */
  asked: boolean;
}

/** What is known of one model's use in the session. */
export interface ModelTotals {
  /** The sum over answers, as far as these tell. */
  told: Reported;
  /** Of earlier runs whose counters did not go on. */
  before: Reported;
  /** The latest running total. */
  latest: Reported;
  /** When that was written. */
  upTo: number;
  /** The row of what a running total shows beyond the answers; NO_ROW if there is none. */
  rest: number;
  /** What that row holds. */
  beyond: Reported;
}

/** What the reading of a file must remember between records: plain data. */
export interface FileState {
  main: string;
  /** By session id. */
  lanes: Map<string, Lane>;
  /** Rows of answers by the id of the request. */
  calls: Map<string, number>;
  tools: Map<string, Running>;
  /** Rows of hooks that run, by invocation. */
  hooks: Map<string, number>;
  models: Map<string, ModelTotals>;
  /** Answers of which only the output is known, with it. */
  partial: Map<number, number>;
  /** The start that the running totals name. */
  counting: string;
  /** The latest time seen, and the latest before the session was resumed (0 if it was not). */
  clock: number;
  left: number;
  compacting: number;
}

export function freshState(): FileState {
  return {
    main: '',
    lanes: new Map(),
    calls: new Map(),
    tools: new Map(),
    hooks: new Map(),
    models: new Map(),
    partial: new Map(),
    counting: '',
    clock: 0,
    left: 0,
    compacting: 0,
  };
}
