import { BACKSLASH, COLON, COMMA, continues, QUOTE } from './bytes.ts';
import { keepEnd, shorten } from './ends.ts';
import { BAD, escapeAt, PLAIN, TORN, unescapeKey } from './escapes.ts';
import { childOf, DROP, type KeepTable, NODE_WORDS } from './keep-table.ts';
import { LeftOver } from './left-over.ts';
import { NUMBER, NUMBER_ENDS, NUMBER_START } from './numbers.ts';
import { HEADROOM } from './scanner.ts';

/** What is expected next. */
export const State = {
  value: 0,
  firstElement: 1,
  firstKey: 2,
  key: 3,
  keptKey: 4,
  droppedKey: 5,
  colon: 6,
  keptText: 7,
  droppedText: 8,
  number: 9,
  word: 10,
  after: 11,
  badLine: 12,
} as const;
export type State = (typeof State)[keyof typeof State];

const WORDS: Readonly<Record<number, Buffer>> = {
  116: Buffer.from('true'),
  102: Buffer.from('false'),
  110: Buffer.from('null'),
};

/**
 * The half of the plain scanner that knows strings, numbers and words. Every step either uses up bytes and sets the
 * next state, or gives false: the bytes are used up, and it will be taken up at the same place. Input ends with a
 * newline put behind it, so byte loops need no check of bounds: they stop there.
 */
export abstract class Tokens {
  readonly input: Buffer;
  protected readonly left: LeftOver;
  protected table: KeepTable = { words: new Int32Array(NODE_WORDS), keys: new Uint8Array(0) };
  protected state: State = State.value;
  /** Next byte of input, and the newline behind the last. */
  protected at = HEADROOM;
  protected end = HEADROOM;
  /** Rule of the next value, and of the container around; DROP if it is unwanted. */
  protected node = 0;
  protected containerNode = 0;
  /** Start of the key in what is left, to take it back. */
  protected keyAt = 0;
  private keyEscaped = false;
  /** Bytes the string may still have. */
  private room = 0;
  /** Where in what is left the text begins of which only the end is kept, or -1; and what its beginning did not use. */
  protected tailAt = -1;
  private spare = 0;
  private digits = NUMBER_START;

  constructor(chunk: number) {
    this.input = Buffer.alloc(HEADROOM + chunk + 1);
    this.left = new LeftOver(2 * (HEADROOM + chunk));
  }

  protected become(state: State): true {
    this.state = state;
    return true;
  }

  /** The line is not JSON; `at` is at or before its newline. */
  protected fail(): boolean {
    return this.become(State.badLine);
  }

  /** Starts a key of a wanted container; its quote is used up. */
  protected openKey(): boolean {
    this.keyAt = this.left.at;
    this.left.separate();
    this.left.put(QUOTE);
    this.keyEscaped = false;
    return this.become(State.keptKey);
  }

  /** Starts a string that is a value; its quote is used up. */
  protected openText(): boolean {
    if (this.node === DROP) return this.become(State.droppedText);
    this.left.put(QUOTE);
    this.room = this.table.words[this.node * NODE_WORDS] as number;
    this.tailAt = -1;
    return this.become(State.keptText);
  }

  /** Starts a number or a word if `byte` is the first of one. */
  protected openScalar(byte: number): boolean {
    if (WORDS[byte]) return this.become(State.word);
    if (NUMBER[NUMBER_START * 256 + byte] === 0) return this.fail();
    this.digits = NUMBER_START;
    return this.become(State.number);
  }

  /** Copies the plain bytes of a string, at most `most`; gives the byte behind them. */
  private copyPlain(most: number): number {
    const { input, left } = this;
    const output = left.bytes;
    const limit = this.at + most;
    let at = this.at;
    let out = left.at;
    let seen = 0;
    let byte = input[at] as number;
    while (PLAIN[byte] === 1 && at < limit) {
      seen |= byte;
      output[out++] = byte;
      byte = input[++at] as number;
    }
    this.at = at;
    left.at = out;
    left.seen |= seen;
    return byte;
  }

  /** Copies a key, and takes it back at its end if it is unwanted. */
  protected keptKey(): boolean {
    const { left } = this;
    const byte = this.copyPlain(this.input.length);
    if (byte === BACKSLASH) {
      this.keyEscaped = true;
      return this.copyEscape(escapeAt(this.input, this.at, this.end));
    }
    if (byte !== QUOTE) return this.controlInText();
    this.at++;
    const from = this.keyAt + (left.bytes[this.keyAt] === COMMA ? 2 : 1);
    if (this.keyEscaped) {
      const bytes = unescapeKey(left.bytes, from, left.at);
      this.node = childOf(this.table, this.containerNode, bytes, 0, bytes.length);
    } else {
      this.node = childOf(this.table, this.containerNode, left.bytes, from, left.at);
    }
    if (this.node === DROP) left.at = this.keyAt;
    else {
      left.put(QUOTE);
      left.put(COLON);
    }
    return this.become(State.colon);
  }

  protected keptText(): boolean {
    const from = this.at;
    const byte = this.copyPlain(this.room);
    this.room -= this.at - from;
    if (byte === QUOTE) {
      this.at++;
      const { left } = this;
      if (this.tailAt >= 0) left.at = keepEnd(left.bytes, this.tailAt, left.at, this.tail, this.spare);
      left.put(QUOTE);
      return this.become(State.after);
    }
    if (byte === BACKSLASH) {
      const found = escapeAt(this.input, this.at, this.end);
      if (found >> 4 > this.room) return this.cut();
      this.room -= Math.max(found, 0) >> 4;
      return this.copyEscape(found);
    }
    if (PLAIN[byte] !== 1) return this.controlInText();
    if (this.tail === 0 && continues(byte)) this.left.takeBackCharacter();
    return this.cut(continues(byte));
  }

  private get tail(): number {
    return this.table.words[this.node * NODE_WORDS + 4] as number;
  }

  /** The beginning is full; `inside` of a character, which then belongs to the rest. */
  private cut(inside = false): boolean {
    const { left } = this;
    if (this.tail === 0) {
      left.put(QUOTE);
      return this.become(State.droppedText);
    }
    if (this.tailAt < 0) {
      const whole = left.at;
      if (inside) left.takeBackCharacter();
      this.tailAt = left.at;
      this.spare = this.room + whole - left.at;
      left.at = whole;
    }
    this.room = Number.MAX_SAFE_INTEGER;
    return true;
  }

  /** The bytes of a feed are used up: of a text whose end is wanted, not more is held than may be that. */
  protected shortenTail(): void {
    if (this.state !== State.keptText || this.tailAt < 0) return;
    this.left.at = shorten(this.left.bytes, this.tailAt, this.left.at, this.tail);
  }

  private copyEscape(found: number): boolean {
    if (found === TORN) return false;
    if (found === BAD) return this.fail();
    const length = found & 15;
    for (let i = 0; i < length; i++) this.left.put(this.input[this.at++] as number);
    return true;
  }

  protected droppedText(next: State): boolean {
    const input = this.input;
    const end = this.end;
    let at = this.at;
    for (;;) {
      let byte = input[at] as number;
      while (PLAIN[byte] === 1) byte = input[++at] as number;
      this.at = at;
      if (byte === QUOTE) {
        this.at++;
        return this.become(next);
      }
      if (byte !== BACKSLASH) return this.controlInText();
      const found = escapeAt(input, at, end);
      if (found === TORN) return false;
      if (found === BAD) return this.fail();
      at += found & 15;
    }
  }

  /** A control character stands in a string: the end of the bytes, or of a line that is bad. */
  private controlInText(): boolean {
    return this.at === this.end ? false : this.fail();
  }

  protected numberBytes(): boolean {
    const keep = this.node !== DROP;
    for (;;) {
      const byte = this.input[this.at] as number;
      const next = NUMBER[this.digits * 256 + byte] as number;
      if (next === 0) break;
      this.digits = next;
      if (keep) this.left.put(byte);
      this.at++;
    }
    if (this.at === this.end) return false;
    return NUMBER_ENDS[this.digits] === 1 ? this.become(State.after) : this.fail();
  }

  protected word(): boolean {
    const word = WORDS[this.input[this.at] as number] as Buffer;
    for (let i = 0; i < word.length; i++) {
      if (this.input[this.at + i] !== word[i]) return this.at + i < this.end ? this.fail() : false;
    }
    this.at += word.length;
    if (this.node !== DROP) for (const byte of word) this.left.put(byte);
    return this.become(State.after);
  }
}
