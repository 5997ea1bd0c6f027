/**
 * What a recording holds: a header, then one event a line. `t_ns` is CLOCK_MONOTONIC, `start_ns` when the process began
 * (CLOCK_BOOTTIME from the kernel, first sight from strace). A process is (pid, start_ns): numbers come round again. An image is a
 * process and its `exec_id`, because a shell's last command replaces the shell.
 * Text comes from bytes: a byte that is not UTF-8 stands as the lone surrogate U+DC00 + byte, so no name is lost.
 */
export interface RecordingHeader {
  v: 1;
  type: 'recording';
  id: string;
  engine: { name: EngineName; version: string; fell_back?: string[] };
  kernel: string;
  boot_id: string;
  t0_wall_ms: number;
  t0_mono_ns: number;
  root: { pid: number; start_ns: number; argv: string[]; cwd: string };
  /** comm, cgroup: no one tree, but every process of that name or group, each with all below it; the root's pid is then 0. */
  filters: { tree: true; comm?: string; cgroup?: string };
  /**
   * `bytes`: what went over connections was measured (--io): net.exchange and net.io. `cpu_mem_ms`: the interval of `sample` events,
   * where they were asked for. `tls`: how text of the target's own program can be read, as far as that was known when it began.
   */
  caps: {
    files: boolean;
    bytes: boolean;
    tls: 'openssl' | 'boringssl-offset' | 'none';
    cpu: boolean;
    cpu_mem_ms?: number;
  };
  redaction: 'none';
  /** What this engine cannot see, in words. */
  gaps: string[];
}

export type EngineName = 'bpf' | 'strace' | 'none';

/** Who did it. */
export interface Doer {
  /** Names the event within its recording; 0 where the recorder itself made it of several others. */
  seq: number;
  t_ns: number;
  pid: number;
  start_ns: number;
  exec_id: number;
}

/** kernel: walked in the kernel. resolved: joined from a true directory and the given name. truncated: too deep or unreadable. */
export type PathState = 'kernel' | 'resolved' | 'truncated';

export type RecordedEvent =
  /**
   * It was there when the recording began, or joined it. `running`: with a program that it had already, and what that was, where
   * /proc still told; else it joined by becoming the program of the proc.exec that follows.
   */
  | (Doer & { type: 'proc.seen'; parent_pid: number; running?: true; exe?: string; argv?: string[]; cwd?: string })
  | (Doer & { type: 'proc.alive' })
  | (Doer & { type: 'proc.fork'; child_pid: number; child_start_ns: number })
  | (Doer & {
      type: 'proc.exec';
      exe: string;
      argv: string[];
      cwd: string;
      argv_source: 'bpf' | 'strace';
      argv_truncated?: boolean;
    })
  | (Doer & { type: 'proc.exit'; code: number; signal: number; cpu_ns?: number; max_rss_kb?: number })
  | (Doer & { type: 'sample'; cpu_ns: number; rss_kb: number; peak_rss_kb: number })
  | (Doer & {
      type: 'file.open';
      path: string;
      path_state: PathState;
      access: 'r' | 'w' | 'rw' | 'path';
      /** True: this call made the file. Undefined: the engine cannot tell (strace sees only O_CREAT). */
      creat?: boolean;
      trunc: boolean;
      ret: number;
      file_kind?: FileKind;
    })
  | (Doer & {
      type: 'file.delete' | 'file.mkdir' | 'file.truncate';
      path: string;
      path_state: PathState;
      file_kind?: FileKind;
    })
  | (Doer & { type: 'file.rename'; from: string; to: string; path_state: PathState; exchange?: boolean })
  | (Doer & { type: 'file.link'; from: string; to: string; symbolic: boolean; path_state: PathState })
  | (Doer &
      Address & {
        type: 'net.connect' | 'net.accept' | 'net.bind';
        ret: number;
        in_progress?: boolean;
        socket?: string;
        /** The socket's inode number: the same in all events of one connection. */
        conn?: number;
      })
  | (Doer & {
      type: 'net.name';
      name: string;
      addr: string[];
      /** sni: the name a TLS client gave to the server that it was connected to, `addr`. */
      source: 'dns' | 'sni';
      confidence: 'asked' | 'answered' | 'sent';
    })
  | NetExchange
  | NetIo
  | (Doer & {
      /** One HTTP/1.1 message inside TLS. `message` counts those of its direction on the connection. */
      type: 'tls.data';
      dir: 'sent' | 'received';
      conn: number;
      message: number;
      first_ns: number;
      /** Bytes on the connection, and how many of the body were captured. */
      len: number;
      captured: number;
      whole: boolean;
      /** The first line, without credentials. */
      start: string;
      host?: string;
      /** The line of the text file that holds it; absent when it was not kept. */
      text_ref?: number;
      /** How many secrets were taken out. */
      redacted: number;
    })
  | TlsProbed
  | Gap
  | { type: 'end'; events: number; lost: number };

export type FileKind = 'dir' | 'fifo' | 'device';

/**
 * A question on a connection and its answer, as the asking side saw them (only with --io). A question is all that was sent until
 * something was received; its answer is all that was received until something was sent again. Written when it is over. Where the
 * server speaks first, the question is the connecting itself and `sent` is 0. HTTP/2 mixes several requests into one exchange.
 */
export type NetExchange = Doer &
  Address & {
    type: 'net.exchange';
    conn: number;
    /** 1, 2, ... on this connection. */
    n: number;
    /** Bytes. */
    sent: number;
    received: number;
    /** CLOCK_MONOTONIC: first send began, last send ended, first and last receive ended. No first: never answered. */
    from_ns: number;
    asked_ns: number;
    first_ns?: number;
    last_ns?: number;
    /**
     * How long, between asked_ns and first_ns, the thread that asked stood still in poll, select, epoll or a call on a socket. Absent
     * where another thread took the answer: then only first_ns - asked_ns is known.
     */
    blocked_ns?: number;
    /** The same process waited for other answers in that time: blocked_ns stands in their exchanges too. */
    shared?: true;
    /** What was sent was the greeting of TLS (a ClientHello): the answer's time is the network's, not the service's. */
    handshake?: true;
  };

/** What went over a connection (only with --io), written when it is closed, or its process or the recording ended. */
export type NetIo = Doer &
  Address & {
    type: 'net.io';
    conn: number;
    /** Who connected. unknown: it was open before the recording, and nothing was sent or received that tells. */
    role: 'client' | 'server' | 'unknown';
    socket: 'stream' | 'dgram' | 'other';
    /** When connecting began; absent where it was open before, or accepted by somebody else. */
    opened_ns?: number;
    /** Until the connection stood. strace: until the program noticed. Absent where it never did. */
    connect_ns?: number;
    /** Bytes, and calls that carried some. */
    sent: number;
    received: number;
    sends: number;
    receives: number;
    exchanges: number;
    /** All standing still before a receive on this connection, also between the parts of an answer. 0 of a server. */
    blocked_ns: number;
    /** Part of blocked_ns that another connection has claimed before: blocked_ns - shared_ns may be added up. */
    shared_ns: number;
    /** Connecting went on in the background and failed. */
    failed?: true;
    ended: 'closed' | 'exit' | 'recording';
  };

/** Something that is not in the recording although it happened, or may have. Where a gap lies, absence proves nothing. */
export interface Gap {
  type: 'gap';
  seq: number;
  t_ns: number;
  reason:
    | 'lost'
    | 'untracked'
    | 'io_uring'
    | '32bit'
    | 'engine_exit'
    | 'rotated'
    | 'stopped'
    | 'not_recorded'
    | 'unreadable'
    | 'tls_unavailable'
    | 'tls_not_http1'
    | 'tls_lost';
  count: number;
  from_ns?: number;
  to_ns?: number;
  pid?: number;
  start_ns?: number;
  /** What it is about, in words. */
  what?: string;
}

/** Text of TLS can be read in whatever runs or maps this file. */
export interface TlsProbed {
  type: 'tls.probe';
  seq: number;
  t_ns: number;
  path: string;
  library: 'openssl' | 'boringssl';
  how: 'symbols' | 'fingerprint';
  functions: string[];
}

export interface Address {
  family: 'inet' | 'inet6' | 'unix' | 'other';
  /** An IP address, or the socket's path; `@name` for an abstract one; empty for an unnamed one. */
  addr: string;
  port?: number;
}

export const processKey = (of: { pid: number; start_ns: number }): string => `${of.pid}:${of.start_ns}`;

/** What a process did to a file or the network. */
export type Deed = Extract<RecordedEvent, { type: `file.${string}` | `net.${string}` }>;

export const isDeed = (event: RecordedEvent | RecordingHeader): event is Deed =>
  event.type.startsWith('file.') || event.type.startsWith('net.');

export type Contact = Extract<Deed, { family: unknown }>;
