import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Characters of a line. No engine and no recorder writes a longer one: arguments of a program have at most some megabytes. */
const LONGEST = 32 << 20;

/**
 * Cuts bytes that arrive in chunks into lines. A line that is longer than LONGEST is passed over, so that neither its memory nor
 * the time it takes grows with it.
 */
export class Lines {
  /** Lines that were passed over. */
  tooLong = 0;
  private readonly longest: number;
  private readonly decoder = new StringDecoder('utf8');
  private pieces: string[] = [];
  private length = 0;

  constructor(longest = LONGEST) {
    this.longest = longest;
  }

  /** Whether something came behind the last newline. */
  get unfinished(): boolean {
    return this.length > 0;
  }

  /** The lines that end in this chunk. */
  of(chunk: Buffer): string[] {
    const parts = this.decoder.write(chunk).split('\n');
    const rest = parts.pop() as string;
    const lines: string[] = [];
    for (const part of parts) {
      this.grow(part);
      if (this.length > this.longest) this.tooLong++;
      else lines.push(this.pieces.length === 1 ? (this.pieces[0] as string) : this.pieces.join(''));
      this.pieces = [];
      this.length = 0;
    }
    this.grow(rest);
    return lines;
  }

  private grow(piece: string): void {
    this.length += piece.length;
    if (this.length > this.longest) this.pieces = [];
    else if (piece !== '') this.pieces.push(piece);
  }
}

/** Calls `take` with each whole line of a stream, in arrival order; resolves when the stream is over, also when it broke. */
export function eachLine(stream: Readable, take: (line: string) => void): Promise<void> {
  const lines = new Lines();
  return new Promise(resolve => {
    stream.on('data', (chunk: Buffer) => {
      for (const line of lines.of(chunk)) take(line);
    });
    stream.on('end', resolve);
    stream.on('close', resolve);
    stream.on('error', () => resolve());
  });
}
