import { randomBytes } from 'node:crypto';
import { accessSync, closeSync, constants, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UsageError } from '../trace/usage-error.ts';

/** Fails before anything is read where the output cannot be written later. */
export function checkOutput(path: string, flag = '-o'): void {
  if (path === '-') return;
  const target = statSync(path, { throwIfNoEntry: false });
  if (target?.isDirectory()) throw new UsageError(`${flag}: ${path} is a directory; name a file in it.`);
  const directory = dirname(path);
  const parent = statSync(directory, { throwIfNoEntry: false });
  if (!parent?.isDirectory()) throw new UsageError(`${flag}: there is no directory ${directory}; make it first.`);
  try {
    if (target && !target.isFile()) accessSync(path, constants.W_OK);
    else accessSync(directory, constants.W_OK | constants.X_OK);
  } catch {
    throw new UsageError(`${flag}: cannot write to ${directory}.`);
  }
}

export type Chunk = string | Uint8Array;

/** Writes what `produce` gives: to standard output for `-`, else to a temporary file beside the target, then renamed. */
export function writeOutput(path: string, produce: (sink: (chunk: Chunk) => void) => void): void {
  if (path === '-') {
    const terminal = process.stdout.isTTY === true;
    produce(chunk => writeAll(1, terminal && typeof chunk === 'string' ? harmless(chunk) : chunk, 'standard output'));
    return;
  }
  const target = statSync(path, { throwIfNoEntry: false });
  if (target && !target.isFile()) {
    const fd = openSync(path, 'w');
    try {
      produce(chunk => writeAll(fd, chunk, path));
    } finally {
      closeSync(fd);
    }
    return;
  }
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  const fd = openSync(temporary, 'wx', target ? target.mode & 0o777 : 0o644);
  let done = false;
  try {
    produce(chunk => writeAll(fd, chunk, path));
    done = true;
  } finally {
    closeSync(fd);
    if (!done) rmSync(temporary, { force: true });
  }
  renameSync(temporary, path);
}

/** Names of a history stay as they are in files; a terminal would obey some of their characters. */
function harmless(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, control => (control === '\n' || control === '\t' ? control : '\ufffd'));
}

/** Pipes take what they can: EAGAIN means again. What else goes wrong is told with `name`, but for the end of a pipe. */
function writeAll(fd: number, chunk: Chunk, name: string): void {
  const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE') throw error;
      if (code !== 'EAGAIN') throw new Error(`cannot write to ${name}: ${code ?? 'unknown reason'}`);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
