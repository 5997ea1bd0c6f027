import { COMMA, continues, OPEN_OBJECT } from './bytes.ts';
import { HEADROOM, Line, MAX_ROWS, ROW_WORDS } from './scanner.ts';

/** What is left of the lines: their texts one behind the other, and their rows. The writing half of the plain scanner. */
export class LeftOver {
  bytes: Buffer;
  readonly rows = new Int32Array(MAX_ROWS * ROW_WORDS);
  rowCount = 0;
  /** End of what is written, and where this line starts. */
  at = 0;
  private lineAt = 0;
  private most = 0;
  /** All bytes of this line or-ed together. */
  seen = 0;

  constructor(room: number) {
    this.bytes = Buffer.alloc(room);
  }

  /** Starts afresh; of a line at most `most` bytes may be left. */
  begin(most: number): void {
    this.most = most;
    this.at = this.lineAt = this.seen = 0;
  }

  /** Moves the unfinished line to the front and makes room behind it; gives by how much it moved. */
  makeRoom(length: number): number {
    const moved = this.lineAt;
    if (moved > 0) {
      this.bytes.copyWithin(0, moved, this.at);
      this.at -= moved;
      this.lineAt = 0;
    }
    const needed = this.at + HEADROOM + length;
    if (needed > this.bytes.length) {
      const larger = Buffer.alloc(2 * needed);
      this.bytes.copy(larger, 0, 0, this.at);
      this.bytes = larger;
    }
    return moved;
  }

  /** No row is free: the scanner must pause. */
  get full(): boolean {
    return this.rowCount === MAX_ROWS;
  }

  get tooLong(): boolean {
    return this.at - this.lineAt > this.most;
  }

  put(byte: number): void {
    this.bytes[this.at++] = byte;
  }

  /** The comma before a key, if it is not the first of its object. */
  separate(): void {
    if (this.bytes[this.at - 1] !== OPEN_OBJECT) this.put(COMMA);
  }

  /** A limit fell inside a character: drops the part of it that was written. */
  takeBackCharacter(): void {
    for (let i = 0; i < 3 && continues(this.bytes[this.at - 1] as number); i++) this.at--;
    if ((this.bytes[this.at - 1] as number) >= 0xc0) this.at--;
  }

  dropLine(): void {
    this.at = this.lineAt;
  }

  /** Ends the line whose newline stands at `end`; `verdict` is good, blank or 0 for bad. */
  endLine(end: number, verdict: number, carriage: boolean): void {
    const flags = verdict === Line.good && this.tooLong ? 0 : verdict;
    if (flags !== Line.good) this.dropLine();
    const row = this.rowCount++ * ROW_WORDS;
    this.rows[row] = end;
    this.rows[row + 1] = this.lineAt;
    this.rows[row + 2] = this.at;
    this.rows[row + 3] = flags | (this.seen > 0x7f ? Line.wide : 0) | (carriage ? Line.carriage : 0);
    this.lineAt = this.at;
    this.seen = 0;
  }
}
