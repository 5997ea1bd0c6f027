import { readFileSync } from 'node:fs';
import type { EngineName, RecordedEvent } from './events.ts';
import { ticksOf, type Usage, usageOf } from './proc-sample.ts';

/** What the samples go into, and where it is learned whom to look at. */
export interface Sampled {
  readonly engine: EngineName;
  line(line: string): void;
  listen(take: (line: string) => void): void;
}

interface Watched {
  pid: number;
  start_ns: number;
  exec_id: number;
  /** Found at the first look where the engine does not tell it. */
  start_ticks: number | undefined;
}

/** Rounds take at most this share of the time: with very many processes they come less often than was asked for. */
const SHARE = 0.05;

/**
 * CPU time and memory of every process of a recording, at a steady interval, as `sample` events. Who belongs to the tree is
 * learned from the recording's own events. All samples of a round have one `t_ns`, so that a round can be added up.
 * A process that lives between two rounds has no sample.
 */
export class Sampler {
  private readonly watched = new Map<number, Watched>();
  private readonly recording: Sampled;
  private readonly interval_ms: number;
  private readonly read: (pid: number) => Usage | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(recording: Sampled, interval_ms: number, read = usageOfProcess) {
    this.recording = recording;
    this.interval_ms = interval_ms;
    this.read = read;
    recording.listen(line => {
      if (line.startsWith('{"type":"proc.')) this.take(JSON.parse(line) as RecordedEvent);
    });
    this.schedule(interval_ms);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** One look at every process that is known to live. */
  round(): void {
    const t_ns = Number(process.hrtime.bigint());
    for (const of of this.watched.values()) {
      const usage = this.read(of.pid);
      if (usage === undefined) continue;
      of.start_ticks ??= usage.start_ticks;
      // The number is another process by now; our own has ended, and the event that says so is on its way.
      if (of.start_ticks !== usage.start_ticks) continue;
      const { pid, start_ns, exec_id } = of;
      const { cpu_ns, rss_kb, peak_rss_kb } = usage;
      this.recording.line(
        JSON.stringify({ type: 'sample', seq: 0, t_ns, pid, start_ns, exec_id, cpu_ns, rss_kb, peak_rss_kb }),
      );
    }
  }

  private schedule(wait_ms: number): void {
    this.timer = setTimeout(() => {
      const began = performance.now();
      this.round();
      if (this.timer === undefined) return;
      const took = performance.now() - began;
      this.schedule(Math.max(this.interval_ms - took, took / SHARE));
    }, wait_ms);
    this.timer.unref();
  }

  private take(event: RecordedEvent): void {
    switch (event.type) {
      case 'proc.fork':
        this.watch(event.child_pid, event.child_start_ns, 0);
        return;
      case 'proc.seen':
      case 'proc.exec':
        this.watch(event.pid, event.start_ns, event.exec_id);
        return;
      case 'proc.exit':
        if (this.watched.get(event.pid)?.start_ns === event.start_ns) this.watched.delete(event.pid);
    }
  }

  private watch(pid: number, start_ns: number, exec_id: number): void {
    const known = this.watched.get(pid);
    if (known?.start_ns === start_ns) known.exec_id = exec_id;
    else {
      const start_ticks = this.recording.engine === 'bpf' ? ticksOf(start_ns) : undefined;
      this.watched.set(pid, { pid, start_ns, exec_id, start_ticks });
    }
  }
}

function usageOfProcess(pid: number): Usage | undefined {
  try {
    return usageOf(readFileSync(`/proc/${pid}/stat`, 'latin1'), readFileSync(`/proc/${pid}/status`, 'latin1'));
  } catch {
    return undefined; // it has just ended
  }
}
