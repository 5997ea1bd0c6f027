import { closeSync, constants, fchownSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { textName } from '../place.ts';
import type { WriterOptions } from '../writer.ts';

const BLOCK = 256 << 10;

/**
 * The text of TLS beside a recording: one message a line, in gzip members of whole lines, for its owner alone. What comes in
 * has been cleaned. The file is made for the first of it. Text beyond the size that a recording may have is not kept; neither is any after a failure of the disk.
 */
export class TextFile {
  failure: string | undefined;
  private readonly id: string;
  private readonly options: WriterOptions;
  private fd = -1;
  private written = 0;
  private refs = 0;
  private lines: string[] = [];
  private size = 0;

  constructor(id: string, options: WriterOptions) {
    this.id = id;
    this.options = options;
  }

  /** The number by which the line is found again; undefined when it is not kept. */
  line(value: object): number | undefined {
    if (this.failure !== undefined) return undefined;
    const ref = ++this.refs;
    const line = JSON.stringify({ ref, ...value });
    this.lines.push(line);
    this.size += line.length;
    if (this.size >= BLOCK) this.flush();
    return ref;
  }

  flush(): void {
    if (this.lines.length === 0 || this.failure !== undefined) return;
    const bytes = gzipSync(`${this.lines.join('\n')}\n`, { level: 3 });
    this.lines = [];
    this.size = 0;
    try {
      if (this.fd < 0) this.open();
      for (let at = 0; at < bytes.length; ) at += writeSync(this.fd, bytes, at);
    } catch (error) {
      this.failure = `the text of TLS could not be written: ${(error as Error).message}`;
    }
    this.written += bytes.length;
    if (this.written >= this.options.totalBytes)
      this.failure ??= 'the text of TLS has reached the size that a recording may have';
  }

  close(): void {
    this.flush();
    if (this.fd >= 0) closeSync(this.fd);
    this.fd = -1;
  }

  private open(): void {
    const { dir, owner } = this.options;
    this.fd = openSync(
      join(dir, textName(this.id)),
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      0o600,
    );
    if (owner) fchownSync(this.fd, owner.uid, owner.gid);
  }
}
