import { spawn } from 'node:child_process';
import { IoMeter, type SocketCall } from './io-meter.ts';
import { eachLine } from './lines.ts';
import type { Recording } from './recording.ts';
import { finishedLine, isSocketCall, socketCall } from './wire.ts';

/** How long the kernel may take to check and attach the program. */
const READY_MS = 20_000;

export interface KernelEngine {
  /** Ends it; resolves when its last line has been taken. */
  stop(): Promise<void>;
  /** Writes a line to it. */
  say(line: string): void;
  /** Resolves when it is over, however that came. */
  over: Promise<void>;
}

/** Whom the engine follows: a process, all of a name, or a control group; and whether it measures connections. */
export type Followed = ({ pid: number } | { comm: string } | { cgroup: string }) & { io?: boolean };

/**
 * Starts the kernel engine. `take` gets its lines from the first "seen" on. Resolves when tracing is
 * live, or to the reason why it cannot be. With `tls` it also reads plaintext where it is told to, and its lines about that
 * go there and nowhere else. It ends by itself when this process dies, because its standard input closes.
 */
export function startKernelEngine(
  path: string,
  { io, ...followed }: Followed,
  take: (line: string) => void,
  tls?: (line: string) => void,
): Promise<KernelEngine | string> {
  return new Promise(resolve => {
    // A session of its own: the terminal's signals are for the target.
    const args = [
      ...Object.entries(followed).flatMap(([key, value]) => [`--${key}`, String(value)]),
      ...(io ? ['--io', 'yes'] : []),
      ...(tls ? ['--tls', '1'] : []),
    ];
    const child = spawn(path, args, {
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    });
    child.stdin.on('error', () => {});
    child.once('error', error => resolve(`the engine could not be started: ${error.message}`));
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      resolve('the engine was not ready in time');
    }, READY_MS);
    const over = eachLine(child.stdout, line => {
      if (line.startsWith('{"type":"ready"')) return;
      if (line.startsWith('{"type":"tls.')) {
        tls?.(line);
        return;
      }
      if (line.startsWith('{"type":"seeded"')) {
        clearTimeout(timer);
        resolve({ stop, over, say: text => void child.stdin.write(text) });
      } else if (line.startsWith('{"type":"refused"')) {
        clearTimeout(timer);
        resolve(String((JSON.parse(line) as { why: string }).why));
      } else take(line);
    });
    void over.then(() => {
      clearTimeout(timer);
      resolve('the engine ended before it was ready');
    });
    const stop = async (): Promise<void> => {
      child.stdin.end();
      const hard = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await over;
      clearTimeout(hard);
    };
  });
}

/**
 * Where the engine's lines go once there is a recording; `last` is called before its last line. An engine that ends without
 * one leaves a gap.
 */
export function engineLines(
  recording: Recording,
  engine: KernelEngine,
  io = false,
  last: () => void = () => {},
): (line: string) => void {
  let ended = false;
  const meter = io ? new IoMeter(event => recording.line(JSON.stringify(event))) : undefined;
  void engine.over.then(() => {
    if (ended) return;
    meter?.end(Number(process.hrtime.bigint()));
    recording.gap('engine_exit');
  });
  return line => {
    if (line.startsWith('{"type":"end"')) {
      ended = true;
      last();
      meter?.end(Number(process.hrtime.bigint()));
    }
    let out: string | undefined;
    try {
      if (meter !== undefined && measured(meter, line)) return;
      out = finishedLine(line);
    } catch {
      recording.gap('unreadable');
      return;
    }
    if (out !== undefined) recording.line(out);
  };
}

/** Gives the meter what it has to know; true where the line was for the meter alone. */
function measured(meter: IoMeter, line: string): boolean {
  if (isSocketCall(line)) {
    meter.take(socketCall(line));
    return true;
  }
  if (line.startsWith('{"type":"proc.exit"')) {
    const event = JSON.parse(line) as { pid: number; start_ns: number; t_ns: number };
    meter.processEnded(event, event.t_ns);
  } else if (line.startsWith('{"type":"net.hello"')) meter.hello((JSON.parse(line) as { conn: number }).conn);
  else if (line.startsWith('{"type":"net.accept"')) meter.take(accepted(line));
  return false;
}

function accepted(line: string): SocketCall {
  const raw = JSON.parse(line) as SocketCall & { t_ns: number; sockaddr: string };
  const at = { from_ns: raw.t_ns, to_ns: raw.t_ns, tid: 0, bytes: 0, waited_ns: 0, blocked_ns: 0 };
  return { ...raw, ...at, op: 'accept', peer: raw.sockaddr };
}
