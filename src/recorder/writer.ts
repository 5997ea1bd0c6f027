import { chownSync, closeSync, constants, fchownSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { makeFolder } from '../disk/folder.ts';
import type { RecordingHeader } from './events.ts';
import { partName } from './place.ts';

export interface WriterOptions {
  dir: string;
  /** A part grows to about so many compressed bytes; then the next begins. */
  partBytes: number;
  /** All parts together; beyond it the oldest part but the first goes, and a gap says so. */
  totalBytes: number;
  owner?: { uid: number; gid: number };
}

/** `carried`: events of dropped parts that a gap in this part stands for. */
interface Part {
  name: string;
  size: number;
  events: number;
  carried: number;
}

const BLOCK = 256 * 1024;

/**
 * Writes a recording: gzip members of whole lines, each complete on disk when written, so that whatever kills the recorder
 * costs at most the last second. Parts are 0600 and start with the header, so that each can be read alone.
 * A full disk ends the writing, never the target: `failure` says so.
 */
export class RecordingWriter {
  failure: string | undefined;
  events = 0;
  private readonly options: WriterOptions;
  private readonly header: RecordingHeader;
  private text: string[] = [];
  private size = 0;
  private fd = -1;
  private part = 0;
  private partSize = 0;
  /** Lines waiting that are our own: the header, a gap for dropped parts. */
  private ours = 0;
  private readonly parts: Part[] = [];

  constructor(header: RecordingHeader, options: WriterOptions) {
    this.header = header;
    this.options = options;
    makeRoom(options);
    this.nextPart();
    // Whoever is killed right away leaves at least what this was to be a recording of.
    this.flush();
  }

  /** One event without its newline. */
  line(line: string): void {
    this.events++;
    this.text.push(line);
    this.size += line.length + 1;
    if (this.size >= BLOCK) this.flush();
  }

  flush(): void {
    if (this.text.length === 0 || this.failure !== undefined) return;
    const lines = this.text.length;
    const bytes = gzipSync(`${this.text.join('\n')}\n`, { level: 3 });
    this.text = [];
    this.size = 0;
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.fd, bytes, at);
    } catch (error) {
      this.failure = `the recording could not be written: ${(error as Error).message}`;
      return;
    }
    this.partSize += bytes.length;
    const last = this.parts.at(-1)!;
    last.size = this.partSize;
    last.events += lines - this.ours;
    this.ours = 0;
    if (this.partSize >= this.options.partBytes) this.nextPart();
  }

  close(): void {
    this.flush();
    if (this.fd >= 0) closeSync(this.fd);
    this.fd = -1;
  }

  private nextPart(): void {
    if (this.fd >= 0) closeSync(this.fd);
    const name = partName(this.header.id, ++this.part);
    try {
      this.fd = openSync(
        join(this.options.dir, name),
        constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
        0o600,
      );
      if (this.options.owner) fchownSync(this.fd, this.options.owner.uid, this.options.owner.gid);
    } catch (error) {
      if (this.part === 1) throw error;
      this.failure = `the recording could not be continued: ${(error as Error).message}`;
      return;
    }
    this.partSize = 0;
    this.parts.push({ name, size: 0, events: 0, carried: 0 });
    this.text.push(JSON.stringify(this.header));
    this.ours = 1;
    const whole = this.parts.reduce((sum, part) => sum + part.size, 0);
    if (whole + this.options.partBytes > this.options.totalBytes && this.parts.length > 2) this.drop();
  }

  /** The first part stays: it holds the root and how everything began. */
  private drop(): void {
    const [gone] = this.parts.splice(1, 1);
    if (gone === undefined) return;
    rmSync(join(this.options.dir, gone.name), { force: true });
    const count = gone.events + gone.carried;
    this.parts.at(-1)!.carried += count;
    this.ours++;
    const t_ns = Number(process.hrtime.bigint());
    this.text.push(JSON.stringify({ type: 'gap', seq: 0, t_ns, reason: 'rotated', count, to_ns: t_ns }));
  }
}

/** The folder, this user's alone where we make it. Throws the system's error. */
export function makeRoom(options: Pick<WriterOptions, 'dir' | 'owner'>): void {
  const made = makeFolder(options.dir);
  if (made === undefined || options.owner === undefined) return;
  // `made` is the first folder that was not there: it and all below it belong to the person, not to root.
  for (let dir = options.dir; dir.length >= made.length; dir = join(dir, '..')) {
    chownSync(dir, options.owner.uid, options.owner.gid);
    if (dir === '/') break;
  }
}
