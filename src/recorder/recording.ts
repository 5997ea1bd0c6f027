import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, release } from 'node:os';
import { join } from 'node:path';
import type { EngineName, Gap, RecordedEvent, RecordingHeader } from './events.ts';
import { runningName } from './place.ts';
import { Sampler } from './sampler.ts';
import { RecordingWriter, type WriterOptions } from './writer.ts';

/** What each engine cannot see. Said in every header, so that a reader never takes silence for proof. */
const UNSEEN: Readonly<Record<EngineName, string[]>> = {
  bpf: [
    'bytes read and written',
    'stat-only access',
    'names asked for or told with plain write()',
    'files opened through io_uring',
    '32-bit programs',
    'daemons outside the tree',
  ],
  strace: [
    'CPU time',
    'bytes read and written',
    'stat-only access',
    'names asked for or told with plain write()',
    'set-user-ID programs run without their rights',
    'files opened through io_uring',
    'daemons outside the tree',
  ],
  none: ['everything: only the agent’s own transcript tells'],
};

const SEEN_BY_IO = ['bytes read and written', 'names asked for or told with plain write()'];
const UNSEEN_BY_IO: Readonly<Record<EngineName, string[]>> = {
  bpf: ['bytes of files', 'bytes moved by splice or io_uring'],
  strace: [
    'bytes of files',
    'bytes moved by splice or io_uring',
    'connections that were open before',
    'waits of less than a millisecond',
  ],
  none: [],
};

export interface Root {
  pid: number;
  start_ns: number;
  argv: readonly string[];
  cwd: string;
}

/**
 * `cpuMemMs`: how often CPU time and memory of each process are looked at; not at all without it. `io`: connections are measured.
 * `comm`, `cgroup`: not one tree is followed, but all of a name or a group.
 */
export interface RecordingOptions extends WriterOptions {
  cpuMemMs?: number;
  /** How text of TLS is read, for the header. */
  tls?: RecordingHeader['caps']['tls'];
  io?: boolean;
  comm?: string;
  cgroup?: string;
}

/** A recording under way: its header is written when the root is known, then lines, then the end. */
export class Recording {
  readonly id: string;
  readonly writer: RecordingWriter;
  readonly engine: EngineName;
  readonly gaps: { reason: string; count: number }[] = [];
  private readonly root: Root;
  private readonly running: string;
  private readonly sampler: Sampler | undefined;
  private readonly timer: NodeJS.Timeout;
  private readonly listeners: ((line: string) => void)[] = [];

  constructor(root: Root, engine: EngineName, fellBack: string[], version: string, options: RecordingOptions) {
    const { io = false, comm, cgroup } = options;
    const now = new Date();
    this.engine = engine;
    this.root = root;
    this.id = `${now.toISOString().replace(/[-:]|\.\d+/g, '')}-${randomBytes(3).toString('hex')}`;
    const header: RecordingHeader = {
      v: 1,
      type: 'recording',
      id: this.id,
      engine: { name: engine, version, ...(fellBack.length > 0 && { fell_back: fellBack }) },
      kernel: release(),
      boot_id: bootId(),
      t0_wall_ms: now.getTime(),
      t0_mono_ns: Number(process.hrtime.bigint()),
      root: { pid: root.pid, start_ns: root.start_ns, argv: [...root.argv], cwd: root.cwd },
      filters: { tree: true, ...(comm !== undefined && { comm }), ...(cgroup !== undefined && { cgroup }) },
      caps: {
        files: engine !== 'none',
        bytes: io && engine !== 'none',
        tls: options.tls ?? 'none',
        cpu: engine === 'bpf',
        ...(options.cpuMemMs && { cpu_mem_ms: options.cpuMemMs }),
      },
      redaction: 'none',
      gaps: io
        ? [...UNSEEN[engine].filter(each => !SEEN_BY_IO.includes(each)), ...UNSEEN_BY_IO[engine]]
        : UNSEEN[engine],
    };
    this.writer = new RecordingWriter(header, options);
    this.running = join(options.dir, runningName(this.id));
    writeFileSync(this.running, JSON.stringify({ pid: process.pid, start: startOf(process.pid) }), {
      mode: 0o600,
      flag: 'wx',
    });
    this.timer = setInterval(() => this.writer.flush(), 1000);
    this.timer.unref();
    if (options.cpuMemMs && engine !== 'none') this.sampler = new Sampler(this, options.cpuMemMs);
  }

  line(line: string): void {
    if (line.startsWith('{"type":"gap"')) this.note(JSON.parse(line) as Gap);
    this.writer.line(line);
    for (const take of this.listeners) take(line);
  }

  /** `take` gets every line from now on, after it was written. */
  listen(take: (line: string) => void): void {
    this.listeners.push(take);
  }

  gap(reason: Gap['reason'], from_ns?: number, what?: string): void {
    const t_ns = Number(process.hrtime.bigint());
    this.line(
      JSON.stringify({
        type: 'gap',
        seq: 0,
        t_ns,
        reason,
        count: 1,
        ...(from_ns !== undefined && { from_ns }),
        to_ns: t_ns,
        ...(what !== undefined && { what }),
      }),
    );
  }

  /** The end of the recorded program, as its parent was told it. */
  rootEnded({ code = 0, signal }: { code?: number; signal?: NodeJS.Signals }): void {
    const { pid, start_ns } = this.root;
    const ended: RecordedEvent = {
      type: 'proc.exit',
      ...{ seq: 0, t_ns: Number(process.hrtime.bigint()), pid, start_ns, exec_id: 0 },
      ...{ code, signal: signal === undefined ? 0 : constants.signals[signal] },
    };
    this.line(JSON.stringify(ended));
  }

  close(): void {
    this.sampler?.stop();
    clearInterval(this.timer);
    this.writer.close();
    rmSync(this.running, { force: true });
  }

  private note(gap: Gap): void {
    const known = this.gaps.find(({ reason }) => reason === gap.reason);
    if (known === undefined) this.gaps.push({ reason: gap.reason, count: gap.count });
    else known.count += gap.count;
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

/** When a process began, in clock ticks since boot (field 22 of /proc/N/stat), or undefined when it is gone. */
export function startOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  } catch {
    return undefined;
  }
}
