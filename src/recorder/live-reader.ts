import { closeSync, openSync, readSync } from 'node:fs';
import { createGunzip, type Gunzip } from 'node:zlib';
import { Lines } from './lines.ts';

const AT_ONCE = 1 << 18;
const ENDS = ['error', 'end', 'close'] as const;

/**
 * Reads one part of a recording while it is written: each call takes what came since the last one. Blocks of the part are
 * whole compressed streams one behind the other, so nothing that is there has to be unpacked twice. Damage ends the part.
 */
export class GrowingPart {
  broken = false;
  private readonly path: string;
  private readonly gunzip: Gunzip = createGunzip();
  private readonly cut = new Lines();
  private at = 0;
  private lines: string[] = [];

  constructor(path: string) {
    this.path = path;
    this.gunzip.on('data', (chunk: Buffer) => {
      for (const line of this.cut.of(chunk)) this.lines.push(line);
    });
    // What is no compressed stream behind one that is ends the reading without an error.
    for (const event of ENDS)
      this.gunzip.on(event, () => {
        this.broken = true;
      });
  }

  /** Whole lines that are new; none where the part is gone or broken. */
  async next(): Promise<string[]> {
    let fd: number;
    try {
      fd = openSync(this.path, 'r');
    } catch {
      return [];
    }
    try {
      const bytes = Buffer.allocUnsafe(AT_ONCE);
      while (!this.broken) {
        const got = readSync(fd, bytes, 0, AT_ONCE, this.at);
        if (got === 0) break;
        this.at += got;
        await this.unpacked(Buffer.from(bytes.subarray(0, got)));
      }
    } finally {
      closeSync(fd);
    }
    const { lines } = this;
    this.lines = [];
    return lines;
  }

  close(): void {
    this.gunzip.destroy();
  }

  private unpacked(bytes: Buffer): Promise<void> {
    return new Promise(resolve => {
      const done = () => {
        for (const event of ENDS) this.gunzip.off(event, done);
        setImmediate(resolve);
      };
      for (const event of ENDS) this.gunzip.once(event, done);
      this.gunzip.write(bytes, done);
    });
  }
}
