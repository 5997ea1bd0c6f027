import { spawn } from 'node:child_process';
import { eachLine } from './lines.ts';
import type { Recording } from './recording.ts';
import { finishedLine } from './wire.ts';

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

/**
 * Starts the kernel engine on a process tree. `take` gets its lines from the first "seen" on. Resolves when tracing is
 * live, or to the reason why it cannot be. With `tls` it also reads plaintext where it is told to, and its lines about that
 * go there and nowhere else. It ends by itself when this process dies, because its standard input closes.
 */
export function startKernelEngine(
  path: string,
  pid: number,
  take: (line: string) => void,
  tls?: (line: string) => void,
): Promise<KernelEngine | string> {
  return new Promise(resolve => {
    // A session of its own: the terminal's signals are for the target.
    const child = spawn(path, ['--pid', String(pid), ...(tls ? ['--tls', '1'] : [])], {
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
  last: () => void = () => {},
): (line: string) => void {
  let ended = false;
  void engine.over.then(() => {
    if (!ended) recording.gap('engine_exit');
  });
  return line => {
    if (line.startsWith('{"type":"end"')) {
      ended = true;
      last();
    }
    let out: string | undefined;
    try {
      out = finishedLine(line);
    } catch {
      recording.gap('unreadable');
      return;
    }
    if (out !== undefined) recording.line(out);
  };
}
