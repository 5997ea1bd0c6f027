import { closeSync, openSync, readFileSync, readlinkSync, readSync, statSync } from 'node:fs';
import { type Examined, examine, type Probe } from './binary.ts';

/** What became of a file: its probes stand, or why there is no text of it. */
export type Outcome =
  | { path: string; library: 'openssl' | 'boringssl'; how: 'symbols' | 'fingerprint'; functions: string[] }
  | { path: string; why: string };

/** Libraries that carry TLS, by the names under which systems and bundles install them. */
const LIBRARY = /\/lib(?:ssl|node|gnutls|nss3|ssl3|mbedtls|wolfssl|boringssl)[^/]*\.(?:so|node)[^/]*$/;

/** Where Linux systems keep OpenSSL: probed beforehand, so that the first words of a short program are not missed. */
const WELL_KNOWN = [
  '/usr/lib/x86_64-linux-gnu',
  '/usr/lib/aarch64-linux-gnu',
  '/usr/lib64',
  '/usr/lib',
  '/lib64',
  '/usr/local/lib64',
  '/usr/local/lib',
  '/usr/local/ssl/lib',
].flatMap(dir => ['libssl.so.3', 'libssl.so.1.1'].map(name => `${dir}/${name}`));

/** The engine holds this many probes at most: a tree that builds thousands of programs must not fill the kernel with them. */
const MOST_FILES = 256;

/**
 * Decides which files get probes: programs of the tree and TLS libraries that it opens. Each file is examined once; the engine
 * is told where to put probes and answers for each.
 */
export class TlsProbes {
  private readonly known = new Set<string>();
  private files = 0;
  private readonly waiting = new Map<string, { left: number; done: (why: string | undefined) => void; why?: string }>();
  private readonly say: (line: string) => void;
  private readonly told: (outcome: Outcome) => void;

  /** `say` writes a line to the engine; `told` hears what became of each file that has TLS in it. */
  constructor(say: (line: string) => void, told: (outcome: Outcome) => void) {
    this.say = say;
    this.told = told;
  }

  /** Everything that is likely to be used, before the target begins. */
  async prepare(programs: readonly string[]): Promise<void> {
    for (const path of [...WELL_KNOWN, ...programs.flatMap(program => withInterpreter(program))]) await this.add(path);
  }

  /** A line of the recording: a program that began, or a library that was opened. */
  line(line: string): void {
    const begins = line.startsWith('{"type":"proc.exec"');
    const opens = line.startsWith('{"type":"file.open"') && line.includes('/lib');
    if (line.startsWith('{"type":"proc.seen"')) {
      const { pid } = JSON.parse(line) as { pid: number };
      for (const path of mappedBy(pid)) void this.add(path);
    }
    if (!begins && !opens) return;
    const event = JSON.parse(line) as { exe?: string; path?: string };
    const path = begins ? event.exe : LIBRARY.test(event.path ?? '') ? event.path : undefined;
    if (path !== undefined) void this.add(path);
  }

  /** A line of the engine: what became of a probe. */
  answered({ path, why }: { path: string; why?: string }): void {
    const waits = this.waiting.get(path);
    if (waits === undefined) return;
    if (why !== undefined) waits.why ??= why;
    if (--waits.left > 0) return;
    this.waiting.delete(path);
    waits.done(waits.why);
  }

  /** Resolves when the file has its probes, or does not get any. */
  async add(path: string): Promise<void> {
    // The engine's commands are lines.
    if (this.known.has(path) || path.includes('\n')) return;
    this.known.add(path);
    let file: string;
    try {
      const { dev, ino } = statSync(path);
      file = `${dev}:${ino}`;
    } catch {
      return; // gone, or never there
    }
    if (this.known.has(file)) return;
    this.known.add(file);
    const found = await examine(path).catch((): Examined | undefined => undefined);
    if (found === undefined) return;
    if ('why' in found) this.told({ path, why: found.why });
    else if (++this.files > MOST_FILES) this.told({ path, why: 'too many files have probes already' });
    else {
      const why = await this.probed(path, found.probes);
      const { library, how, probes } = found;
      this.told(
        why === undefined ? { path, library, how, functions: probes.map(each => each.function) } : { path, why },
      );
    }
  }

  private probed(path: string, probes: readonly Probe[]): Promise<string | undefined> {
    return new Promise(done => {
      this.waiting.set(path, { left: probes.length, done });
      for (const each of probes) this.say(`probe ${each.function} ${each.offset} ${each.start} ${path}\n`);
    });
  }

  /** The engine is gone: nothing is waited for any more. */
  over(): void {
    for (const { done } of this.waiting.values()) done('the engine ended');
    this.waiting.clear();
  }
}

/** A program, and what runs it if it is a script: `#!/usr/bin/env node` names one on the PATH, which is tried in the usual places. */
function withInterpreter(path: string): string[] {
  const bytes = Buffer.alloc(256);
  let head: string;
  try {
    const fd = openSync(path, 'r');
    try {
      head = bytes.toString('latin1', 0, readSync(fd, bytes));
    } finally {
      closeSync(fd);
    }
  } catch {
    return [];
  }
  const [first, second] = /^#!\s*(\S+)(?:[ \t]+(\S+))?/.exec(head)?.slice(1) ?? [];
  if (first === undefined) return [path];
  return [path, first, ...(second === undefined ? [] : onPath(second))];
}

const onPath = (name: string): string[] =>
  name.includes('/') ? [name] : (process.env.PATH ?? '').split(':').map(dir => `${dir}/${name}`);

/** The program and the TLS libraries of a process that runs already. */
function mappedBy(pid: number): string[] {
  try {
    const maps = readFileSync(`/proc/${pid}/maps`, 'utf8');
    const paths = maps.split('\n').map(line => line.split(/\s+/).slice(5).join(' '));
    return [...new Set([readlinkSync(`/proc/${pid}/exe`), ...paths.filter(path => LIBRARY.test(path))])];
  } catch {
    return [];
  }
}
