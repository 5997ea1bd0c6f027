import { execFileSync } from 'node:child_process';
import { chownSync, closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Drain, drainBeside } from './drain.ts';
import { engineLines, startKernelEngine } from './engine-bpf.ts';
import type { EngineName } from './events.ts';
import { execable } from './executable.ts';
import { findEngine, onPath } from './find-engine.ts';
import { eachLine } from './lines.ts';
import { Recording, type RecordingOptions } from './recording.ts';
import { StraceReader, straceFlags } from './strace.ts';
import { type Ending, endingOf, gated, type Person, ungated } from './target.ts';
import { TlsSession } from './tls/session.ts';

export interface RecordOptions {
  argv: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** auto takes the first of bpf, strace, none that works here. */
  engine: 'auto' | EngineName;
  version: string;
  writer: RecordingOptions;
  /** Also the text inside TLS, cleaned of credentials. */
  tls?: boolean;
  person?: Person;
  /** Told once when it is known how recording goes, before the target begins. */
  started?: (recording: Recording, fellBack: readonly string[]) => void;
  /** Aborting it ends the recording; the target goes on. */
  stop?: AbortSignal;
  /** Told the target's process number, for passing signals on. */
  running?: (pid: number) => void;
}

export interface Recorded {
  ending: Ending;
  id: string;
  engine: EngineName;
  events: number;
  gaps: readonly { reason: string; count: number }[];
  failure: string | undefined;
}

/** No engine that was asked for works here; `reasons` says why, one line an engine. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
}

/**
 * Runs a program and records its tree. The target is this process's own child with its streams and terminal; its
 * ending is given back as it was. Whatever happens to the recording, the target goes on.
 */
export async function record(options: RecordOptions): Promise<Recorded> {
  const wanted: EngineName[] = options.engine === 'auto' ? ['bpf', 'strace', 'none'] : [options.engine];
  const reasons: string[] = [];
  for (const engine of wanted) {
    const outcome = await ATTEMPTS[engine](options, reasons);
    if (typeof outcome !== 'string') return outcome;
    reasons.push(`${engine}: ${outcome}`);
  }
  throw new EngineError(reasons.join('\n'));
}

type Attempt = (options: RecordOptions, fellBack: string[]) => Promise<Recorded | string>;

const ATTEMPTS: Readonly<Record<EngineName, Attempt>> = { bpf: withKernel, strace: withStrace, none: withNothing };

async function withKernel(options: RecordOptions, fellBack: string[]): Promise<Recorded | string> {
  if (process.platform !== 'linux') return `recording needs Linux; this is ${process.platform}`;
  const path = findEngine(options.env);
  if (path === undefined) return 'the engine is not built (npm run build:recorder)';
  const io = options.writer.io ?? false;
  const target = gated(options.argv, options.cwd, options.env, options.person);
  if (target.pid === 0) return 'the target could not be started';
  const early: string[] = [];
  let sink = (line: string): void => void early.push(line);
  const tls = options.tls ? new TlsSession() : undefined;
  const engine = await startKernelEngine(
    path,
    { pid: target.pid, io },
    line => sink(line),
    tls && (line => tls.engineLine(line)),
  );
  if (typeof engine === 'string') {
    await target.abandon();
    return engine;
  }
  await tls?.prepare(engine, options.argv[0]!, options.env);
  const seen = early
    .filter(line => line.startsWith('{"type":"proc.seen"'))
    .map(line => JSON.parse(line) as { type: string; pid: number; start_ns: number })
    .find(({ pid }) => pid === target.pid);
  let recording: Recording;
  try {
    recording = new Recording(
      { pid: target.pid, start_ns: seen?.start_ns ?? 0, argv: options.argv, cwd: options.cwd },
      'bpf',
      fellBack,
      options.version,
      { ...options.writer, ...(tls && { tls: tls.cap }) },
    );
    tls?.into(recording, options.writer);
  } catch (error) {
    await Promise.all([target.abandon(), engine.stop()]);
    throw error;
  }
  sink = engineLines(recording, engine, io, () => tls?.finish());
  for (const line of early) sink(line);
  options.started?.(recording, fellBack);
  options.running?.(target.pid);
  const stop = onStop(options.stop, recording, () => engine.stop());
  target.open();
  const ending = await target.ended;
  stop.off();
  await engine.stop();
  tls?.finish();
  return close(recording, ending);
}

async function withStrace(options: RecordOptions, fellBack: string[]): Promise<Recorded | string> {
  if (process.platform !== 'linux') return `recording needs Linux; this is ${process.platform}`;
  const strace = onPath('strace', options.env);
  if (strace === undefined) return 'strace is not installed (apt-get install -y strace)';
  const refused = canTrace(strace);
  if (refused !== undefined) return refused;
  const dir = mkdtempSync(join(tmpdir(), 'agentsight-'));
  const fifo = join(dir, 'trace');
  let drain: Drain | undefined;
  try {
    execFileSync('mkfifo', ['-m', '600', fifo]);
    if (options.person) for (const path of [dir, fifo]) chownSync(path, options.person.uid, options.person.gid);
    // Held open for both, so that nobody waits for the other end and no end of file comes before strace has opened its own.
    const both = held(openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK));
    drain = drainBeside(dir);
    const io = options.writer.io ?? false;
    const argv = [strace, ...straceFlags(io), '-o', fifo, '--', ...execable(options.argv, options.env)];
    const child = ungated(argv, options.cwd, options.env, options.person);
    const ended = endingOf(child);
    if (child.pid === undefined) return 'strace could not be started';
    const fromWall = process.hrtime.bigint() - BigInt(Date.now()) * 1_000_000n;
    const root = { pid: child.pid, start_ns: 0, argv: options.argv, cwd: options.cwd };
    const recording = new Recording(root, 'strace', fellBack, options.version, options.writer);
    withoutTls(options, recording);
    options.started?.(recording, fellBack);
    options.running?.(child.pid);
    const reader = new StraceReader(options.cwd, fromWall, event => recording.line(JSON.stringify(event)), io);
    const stream = new Socket({
      fd: openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK),
      readable: true,
      writable: false,
    });
    const leave = (): void => {
      stream.destroy();
      drain?.take();
    };
    const stop = onStop(options.stop, recording, async () => leave());
    let broken = false;
    /** Nothing more comes, though the target has not been seen to end: strace was killed. */
    const breakOff = (): void => {
      if (broken || stop.done() || reader.rootEnded) return;
      broken = true;
      recording.gap('engine_exit', reader.latest);
    };
    let closed = false;
    const over = eachLine(stream, line => {
      if (both.open) both.close();
      reader.line(line);
    }).then(() => {
      closed = true;
      breakOff();
    });
    const ending = await ended;
    if (both.open) both.close();
    // What the target did is read to its last line; children that live on are not waited for.
    for (let left = 100; left > 0 && !closed && !stop.done() && !reader.rootEnded; left--) await delay(50);
    if (!stop.done()) await Promise.race([over, delay(100)]);
    stop.off();
    breakOff();
    leave();
    reader.end(!broken);
    if (!broken) recording.line(JSON.stringify({ type: 'end', events: reader.events, lost: 0 }));
    return close(recording, ending);
  } finally {
    drain?.take();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** A descriptor that is let go once. */
function held(fd: number): { open: boolean; close(): void } {
  const state = {
    open: true,
    close: () => {
      state.open = false;
      closeSync(fd);
    },
  };
  return state;
}

/** Tracing may be forbidden here (a container, a debugger around us): found out before the target is started. */
function canTrace(strace: string): string | undefined {
  try {
    execFileSync(strace, ['-f', '--seccomp-bpf', '-qq', '-e', 'trace=?execve', '-o', '/dev/null', 'true'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: 10_000,
    });
    return undefined;
  } catch (error) {
    const text = String((error as { stderr?: Buffer }).stderr ?? '').trim();
    return `strace may not trace here${text === '' ? '' : `: ${text.split('\n')[0]}`}`;
  }
}

async function withNothing(options: RecordOptions, fellBack: string[]): Promise<Recorded> {
  const child = ungated(options.argv, options.cwd, options.env, options.person);
  const ended = endingOf(child);
  const root = { pid: child.pid ?? 0, start_ns: 0, argv: options.argv, cwd: options.cwd };
  const recording = new Recording(root, 'none', fellBack, options.version, options.writer);
  recording.gap('not_recorded');
  withoutTls(options, recording);
  options.started?.(recording, fellBack);
  if (child.pid !== undefined) options.running?.(child.pid);
  const ending = await ended;
  recording.line(JSON.stringify({ type: 'end', events: 0, lost: 0 }));
  return close(recording, ending);
}

function withoutTls({ tls }: RecordOptions, recording: Recording): void {
  if (tls) recording.gap('tls_unavailable', undefined, `the engine ${recording.engine} does not read TLS`);
}

function onStop(
  signal: AbortSignal | undefined,
  recording: Recording,
  end: () => Promise<void>,
): { off(): void; done(): boolean } {
  let done = false;
  const listener = (): void => {
    done = true;
    recording.gap('stopped');
    void end();
  };
  signal?.addEventListener('abort', listener, { once: true });
  return { off: () => signal?.removeEventListener('abort', listener), done: () => done };
}

export function close(recording: Recording, ending: Ending): Recorded {
  // Nobody saw the end of the target but we.
  if (recording.gaps.some(({ reason }) => reason === 'engine_exit')) recording.rootEnded(ending);
  recording.close();
  const { id, engine, gaps, writer } = recording;
  return { ending, id, engine, events: writer.events, gaps, failure: writer.failure };
}
