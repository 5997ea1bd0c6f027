import type { Address, Gap, RecordedEvent, RecordingHeader } from './events.ts';
import { processKey } from './events.ts';
import { addIo, type HostIo, noIo } from './io-summary.ts';

export interface Image {
  exec_id: number;
  exe: string;
  argv: string[];
  argv_truncated: boolean;
  cwd: string;
  t_ns: number;
}

export interface ProcessRecord {
  key: string;
  pid: number;
  start_ns: number;
  parent?: string;
  children: ProcessRecord[];
  /** Every program this process became, in order; empty for a fork that stayed its parent's image. */
  images: Image[];
  began_ns: number;
  ended_ns?: number;
  code?: number;
  signal?: number;
  cpu_ns?: number;
  /** The most memory it had resident, as the kernel counted at its end or samples saw. */
  max_rss_kb?: number;
  /** Still running when the recording ended. */
  alive: boolean;
}

export interface FileRecord {
  path: string;
  reads: number;
  writes: number;
  created: number;
  deleted: number;
  renamed: number;
  linked: number;
  directory: boolean;
  truncatedName: boolean;
  /** Keys of the processes, in order of first touch. */
  processes: string[];
}

export interface HostRecord extends Address {
  names: string[];
  connects: number;
  failed: number;
  accepted: number;
  bound: number;
  /** Present where --io measured it. */
  io?: HostIo;
  processes: string[];
}

export interface RecordingSummary {
  header: RecordingHeader | undefined;
  roots: ProcessRecord[];
  processes: Map<string, ProcessRecord>;
  files: Map<string, FileRecord>;
  hosts: Map<string, HostRecord>;
  /** Names looked up, with the addresses they had. */
  names: Map<string, Set<string>>;
  gaps: Gap[];
  counts: Record<string, number>;
  first_ns: number;
  last_ns: number;
  /** True when the engine wrote its last line. */
  complete: boolean;
  lost: number;
  /** The round of samples in which all processes together had most memory resident; 0 without samples. */
  peak: { rss_kb: number; t_ns: number };
  tls: TlsSummary;
}

/** HTTP messages inside TLS, and the files in which they could be read. */
export interface TlsSummary {
  messages: number;
  redacted: number;
  probes: string[];
  rows: Map<string, { dir: 'sent' | 'received'; host: string; start: string; count: number; bytes: number }>;
}

/** Builds the tree, the files and the hosts from the events of one recording, given in the order written. */
export class Summarizer {
  readonly summary: RecordingSummary = {
    header: undefined,
    roots: [],
    processes: new Map(),
    files: new Map(),
    hosts: new Map(),
    names: new Map(),
    gaps: [],
    counts: {},
    first_ns: Number.POSITIVE_INFINITY,
    last_ns: 0,
    complete: false,
    lost: 0,
    peak: { rss_kb: 0, t_ns: 0 },
    tls: { messages: 0, redacted: 0, probes: [], rows: new Map() },
  };
  private readonly hostOf = new Map<string, string>();
  private roundAt = 0;
  private roundSum = 0;

  take(event: RecordedEvent | RecordingHeader): void {
    const { summary } = this;
    if (event.type === 'recording') {
      summary.header ??= event;
      return;
    }
    summary.counts[event.type] = (summary.counts[event.type] ?? 0) + 1;
    if (event.type === 'end') {
      summary.complete = true;
      summary.lost = event.lost;
      return;
    }
    if (event.t_ns < summary.first_ns) summary.first_ns = event.t_ns;
    if (event.t_ns > summary.last_ns) summary.last_ns = event.t_ns;
    if (event.type === 'tls.probe') {
      summary.tls.probes.push(event.path);
      return;
    }
    if (event.type === 'gap') {
      summary.gaps.push(event);
      return;
    }
    const process = this.process(event.pid, event.start_ns, event.t_ns);
    switch (event.type) {
      case 'proc.fork': {
        const child = this.process(event.child_pid, event.child_start_ns, event.t_ns);
        child.parent = process.key;
        process.children.push(child);
        return;
      }
      case 'proc.seen': {
        const { exec_id, argv, exe = '', cwd = '/', t_ns } = event;
        if (argv !== undefined) process.images.push({ exec_id, exe, argv, argv_truncated: false, cwd, t_ns });
        const parent = [...summary.processes.values()].find(({ pid, alive }) => pid === event.parent_pid && alive);
        if (parent !== undefined && parent !== process) {
          process.parent = parent.key;
          parent.children.push(process);
        }
        return;
      }
      case 'proc.exec':
        process.images.push({
          exec_id: event.exec_id,
          exe: event.exe,
          argv: event.argv,
          argv_truncated: event.argv_truncated ?? false,
          cwd: event.cwd,
          t_ns: event.t_ns,
        });
        return;
      case 'proc.exit':
        process.alive = false;
        process.ended_ns = event.t_ns;
        process.code = event.code;
        process.signal = event.signal;
        if (event.cpu_ns !== undefined) process.cpu_ns = event.cpu_ns;
        if (event.max_rss_kb !== undefined) process.max_rss_kb = Math.max(process.max_rss_kb ?? 0, event.max_rss_kb);
        return;
      case 'net.name': {
        const known = summary.names.get(event.name) ?? new Set();
        for (const addr of event.addr) known.add(addr);
        summary.names.set(event.name, known);
        return;
      }
      case 'net.connect':
      case 'net.accept':
      case 'net.bind':
        this.net(event, process);
        return;
      case 'net.exchange':
      case 'net.io': {
        const host = this.host(event, process);
        host.io ??= noIo();
        addIo(host.io, event);
        if (event.type === 'net.io' && event.failed) host.failed++;
        return;
      }
      case 'proc.alive':
        return;
      case 'tls.data':
        this.text(event, process);
        return;
      case 'sample':
        this.sample(event, process);
        return;
    }
    this.file(event, process);
  }

  /** Call once after the last event. */
  end(): RecordingSummary {
    const { summary } = this;
    summary.roots = [...summary.processes.values()].filter(({ parent }) => parent === undefined);
    for (const [name, addresses] of summary.names)
      for (const host of summary.hosts.values()) if (addresses.has(host.addr)) host.names.push(name);
    if (summary.first_ns > summary.last_ns) summary.first_ns = summary.last_ns;
    return summary;
  }

  private process(pid: number, start_ns: number, t_ns: number): ProcessRecord {
    const key = processKey({ pid, start_ns });
    let known = this.summary.processes.get(key);
    if (known === undefined) {
      known = { key, pid, start_ns, children: [], images: [], began_ns: t_ns, alive: true };
      this.summary.processes.set(key, known);
    }
    return known;
  }

  private file(event: FileEvent, process: ProcessRecord): void {
    switch (event.type) {
      case 'file.rename':
        this.touched(event.from, event, process).renamed++;
        this.touched(event.to, event, process).renamed++;
        return;
      case 'file.link':
        this.touched(event.to, event, process).linked++;
        return;
      case 'file.delete':
        this.touched(event.path, event, process).deleted++;
        break;
      case 'file.mkdir': {
        const made = this.touched(event.path, event, process);
        made.created++;
        made.directory = true;
        break;
      }
      case 'file.truncate':
        this.touched(event.path, event, process).writes++;
        break;
      case 'file.open': {
        if (event.access === 'path') return;
        const file = this.touched(event.path, event, process);
        if (event.access !== 'w') file.reads++;
        if (event.access !== 'r' || event.trunc) file.writes++;
        if (event.creat) file.created++;
        break;
      }
    }
    if ('file_kind' in event && event.file_kind === 'dir') this.touched(event.path, event, process).directory = true;
  }

  private text(event: TextEvent, process: ProcessRecord): void {
    const { tls } = this.summary;
    tls.messages++;
    tls.redacted += event.redacted;
    const talk = `${process.key} ${event.conn}`;
    // An answer names no host: that of the request stands for the connection.
    if (event.host !== undefined) this.hostOf.set(talk, event.host);
    const host = event.host ?? this.hostOf.get(talk) ?? '';
    const what = `${event.dir} ${host} ${event.start}`;
    const row = tls.rows.get(what) ?? { dir: event.dir, host, start: event.start, count: 0, bytes: 0 };
    row.count++;
    row.bytes += event.len;
    tls.rows.set(what, row);
  }

  private sample(event: SampleEvent, process: ProcessRecord): void {
    const { summary } = this;
    process.max_rss_kb = Math.max(process.max_rss_kb ?? 0, event.peak_rss_kb);
    if (process.ended_ns === undefined) process.cpu_ns = event.cpu_ns; // the exit is exact where the engine tells it
    if (this.roundAt !== event.t_ns) this.roundSum = 0;
    this.roundAt = event.t_ns;
    this.roundSum += event.rss_kb;
    if (this.roundSum > summary.peak.rss_kb) summary.peak = { rss_kb: this.roundSum, t_ns: event.t_ns };
  }

  private touched(path: string, event: FileEvent, process: ProcessRecord): FileRecord {
    let file = this.summary.files.get(path);
    if (file === undefined) {
      const zero = { reads: 0, writes: 0, created: 0, deleted: 0, renamed: 0, linked: 0 };
      file = { path, ...zero, directory: false, truncatedName: false, processes: [] };
      this.summary.files.set(path, file);
    }
    if (event.path_state === 'truncated') file.truncatedName = true;
    if (!file.processes.includes(process.key)) file.processes.push(process.key);
    return file;
  }

  private net(event: NetEvent, process: ProcessRecord): void {
    const host = this.host(event, process);
    if (event.type === 'net.connect') {
      host.connects++;
      if (event.ret < 0 && !event.in_progress) host.failed++;
    } else if (event.type === 'net.accept') host.accepted++;
    else host.bound++;
  }

  private host(event: Address, process: ProcessRecord): HostRecord {
    const key = `${event.family} ${event.addr} ${event.port ?? ''}`;
    let host = this.summary.hosts.get(key);
    if (host === undefined) {
      const { family, addr, port } = event;
      host = {
        family,
        addr,
        ...(port !== undefined && { port }),
        names: [],
        connects: 0,
        failed: 0,
        accepted: 0,
        bound: 0,
        processes: [],
      };
      this.summary.hosts.set(key, host);
    }
    if (!host.processes.includes(process.key)) host.processes.push(process.key);
    return host;
  }
}

type TextEvent = Extract<RecordedEvent, { type: 'tls.data' }>;
type SampleEvent = Extract<RecordedEvent, { type: 'sample' }>;
/** A process and all below it by fork ancestry, whoever their parent is now. */
export function withDescendants(root: ProcessRecord): ProcessRecord[] {
  const out = [root];
  for (let at = 0; at < out.length; at++) out.push(...out[at]!.children);
  return out;
}

type FileEvent = Extract<RecordedEvent, { path_state: unknown }>;
type NetEvent = Extract<RecordedEvent, { type: 'net.connect' | 'net.accept' | 'net.bind' }>;
