import { spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import type { Socket } from 'node:net';

/** Waits until nobody writes to descriptor 3, then takes words until the last writer is gone. */
const DRAIN = 'read -r _ <&3; exec 3<&-; cat; rm -f "$1/trace"; rmdir "$1"';

/** Someone who takes strace's words when the recorder no longer does. */
export interface Drain {
  /** From now on it does. */
  take(): void;
}

/**
 * Processes that live on keep their strace: without a tracer their filtered calls would fail, and with nobody at the other end of its
 * pipe strace complains about every call on the command's own standard error. So a process beside the recorder holds that
 * end too. It reads once the recorder stops, is done or was killed, whichever comes first, and then takes `dir` away, in which
 * the pipe `trace` lies.
 */
export function drainBeside(dir: string): Drain {
  // A description of its own: Node gives a child blocking standard streams, so that it waits for words and ends with the last writer.
  const fifo = openSync(`${dir}/trace`, constants.O_RDONLY | constants.O_NONBLOCK);
  // A session of its own: the terminal's signals are for the target.
  const child = spawn('/bin/sh', ['-c', DRAIN, 'sh', dir], {
    stdio: [fifo, 'ignore', 'ignore', 'pipe'],
    detached: true,
  });
  closeSync(fifo);
  child.on('error', () => {});
  child.unref();
  const line = child.stdio[3] as Socket | null;
  line?.on('error', () => {});
  line?.unref();
  return { take: () => void line?.destroy() };
}
