import type { ByteSource } from './byte-source.ts';
import { Line, ROW_WORDS, type Scanner } from './scanner.ts';

/** Gets one record: any JSON value shrunk by the rule, its byte range (without newline and CR), its line from 1. */
export type OnRecord = (value: unknown, offset: number, bytes: number, line: number) => void;

/** Numbers of so many bad lines are kept, of a file that grew those of its first. */
export const BAD_LINE_NUMBERS = 5;
const NEWLINE = 0x0a;

/** One reading of one file, chunk by chunk: counts lines, keeps offsets, parses what the scanner left. */
export class Pass {
  /** Offset of the next byte to read, and of the line it belongs to. */
  at: number;
  lineStart: number;
  lines = 0;
  badLines = 0;
  readonly badLineNumbers: number[] = [];
  /** Records that may still be delivered. */
  limit: number;
  private readonly source: ByteSource;
  private readonly scanner: Scanner;
  private readonly onRecord: OnRecord;
  private readonly firstLine: number;
  /** The first bytes belong to a line that was delivered before its newline came. */
  private afterDelivered = false;

  /** `source` stands one byte before `from`, or at the start of the file; the scanner has begun. */
  constructor(
    source: ByteSource,
    scanner: Scanner,
    onRecord: OnRecord,
    from: number,
    firstLine: number,
    limit: number,
  ) {
    this.source = source;
    this.scanner = scanner;
    this.onRecord = onRecord;
    this.firstLine = firstLine;
    this.limit = limit;
    this.at = this.lineStart = from === 0 ? source.start : from;
    if (from > 0) {
      const before = new Uint8Array(1);
      this.afterDelivered = source.read(before, 0, 1) === 1 && before[0] !== NEWLINE;
    }
  }

  /** Reads and scans one chunk; false if nothing is left to read, or the limit is reached. */
  chunk(): boolean {
    if (this.limit <= 0) return false;
    const { scanner } = this;
    const length = this.source.read(scanner.input, scanner.inputAt, scanner.chunk);
    if (length === 0) return false;
    const at = this.at;
    this.at += length;
    for (let rows = scanner.feed(length); rows > 0 && this.limit > 0; rows = scanner.more()) this.deliver(rows, at);
    return true;
  }

  private deliver(rows: number, chunkAt: number): void {
    const table = this.scanner.rows;
    for (let row = 0; row < rows * ROW_WORDS && this.limit > 0; row += ROW_WORDS) {
      const start = this.lineStart;
      const end = chunkAt + (table[row] as number);
      const flags = table[row + 3] as number;
      this.lineStart = end + 1;
      if (this.afterDelivered) {
        this.afterDelivered = false;
        if ((flags & Line.blank) === 0) this.bad(this.firstLine - 1);
        continue;
      }
      const line = this.firstLine + this.lines++;
      if ((flags & Line.good) !== 0) {
        const value = parseRow(this.scanner, row);
        if (value !== undefined) {
          this.limit--;
          this.onRecord(value, start, end - start - carriages(flags), line);
          continue;
        }
      }
      if ((flags & Line.blank) === 0) this.bad(line);
    }
  }

  private bad(line: number): void {
    this.badLines++;
    if (this.badLineNumbers.length < BAD_LINE_NUMBERS) this.badLineNumbers.push(line);
  }

  /**
   * At the end of the file: judges the line that has no newline, and delivers it if it is JSON. True if it is torn.
   * A bare number is: its other half may still come.
   */
  tail(): boolean {
    if (this.limit <= 0 || this.at === this.lineStart) return false;
    this.scanner.finish();
    const flags = this.scanner.rows[3] as number;
    if ((flags & Line.blank) !== 0) {
      if (this.afterDelivered) this.lineStart = this.at;
      return false;
    }
    const value = (flags & Line.good) !== 0 && !this.afterDelivered ? parseRow(this.scanner, 0) : undefined;
    if (value === undefined || typeof value === 'number') return true;
    const start = this.lineStart;
    this.lineStart = this.at;
    this.limit--;
    this.onRecord(value, start, this.at - start - carriages(flags), this.firstLine + this.lines++);
    return false;
  }
}

function carriages(flags: number): number {
  return (flags & Line.carriage) !== 0 ? 1 : 0;
}

/** The value of the good row that starts at word `row`. */
export function parseRow({ output, rows }: Scanner, row: number): unknown {
  const encoding = ((rows[row + 3] as number) & Line.wide) !== 0 ? 'utf8' : 'latin1';
  const text = output.toString(encoding, rows[row + 1] as number, rows[row + 2] as number);
  try {
    return JSON.parse(text);
  } catch {
    // Cannot happen while the scanner is right; if it is wrong, this line is lost and said to be.
    return undefined;
  }
}
