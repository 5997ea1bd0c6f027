import type { TextMatch } from './command-match.ts';

/** A tool call of a transcript. Times are CLOCK_MONOTONIC of the recording (its header converts wall time). */
export interface RecordedCall {
  id: string;
  start_ns: number;
  /** Absent: never answered; open to the end of the recording. */
  end_ns?: number;
  /** A shell command as the agent asked for it. */
  command?: string;
  /** An absolute path that a tool inside the agent's own process reads or writes. */
  path?: string;
  access?: 'r' | 'w';
  /** The same where a call names several files. */
  files?: readonly { readonly path: string; readonly access?: 'r' | 'w' }[];
  /** An MCP server by name; `servers` says which process that is. */
  server?: string;
  cwd?: string;
}

export interface Link {
  call: string;
  method: 'command' | 'order' | 'window' | 'path' | 'server';
  confidence: TextMatch | 'window' | 'incomplete';
  /** What it would have been without the gap that made it incomplete. */
  without_gap?: TextMatch | 'window';
  /** The process that was started for the call; absent for a tool inside the agent. */
  process?: string;
  /** It and all its descendants by fork ancestry, whoever their parent is now. */
  processes: string[];
  /** Sequence numbers of events done by the agent (file events), a server or a shell fed through its input itself. */
  events: number[];
  candidates: string[];
  /** Start of the process after start of the call. */
  delta_ms: number;
  cpu_ns: number;
  outlives_call: boolean;
  /** The tree handed work to a daemon or another machine, which no recording of this tree can hold. */
  outside_recording: boolean;
}

export interface Unattached {
  call: string;
  reason: 'no process' | 'twins' | 'ambiguous';
  candidates: string[];
}

export interface Correlation {
  links: Link[];
  unattached: Unattached[];
}

export interface CorrelationOptions {
  /** The agent's own process; default: the recording's first. */
  agent?: string;
  /** Process of each MCP server. */
  servers?: ReadonlyMap<string, string>;
  /** Added to both ends of a call: clocks and rows are not exact. */
  slack_ns?: number;
}

/** Whether a moment lies in a call, with slack at both ends. */
export type Covers = (call: RecordedCall, t_ns: number) => boolean;
