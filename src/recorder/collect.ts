import { readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { textOfBytes } from './byte-text.ts';
import { engineLines, startKernelEngine } from './engine-bpf.ts';
import type { RecordedEvent } from './events.ts';
import { findEngine } from './find-engine.ts';
import { close, EngineError, type Recorded } from './record.ts';
import { Recording, type RecordingOptions, type Root, startOf } from './recording.ts';
import { TlsSession } from './tls/session.ts';

/** One process, or every process of a name (as /proc/N/comm has it, 15 bytes), or of a control group of version 2. */
export type Running = { pid: number } | { comm: string } | { cgroup: string };

export interface CollectOptions {
  what: Running;
  env: NodeJS.ProcessEnv;
  version: string;
  writer: RecordingOptions;
  /** Also the text inside TLS, cleaned of credentials. */
  tls?: boolean;
  started?: () => void;
  /** Aborting it ends the recording; otherwise it ends with the process. One of a name or group goes on until then. */
  stop: AbortSignal;
}

/**
 * Records what runs already, and all below it; of a name or a group also what comes to be of it while the recording goes on.
 * What they did before is not in it. Needs the kernel engine.
 */
export async function collect(options: CollectOptions): Promise<Recorded> {
  const { what, writer } = options;
  const path = findEngine(options.env);
  if (path === undefined) throw new EngineError('bpf: the engine is not built (npm run build:recorder)');
  const pid = 'pid' in what ? what.pid : 0;
  const began = startOf(pid);
  if (pid > 0 && began === undefined) throw new EngineError(`there is no process ${pid}`);
  const early: string[] = [];
  let sink = (line: string): void => void early.push(line);
  const tls = options.tls ? new TlsSession() : undefined;
  const engine = await startKernelEngine(
    path,
    { ...what, io: writer.io ?? false },
    line => sink(line),
    tls && (line => tls.engineLine(line)),
  );
  if (typeof engine === 'string') throw new EngineError(`bpf: ${engine}`);
  const root = rootOf(pid, early);
  await tls?.prepare(engine, `/proc/${pid || (seenIn(early)[0]?.pid ?? 'self')}/exe`, options.env);
  let recording: Recording;
  try {
    recording = new Recording(root, 'bpf', [], options.version, { ...writer, ...what, ...(tls && { tls: tls.cap }) });
    tls?.into(recording, writer);
  } catch (error) {
    await engine.stop();
    throw error;
  }
  const lines = engineLines(recording, engine, writer.io, () => tls?.finish());
  sink = line => lines(named(line));
  for (const line of early) sink(line);
  options.started?.();
  let over = false;
  void engine.over.then(() => {
    over = true;
  });
  while (!over && !options.stop.aborted && startOf(pid) === began) await delay(100);
  await engine.stop();
  tls?.finish();
  return close(recording, {});
}

function rootOf(pid: number, early: readonly string[]): Root {
  if (pid === 0) return { pid, start_ns: 0, argv: [], cwd: '/' };
  const seen = seenIn(early).find(each => each.pid === pid);
  return { pid, start_ns: seen?.start_ns ?? 0, argv: argvOf(pid), cwd: cwdOf(pid) };
}

const seenIn = (lines: readonly string[]): { pid: number; start_ns: number }[] =>
  lines.filter(line => line.startsWith('{"type":"proc.seen"')).map(line => JSON.parse(line));

/** A process that ran before it joined shows what it runs: /proc has it as long as it lives. */
function named(line: string): string {
  if (!line.startsWith('{"type":"proc.seen"') || !line.includes('"running":true')) return line;
  const event = JSON.parse(line) as Extract<RecordedEvent, { type: 'proc.seen' }>;
  const argv = argvOf(event.pid);
  if (argv.length === 0) return line;
  return JSON.stringify({ ...event, exe: linkOf(`/proc/${event.pid}/exe`) ?? '', argv, cwd: cwdOf(event.pid) });
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

const cwdOf = (pid: number): string => linkOf(`/proc/${pid}/cwd`) ?? '/';

function linkOf(path: string): string | undefined {
  try {
    return textOfBytes(readlinkSync(path, 'buffer'));
  } catch {
    return undefined;
  }
}
