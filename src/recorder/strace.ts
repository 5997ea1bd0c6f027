import { constants } from 'node:os';
import type { Doer, RecordedEvent } from './events.ts';
import { joined } from './paths.ts';
import { callOf, directoryOf, type StraceCall, stringOf, topLevel } from './strace-line.ts';
import { type CallTimes, IO_CALLS, StraceNet } from './strace-net.ts';

/** The calls that are traced; all others run at full speed under the seccomp filter. */
export const STRACE_CALLS =
  'execve,execveat,clone,clone3,fork,vfork,open,openat,openat2,creat,unlink,unlinkat,rmdir,rename,renameat,renameat2,mkdir,mkdirat,link,linkat,symlink,symlinkat,truncate,ftruncate,chdir,fchdir,connect,accept,accept4,bind,sendto,sendmsg,sendmmsg,recvfrom,recvmsg,io_uring_setup';

/**
 * -DDD: strace is a process apart, so that the target is our own child. -xx: names cannot forge lines. -v: all of argv.
 * With `io` the bytes of every read and write are printed too, so strings are cut earlier; -T tells how long each call took.
 */
export const straceFlags = (io: boolean): string[] => [
  ...['-DDD', '-f', '--seccomp-bpf', '-xx', '-v', '-y', '-s', io ? '4096' : '70000', ...(io ? ['-T'] : []), '-q'],
  ...[
    '--absolute-timestamps=format:unix,precision:ns',
    '-e',
    'signal=!SIGCHLD',
    '-e',
    `trace=?${(io ? `${STRACE_CALLS},${IO_CALLS}` : STRACE_CALLS).replaceAll(',', ',?')}`,
  ],
];

interface Followed {
  pid: number;
  start_ns: number;
  exec_id: number;
  cwd: string;
  uring: boolean;
}

/**
 * Turns the output of `strace -f` (with straceFlags) into the events of a recording.
 * Threads count as their process. A child's first lines may come before the line that says whose child it is: they wait.
 */
export class StraceReader {
  private readonly byTask = new Map<number, Followed>();
  private readonly halves = new Map<number, string>();
  private readonly early = new Map<number, string[]>();
  private readonly net: StraceNet;
  private seq = 0;
  /** When the last line was written, CLOCK_MONOTONIC; 0 before the first. */
  latest = 0;
  private rootPid: number | undefined;
  private readonly cwd: string;
  private readonly monoFromWall: bigint;
  private readonly emit: (event: RecordedEvent) => void;

  /** `monoFromWall`: what to add to a wall-clock time in ns to get CLOCK_MONOTONIC. `io`: the lines are of straceFlags(true). */
  constructor(cwd: string, monoFromWall: bigint, emit: (event: RecordedEvent) => void, io = false) {
    this.net = new StraceNet(emit, io);
    this.cwd = cwd;
    this.monoFromWall = monoFromWall;
    this.emit = emit;
  }

  /** True when the first process has ended: everything it did has been read. */
  get rootEnded(): boolean {
    return this.rootPid !== undefined && !this.byTask.has(this.rootPid);
  }

  get events(): number {
    return this.seq;
  }

  line(line: string): void {
    const head = /^(\d+)\s+(\d+)\.(\d+) /.exec(line);
    if (head === null) return;
    const task = Number(head[1]);
    const at = Number(BigInt(head[2]! + head[3]!.padEnd(9, '0')) + this.monoFromWall);
    this.latest = Math.max(this.latest, at);
    if (this.rootPid === undefined) {
      this.rootPid = task;
      this.byTask.set(task, { pid: task, start_ns: 0, exec_id: 0, cwd: this.cwd, uring: false });
    }
    if (!this.byTask.has(task)) {
      const waiting = this.early.get(task);
      if (waiting === undefined) this.early.set(task, [line]);
      else waiting.push(line);
      return;
    }
    this.known(task, at, line.slice(head[0].length));
  }

  /**
   * Lines of tasks whose parent was never told (its own line was lost) are shown as processes without a parent. `whole`: strace told
   * all there was, so a process that has not ended is alive.
   */
  end(whole = true): void {
    for (const [task, lines] of [...this.early]) {
      this.early.delete(task);
      this.byTask.set(task, { pid: task, start_ns: 0, exec_id: 0, cwd: this.cwd, uring: false });
      for (const line of lines) this.line(line);
    }
    for (const [task, of] of this.byTask)
      if (whole && of.pid === task) this.emit({ type: 'proc.alive', ...this.doer(of, this.latest) });
    this.net.end(this.latest);
  }

  private known(task: number, at: number, text: string): void {
    const of = this.byTask.get(task)!;
    if (text.startsWith('+++')) {
      this.ended(task, of, at, text);
      return;
    }
    if (text.endsWith('<unfinished ...>')) {
      this.halves.set(task, text.slice(0, -16));
      return;
    }
    let whole = text;
    const resumed = text.startsWith('<... ');
    if (resumed) {
      const rest = text.slice(text.indexOf(' resumed>') + 9);
      whole = (this.halves.get(task) ?? '') + rest;
      this.halves.delete(task);
    }
    const call = callOf(whole);
    if (call === undefined) return;
    this.called(of, at, call);
    this.net.measure(call, task, () => this.times(of, at, whole, resumed));
  }

  /** -T prints the seconds at the end of the line; the time before it is the beginning, but the end where a line was resumed. */
  private times(of: Followed, at: number, text: string, resumed: boolean): CallTimes {
    const spent = Math.round(Number(/<(\d+\.\d+)>$/.exec(text)?.[1] ?? 0) * 1e9);
    const { pid, start_ns, exec_id } = of;
    const from_ns = resumed ? at - spent : at;
    return { seq: ++this.seq, pid, start_ns, exec_id, from_ns, to_ns: from_ns + spent };
  }

  private doer(of: Followed, t_ns: number): Doer {
    return { seq: ++this.seq, t_ns, pid: of.pid, start_ns: of.start_ns, exec_id: of.exec_id };
  }

  private ended(task: number, of: Followed, at: number, text: string): void {
    this.byTask.delete(task);
    if (of.pid !== task) return;
    const code = Number(/exited with (\d+)/.exec(text)?.[1] ?? 0);
    const name = /killed by (SIG\w+)/.exec(text)?.[1];
    const signal = name === undefined ? 0 : ((constants.signals as Record<string, number>)[name] ?? 0);
    this.emit({ type: 'proc.exit', ...this.doer(of, at), code, signal });
    this.net.processEnded(of, at);
  }

  private called(of: Followed, at: number, call: StraceCall): void {
    const { name, args, ret } = call;
    if (ret < 0 && name !== 'connect') return;
    switch (name) {
      case 'clone':
      case 'clone3':
      case 'fork':
      case 'vfork':
        this.forked(of, at, ret, args.join(',').includes('CLONE_THREAD'));
        return;
      case 'execve':
      case 'execveat':
        this.executed(of, at, name === 'execve' ? args : args.slice(1), name === 'execve' ? undefined : args[0]);
        return;
      case 'chdir':
        of.cwd = joined(of.cwd, stringOf(args[0])?.text ?? '');
        return;
      case 'fchdir':
        of.cwd = directoryOf(args[0]) ?? of.cwd;
        return;
      case 'connect':
      case 'accept':
      case 'accept4':
      case 'bind':
        this.net.connected(call, () => this.doer(of, at));
        return;
      case 'sendto':
      case 'sendmsg':
      case 'sendmmsg':
      case 'recvfrom':
      case 'recvmsg':
      case 'write':
      case 'writev':
      case 'read':
      case 'readv':
        this.net.talked(call, () => this.doer(of, at));
        return;
      case 'io_uring_setup':
        if (!of.uring) this.emit({ type: 'gap', ...this.doer(of, at), reason: 'io_uring', count: 1 });
        of.uring = true;
        return;
    }
    this.touched(of, at, call);
  }

  private forked(of: Followed, at: number, child: number, thread: boolean): void {
    const waiting = this.early.get(child) ?? [];
    if (thread) this.byTask.set(child, of);
    else {
      this.byTask.set(child, { pid: child, start_ns: at, exec_id: 0, cwd: of.cwd, uring: of.uring });
      this.emit({ type: 'proc.fork', ...this.doer(of, at), child_pid: child, child_start_ns: at });
    }
    this.early.delete(child);
    for (const line of waiting) this.line(line);
  }

  private executed(of: Followed, at: number, args: string[], dirfd: string | undefined): void {
    const path = stringOf(args[0]);
    const list = topLevel((args[1] ?? '').replace(/^\[/, '').replace(/\]$/, ''));
    const argv = list.filter(arg => arg.startsWith('"')).map(stringOf);
    of.exec_id++;
    of.uring = false;
    this.emit({
      type: 'proc.exec',
      ...this.doer(of, at),
      exe: joined(directoryOf(dirfd) ?? of.cwd, path?.text ?? ''),
      argv: argv.map(arg => arg?.text ?? ''),
      cwd: of.cwd,
      argv_source: 'strace',
      ...((list.includes('...') || argv.some(arg => arg?.cut)) && { argv_truncated: true }),
    });
  }

  /** Names are joined to the directory strace shows beside the descriptor; a plain name to the working directory. */
  private touched(of: Followed, at: number, { name, args, ret, retPath }: StraceCall): void {
    const given = (dirAt: number, nameAt: number): string => {
      const dir = dirAt < 0 ? undefined : directoryOf(args[dirAt]);
      if (dir !== undefined && args[dirAt]!.startsWith('AT_FDCWD')) of.cwd = dir;
      return joined(dir ?? of.cwd, stringOf(args[nameAt])?.text ?? '');
    };
    const path_state = 'resolved' as const;
    switch (name) {
      case 'open':
      case 'creat':
      case 'openat':
      case 'openat2': {
        const offset = name === 'openat' || name === 'openat2' ? 1 : 0;
        const plain = given(offset - 1, offset);
        const flags = name === 'creat' ? 'O_WRONLY|O_CREAT|O_TRUNC' : (args[offset + 1] ?? '');
        const path = retPath ?? plain;
        const access = flags.includes('O_PATH')
          ? 'path'
          : flags.includes('O_RDWR')
            ? 'rw'
            : flags.includes('O_WRONLY')
              ? 'w'
              : 'r';
        const device = path.startsWith('/dev/') && !path.startsWith('/dev/shm/');
        this.emit({
          type: 'file.open',
          ...this.doer(of, at),
          path,
          path_state: retPath === undefined ? path_state : 'kernel',
          access,
          ...(!flags.includes('O_CREAT') && { creat: false }),
          ...(flags.includes('O_EXCL') && flags.includes('O_CREAT') && { creat: true }),
          trunc: flags.includes('O_TRUNC'),
          ret,
          ...(flags.includes('O_DIRECTORY')
            ? { file_kind: 'dir' as const }
            : device && { file_kind: 'device' as const }),
        });
        return;
      }
      case 'unlink':
      case 'rmdir':
      case 'unlinkat': {
        const dir = name === 'rmdir' || args[2] === 'AT_REMOVEDIR';
        const path = name === 'unlinkat' ? given(0, 1) : given(-1, 0);
        this.emit({ type: 'file.delete', ...this.doer(of, at), path, path_state, ...(dir && { file_kind: 'dir' }) });
        return;
      }
      case 'mkdir':
      case 'mkdirat':
        this.emit({
          type: 'file.mkdir',
          ...this.doer(of, at),
          path: name === 'mkdir' ? given(-1, 0) : given(0, 1),
          path_state,
        });
        return;
      case 'truncate':
      case 'ftruncate': {
        const path = name === 'truncate' ? given(-1, 0) : directoryOf(args[0]);
        if (path !== undefined) this.emit({ type: 'file.truncate', ...this.doer(of, at), path, path_state });
        return;
      }
      case 'symlink':
      case 'symlinkat': {
        const to = name === 'symlink' ? given(-1, 1) : given(1, 2);
        this.emit({
          type: 'file.link',
          ...this.doer(of, at),
          from: stringOf(args[0])?.text ?? '',
          to,
          symbolic: true,
          path_state,
        });
        return;
      }
    }
    const plain = name === 'rename' || name === 'link';
    const from = plain ? given(-1, 0) : given(0, 1);
    const to = plain ? given(-1, 1) : given(2, 3);
    if (name.startsWith('rename')) {
      const exchange = args[4]?.includes('RENAME_EXCHANGE') && { exchange: true };
      this.emit({ type: 'file.rename', ...this.doer(of, at), from, to, path_state, ...exchange });
    } else if (name.startsWith('link'))
      this.emit({ type: 'file.link', ...this.doer(of, at), from, to, symbolic: false, path_state });
  }
}
