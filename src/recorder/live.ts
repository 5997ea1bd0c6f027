import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { processKey, type RecordedEvent, type RecordingHeader } from './events.ts';
import { GrowingPart } from './live-reader.ts';
import { eventOf } from './parse-event.ts';
import { RUNNING } from './place.ts';
import { recordingsIn } from './reader.ts';
import { startOf } from './recording.ts';

/** A process of a recording under way, alive as far as the recording tells. */
export interface LiveProcess {
  readonly key: string;
  readonly pid: number;
  readonly start_ns: number;
  parent: string | undefined;
  /** Arguments of the program that it is now; of the parent's where it has none of its own. */
  argv: readonly string[];
  readonly began_ns: number;
  readonly hosts: Set<string>;
}

/** A recording under way: what is alive now, and what was counted since it began. */
export interface LiveRecording {
  readonly id: string;
  /** What was recorded: the arguments of its first program. */
  readonly argv: readonly string[];
  /** Milliseconds since the epoch. */
  readonly began: number;
  readonly engine: string;
  readonly started: number;
  readonly ended: number;
  /** Of the ended ones those with an exit code or a signal. */
  readonly failed: number;
  readonly gaps: number;
  readonly processes: ReadonlyMap<string, LiveProcess>;
}

/** Lines that need no parsing: they are most of all and tell nothing of processes and addresses. */
const PASSED = /^\{"type":"(?:file|io|tls|sample)\./;

const MOST_GONE = 10_000;

/** Follows the recordings under way in a folder; each look reads what was written since the last. */
export class LiveRecordings {
  private readonly dir: string;
  private readonly followed = new Map<string, Followed>();

  constructor(dir: string) {
    this.dir = dir;
  }

  /** Those that have a recorder, by when they began. */
  async refresh(): Promise<LiveRecording[]> {
    const running = new Set(runningIn(this.dir));
    for (const [id, followed] of this.followed) {
      if (running.has(id)) continue;
      followed.close();
      this.followed.delete(id);
    }
    for (const id of running) {
      const followed = this.followed.get(id) ?? new Followed(this.dir, id);
      this.followed.set(id, followed);
      await followed.readOn();
    }
    return [...this.followed.values()]
      .flatMap(({ recording }) => recording ?? [])
      .sort((a, b) => a.began - b.began || (a.id < b.id ? -1 : 1));
  }

  close(): void {
    for (const followed of this.followed.values()) followed.close();
    this.followed.clear();
  }
}

function runningIn(dir: string): string[] {
  let names: string[];
  try {
    names = readdirSync(dir);
  } catch {
    return [];
  }
  return names.flatMap(name => {
    const id = RUNNING.exec(name)?.[1];
    if (id === undefined) return [];
    try {
      const { pid, start } = JSON.parse(readFileSync(join(dir, name), 'utf8')) as { pid: number; start: number };
      // The number may be another process by now: its start time tells.
      return startOf(pid) === start ? [id] : [];
    } catch {
      return [];
    }
  });
}

type Counting = Omit<LiveRecording, 'started' | 'ended' | 'failed' | 'gaps'> & {
  started: number;
  ended: number;
  failed: number;
  gaps: number;
};

class Followed {
  recording: Counting | undefined;
  private readonly dir: string;
  private readonly id: string;
  private readonly parts = new Map<string, GrowingPart>();
  private readonly processes = new Map<string, LiveProcess>();
  /** Processes that ended a while ago: what comes late of them brings none of them back. */
  private readonly gone = new Set<string>();
  /** Names that were looked up, by address. */
  private readonly names = new Map<string, string>();

  constructor(dir: string, id: string) {
    this.dir = dir;
    this.id = id;
  }

  async readOn(): Promise<void> {
    let paths: readonly string[] = [];
    try {
      paths = recordingsIn(this.dir).find(({ id }) => id === this.id)?.parts ?? [];
    } catch {
      return;
    }
    for (const path of paths) {
      const part = this.parts.get(path) ?? new GrowingPart(path);
      this.parts.set(path, part);
      for (const line of await part.next()) this.line(line);
    }
  }

  close(): void {
    for (const part of this.parts.values()) part.close();
  }

  private line(line: string): void {
    if (PASSED.test(line)) return;
    const event = eventOf(line);
    // A line that is broken costs itself.
    if (event !== undefined) this.take(event);
  }

  private take(event: RecordedEvent | RecordingHeader): void {
    if (event.type === 'recording') {
      this.recording ??= {
        id: event.id,
        argv: event.root.argv,
        began: event.t0_wall_ms,
        engine: event.engine.name,
        started: 0,
        ended: 0,
        failed: 0,
        gaps: 0,
        processes: this.processes,
      };
      return;
    }
    const { recording } = this;
    if (recording === undefined || event.type === 'end' || event.type === 'tls.probe') return;
    if (event.type === 'gap') {
      recording.gaps++;
      return;
    }
    if (event.type === 'proc.exit') {
      const key = processKey(event);
      if (this.gone.has(key)) return;
      this.process(event.pid, event.start_ns, event.t_ns, undefined);
      this.processes.delete(key);
      if (this.gone.size >= MOST_GONE) this.gone.clear();
      this.gone.add(key);
      recording.ended++;
      if (event.code !== 0 || event.signal !== 0) recording.failed++;
      return;
    }
    if (this.gone.has(processKey(event))) return;
    const doer = this.process(event.pid, event.start_ns, event.t_ns, undefined);
    if (event.type === 'proc.seen')
      doer.parent ??= [...this.processes.values()].find(({ pid }) => pid === event.parent_pid && pid !== doer.pid)?.key;
    else if (event.type === 'proc.fork') this.process(event.child_pid, event.child_start_ns, event.t_ns, doer);
    else if (event.type === 'proc.exec') doer.argv = event.argv.length > 0 ? event.argv : [event.exe];
    else if (event.type === 'net.name') for (const address of event.addr) this.names.set(address, event.name);
    else if (event.type === 'net.connect' && event.family !== 'unix' && event.family !== 'other')
      doer.hosts.add(this.names.get(event.addr) ?? event.addr);
  }

  private process(pid: number, start_ns: number, t_ns: number, parent: LiveProcess | undefined): LiveProcess {
    const key = processKey({ pid, start_ns });
    let process = this.processes.get(key);
    if (process === undefined) {
      process = { key, pid, start_ns, parent: parent?.key, argv: parent?.argv ?? [], began_ns: t_ns, hosts: new Set() };
      this.processes.set(key, process);
      if (this.recording) this.recording.started++;
    }
    return process;
  }
}
