import { readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { textOfBytes } from './byte-text.ts';
import { engineLines, startKernelEngine } from './engine-bpf.ts';
import { findEngine } from './find-engine.ts';
import { close, EngineError, type Recorded } from './record.ts';
import { Recording, type RecordingOptions, startOf } from './recording.ts';
import { TlsSession } from './tls/session.ts';

export interface CollectOptions {
  pid: number;
  env: NodeJS.ProcessEnv;
  version: string;
  writer: RecordingOptions;
  /** Also the text inside TLS, cleaned of credentials. */
  tls?: boolean;
  started?: () => void;
  /** Aborting it ends the recording; otherwise it ends with the process. */
  stop: AbortSignal;
}

/**
 * Records a process that runs already, and all below it. What it did before is not in it, and programs that were running
 * show only as process numbers. Needs the kernel engine.
 */
export async function collect(options: CollectOptions): Promise<Recorded> {
  const path = findEngine(options.env);
  if (path === undefined) throw new EngineError('bpf: the engine is not built (npm run build:recorder)');
  const began = startOf(options.pid);
  if (began === undefined) throw new EngineError(`there is no process ${options.pid}`);
  const early: string[] = [];
  let sink = (line: string): void => void early.push(line);
  const tls = options.tls ? new TlsSession() : undefined;
  const engine = await startKernelEngine(path, options.pid, line => sink(line), tls && (line => tls.engineLine(line)));
  if (typeof engine === 'string') throw new EngineError(`bpf: ${engine}`);
  await tls?.prepare(engine, `/proc/${options.pid}/exe`, options.env);
  const seen = early
    .map(line => JSON.parse(line) as { pid: number; start_ns: number })
    .find(({ pid }) => pid === options.pid);
  let recording: Recording;
  try {
    const root = {
      pid: options.pid,
      start_ns: seen?.start_ns ?? 0,
      argv: argvOf(options.pid),
      cwd: cwdOf(options.pid),
    };
    recording = new Recording(root, 'bpf', [], options.version, { ...options.writer, ...(tls && { tls: tls.cap }) });
    tls?.into(recording, options.writer);
  } catch (error) {
    await engine.stop();
    throw error;
  }
  sink = engineLines(recording, engine, () => tls?.finish());
  for (const line of early) sink(line);
  options.started?.();
  let over = false;
  void engine.over.then(() => {
    over = true;
  });
  while (!over && !options.stop.aborted && startOf(options.pid) === began) await delay(100);
  await engine.stop();
  tls?.finish();
  return close(recording, {});
}

function argvOf(pid: number): string[] {
  try {
    return textOfBytes(readFileSync(`/proc/${pid}/cmdline`))
      .split('\0')
      .slice(0, -1);
  } catch {
    return [];
  }
}

function cwdOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '/';
  }
}
