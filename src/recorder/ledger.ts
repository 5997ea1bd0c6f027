import type { EngineName } from './events.ts';

/** Why something that belongs to a call is no effect of its own. */
export type NoEffect =
  /** A file that the call made and took away again. */
  | 'temporary'
  /** The same place in the same way, or the same host, once more. */
  | 'repeated'
  /** What the agent puts around a command. */
  | 'wrapper'
  /** A folder that was only listed, or a path that was only looked at. */
  | 'directory'
  | 'device'
  | 'local_socket'
  | 'failed_connect'
  | 'name_lookup'
  | 'listening'
  /** What went over a connection that was counted when it was made. */
  | 'traffic';

/** Why something that was recorded belongs to no call. */
export type NotAttached =
  /** Identical commands ran at the same time. */
  | 'twins'
  /** Several answers were possible. */
  | 'ambiguous'
  /** The agent's own process: what none of its tools named. */
  | 'agent'
  /** A server of tools, while no call to it or several were open. */
  | 'server'
  /** Below the agent, but no call asked for it (a hook, a status line, a check of its own). */
  | 'no_call'
  /** In the recorded tree, but not below an agent. */
  | 'outside_agent'
  /** No history of that time and place was found. */
  | 'no_session';

export type CallWithout = 'no_process' | 'twins' | 'ambiguous';

/** What became of one recording: every process and every file or network event of it is counted once. */
export interface RecordingLedger {
  readonly id: string;
  readonly engine: EngineName | '';
  /** False where a gap lies in it or it has no end. */
  readonly whole: boolean;
  readonly sessions: number;
  readonly calls: {
    /** Tool calls of these sessions in the time of the recording that could have left something. */
    readonly in_time: number;
    readonly attached: number;
    /** Of these: a gap lay in the call, so what is missing may have happened. */
    readonly incomplete: number;
    /** Of these: a part of the work was handed to a daemon or another machine, or went on after the call. */
    readonly outside_recording: number;
    readonly outlives_call: number;
    readonly not_attached: Readonly<Partial<Record<CallWithout, number>>>;
  };
  readonly processes: {
    readonly recorded: number;
    readonly attached: number;
    readonly not_attached: Readonly<Partial<Record<NotAttached, number>>>;
  };
  /** File and network events. */
  readonly events: {
    readonly recorded: number;
    /** Reads of libraries and settings that every program makes, and devices. */
    readonly system: number;
    /** Events of calls that gave an effect. */
    readonly effects: number;
    readonly without_effect: Readonly<Partial<Record<NoEffect, number>>>;
    readonly not_attached: Readonly<Partial<Record<NotAttached, number>>>;
  };
  /** Rows of the profile: what came in, and the parsed ones that went. */
  readonly effects: {
    readonly files: number;
    readonly contacts: number;
    readonly replaced_files: number;
    readonly replaced_contacts: number;
  };
  /** Calls whose time was split into CPU and waiting. */
  readonly time: {
    readonly split: number;
    readonly cpu_ns: number;
    readonly waiting_ns: number;
    /** Calls whose processes together used more CPU than time went by; their share of CPU is the whole call. */
    readonly more_cpu_than_time: number;
    /** Attached calls with a process whose CPU time is not known for the call alone. */
    readonly not_split: number;
  };
}

/** Counts by reason. */
export class Counts<Reason extends string> {
  private readonly by = new Map<Reason, number>();

  add(reason: Reason, count = 1): void {
    if (count !== 0) this.by.set(reason, (this.by.get(reason) ?? 0) + count);
  }

  addAll(others: Counts<Reason>): void {
    for (const [reason, count] of others.by) this.add(reason, count);
  }

  get total(): number {
    return [...this.by.values()].reduce((sum, count) => sum + count, 0);
  }

  /** In the order of the reasons' names, so that equal counts are equal text. */
  all(): Partial<Record<Reason, number>> {
    return Object.fromEntries([...this.by].sort(([a], [b]) => (a < b ? -1 : 1))) as Partial<Record<Reason, number>>;
  }
}
