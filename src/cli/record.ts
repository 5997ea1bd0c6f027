import { accessSync, constants as fsConstants, readFileSync } from 'node:fs';
import { constants, homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Running } from '../recorder/collect.ts';
import type { EngineName } from '../recorder/events.ts';
import { refusalOf } from '../recorder/executable.ts';
import { onPath } from '../recorder/find-engine.ts';
import { recordingsDirectory } from '../recorder/place.ts';
import { EngineError, record } from '../recorder/record.ts';
import type { Person } from '../recorder/target.ts';
import { makeRoom, type WriterOptions } from '../recorder/writer.ts';
import { counted } from '../trace/counted.ts';
import { UsageError } from '../trace/usage-error.ts';
import { checkMetrics, metricsBeside } from './record-metrics.ts';
import { shownPath } from './shown-path.ts';
import { VERSION } from './version.ts';

export interface RecordFlags {
  out?: string;
  engine: string;
  maxSize: string;
  metrics?: string;
  quiet?: boolean;
  cpuMem?: boolean;
  cpuMemInterval?: string;
  tls?: boolean;
  io?: boolean;
  pid?: string;
  comm?: string;
  cgroup?: string;
}

/** Compressed bytes of one part of a recording. */
const PART_BYTES = 32 << 20;
const ENGINES: readonly string[] = ['auto', 'bpf', 'strace', 'none'];

/** `agentsight record -- CMD`: runs it, writes what its tree did, and ends as it ended. */
export async function recordCommand(argv: readonly string[], flags: RecordFlags): Promise<number> {
  if (flags.pid !== undefined || flags.comm !== undefined || flags.cgroup !== undefined) {
    if (argv.length > 0) throw new UsageError('record: either a command, or --pid, --comm or --cgroup');
    if (flags.engine === 'strace' || flags.engine === 'none')
      throw new UsageError(`--engine ${flags.engine}: what runs already is recorded by bpf alone`);
    return collectCommand(flags);
  }
  if (argv.length === 0)
    throw new UsageError('record: no command given; write agentsight record -- COMMAND [ARGUMENTS]');
  if (!ENGINES.includes(flags.engine)) throw new UsageError(`--engine ${flags.engine}: one of ${ENGINES.join(', ')}`);
  const { person, dir, say, common } = settingsOf(flags);
  checkMetrics(flags.metrics);
  const refusal = refusalOf(argv[0]!, process.cwd(), process.env);
  if (refusal !== undefined) {
    process.stderr.write(`agentsight: ${argv[0]}: ${refusal.why}\n`);
    return refusal.code;
  }
  makeReady(common.writer, flags.out);
  const stop = new AbortController();
  const signals = passSignals(() => stop.abort());
  const metrics = flags.metrics === undefined ? undefined : metricsBeside(flags.metrics, dir, person);
  try {
    const done = await record({
      ...common,
      argv,
      cwd: process.cwd(),
      engine: flags.engine as EngineName | 'auto',
      ...(person && { person }),
      stop: stop.signal,
      running: signals.to,
      started: (recording, fellBack) => {
        for (const reason of fellBack) say(reason);
        if (recording.engine === 'none')
          say('nothing is recorded; the program runs, and its own transcript tells what it meant to do');
      },
    });
    const gaps = done.gaps.map(({ reason, count }) => `${reason} ${count}`).join(', ');
    const shows = `agentsight report${flags.out ? ` ${flags.out}` : ''} shows`;
    if (done.failure) say(`${done.failure}; ${shows} what was written before`);
    else
      say(
        `${counted(done.events, 'event')} by ${done.engine} in ${shownPath(dir)}${gaps === '' ? '' : `; gaps: ${gaps}`}; ${shows} them`,
      );
    signals.off();
    metrics?.end();
    if (done.ending.signal === undefined) return done.ending.code ?? 0;
    return dieOf(done.ending.signal);
  } catch (error) {
    if (error instanceof EngineError) {
      process.stderr.write(`agentsight: cannot record here\n${error.message.replace(/^/gm, '  ')}\n`);
      return 1;
    }
    throw error;
  } finally {
    metrics?.end();
    signals.off();
  }
}

/** `agentsight collect --pid N`: records what runs already and all below it, until it ends or Ctrl-C. */
export async function collectCommand(flags: Omit<RecordFlags, 'engine'>): Promise<number> {
  const what = runningOf(flags);
  const { dir, say, common } = settingsOf(flags);
  makeReady(common.writer, flags.out);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => stop.abort());
  const { collect } = await import('../recorder/collect.ts');
  try {
    const done = await collect({
      ...common,
      what,
      stop: stop.signal,
      started: () => say(`recording ${wordsOf(what)} and all below; Ctrl-C ends the recording`),
    });
    say(done.failure ?? `${counted(done.events, 'event')} by bpf in ${shownPath(dir)}`);
    return done.failure === undefined ? 0 : 1;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    process.stderr.write(`agentsight: cannot record: ${error.message}\n`);
    return 1;
  }
}

/** What both kinds of recording are told: whose it is, where it goes, and how much of what. Throws UsageError. */
function settingsOf(flags: Omit<RecordFlags, 'engine'>) {
  const totalBytes = sizeOf(flags.maxSize);
  const cpuMemMs = intervalOf(flags);
  const person = callingPerson(process.env);
  if (flags.out === '') throw new UsageError('--out: an empty name; name a folder, or leave --out away');
  const dir = resolve(flags.out ?? recordingsDirectory(process.env, person?.home ?? homedir()));
  return {
    person,
    dir,
    say: (text: string): void => void (flags.quiet || process.stderr.write(`agentsight: ${text}\n`)),
    common: {
      env: process.env,
      version: VERSION,
      writer: {
        dir,
        partBytes: Math.min(PART_BYTES, totalBytes),
        totalBytes,
        ...(cpuMemMs && { cpuMemMs }),
        ...(flags.io && { io: true }),
        ...(person && { owner: person }),
      },
      ...(flags.tls && { tls: true }),
    },
  };
}

/** Before anything is started: what runs must not find out that it is not recorded. */
function makeReady(writer: Pick<WriterOptions, 'dir' | 'owner'>, out: string | undefined): void {
  try {
    makeRoom(writer);
    accessSync(writer.dir, fsConstants.W_OK | fsConstants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const place =
      out === undefined ? `${shownPath(writer.dir)} takes no recording (${code}); --out names another folder` : '';
    throw new Error(place || `--out ${out}: the folder cannot be made or written to (${code})`);
  }
}

function runningOf({ pid, comm, cgroup }: Omit<RecordFlags, 'engine'>): Running {
  const given = [pid, comm, cgroup].filter(each => each !== undefined);
  if (given.length !== 1) throw new UsageError('collect: one of --pid N, --comm NAME, --cgroup FOLDER');
  if (comm !== undefined) {
    if (comm === '' || Buffer.byteLength(comm) > 15)
      throw new UsageError(`--comm ${comm}: a name as the kernel keeps it, at most 15 bytes (ps -o comm)`);
    return { comm };
  }
  if (cgroup !== undefined) return { cgroup };
  if (!/^[1-9]\d{0,9}$/.test(pid!)) throw new UsageError(`--pid ${pid}: a process number`);
  return { pid: Number(pid) };
}

const wordsOf = (what: Running): string =>
  'pid' in what
    ? `process ${what.pid}`
    : 'comm' in what
      ? `every process called ${what.comm}`
      : `control group ${what.cgroup}`;

/** Ends this process as the target ended, so that the caller sees the same. */
async function dieOf(signal: NodeJS.Signals): Promise<number> {
  const number = constants.signals[signal];
  process.kill(process.pid, signal);
  await new Promise(resolve => setTimeout(resolve, 200)); // a signal that does not kill us is still told by number
  return 128 + number;
}

/** The terminal sends Ctrl-C to the target too: we only outlive it. Signals meant for us alone are passed on. */
function passSignals(stop: () => void): { to(pid: number): void; off(): void } {
  let pid: number | undefined;
  /** Came before there was anybody to pass it to: an engine takes its time to start. */
  let early: NodeJS.Signals | undefined;
  const ignore = (): void => {};
  const pass = (signal: NodeJS.Signals): void => {
    if (pid === undefined) {
      early = signal;
      return;
    }
    try {
      process.kill(pid, signal);
    } catch {
      // it has just ended
    }
  };
  const table: [NodeJS.Signals, (signal: NodeJS.Signals) => void][] = [
    ['SIGINT', ignore],
    ['SIGQUIT', ignore],
    ['SIGTERM', pass],
    ['SIGHUP', pass],
    ['SIGUSR2', stop],
  ];
  for (const [signal, listener] of table) process.on(signal, listener);
  return {
    to: target => {
      pid = target;
      if (early !== undefined) pass(early);
    },
    off: () => {
      for (const [signal, listener] of table) process.off(signal, listener);
    },
  };
}

/** Who stands behind sudo: the target and the files are theirs. Undefined when there is nobody but us. */
function callingPerson(env: NodeJS.ProcessEnv): Person | undefined {
  const uid = Number(env.SUDO_UID);
  const gid = Number(env.SUDO_GID);
  if (process.getuid?.() !== 0 || !env.SUDO_UID || !Number.isInteger(uid) || !Number.isInteger(gid) || uid === 0)
    return undefined;
  if (onPath('setpriv', env) === undefined) return undefined;
  try {
    accessSync('/etc/passwd', fsConstants.R_OK);
    const row = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map(line => line.split(':'))
      .find(fields => Number(fields[2]) === uid && fields.length >= 7);
    if (row === undefined) return undefined;
    return { uid, gid, name: row[0]!, home: row[5]! };
  } catch {
    return undefined;
  }
}

/** Milliseconds between two looks at CPU and memory, where they were asked for. */
function intervalOf(flags: { cpuMem?: boolean; cpuMemInterval?: string }): number | undefined {
  const text = flags.cpuMemInterval;
  if (text === undefined) return flags.cpuMem ? 1000 : undefined;
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s)$/.exec(text.trim());
  const interval = match === null ? 0 : Number(match[1]) * (match[2] === 's' ? 1000 : 1);
  if (interval < 10 || interval > 3_600_000)
    throw new UsageError(`--cpu-mem-interval ${text}: a time of 10ms to 3600s, such as 250ms or 5s`);
  return interval;
}

function sizeOf(text: string): number {
  const match = /^(\d+)\s*([kmg]?)b?$/i.exec(text.trim());
  const size =
    match === null
      ? 0
      : Number(match[1]) *
        { '': 1, k: 1 << 10, m: 1 << 20, g: 1 << 30 }[match[2]!.toLowerCase() as '' | 'k' | 'm' | 'g'];
  if (size < 1 << 16) throw new UsageError(`--max-size ${text}: a size of at least 64k, such as 500m or 2g`);
  return size;
}
