import {
  CARRIAGE,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  NEWLINE,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  SPACE,
  TAB,
} from './bytes.ts';
import { DROP, type KeepTable } from './keep-table.ts';
import { CHUNK, HEADROOM, Line, MAX_DEPTH, MAX_DOCUMENT_LEFT, MAX_LEFT, type Scanner } from './scanner.ts';
import { State, Tokens } from './tokens.ts';

/** What `peek` gives when the bytes fed so far are used up. */
const NO_BYTE = -1;

/**
 * The plain-JavaScript scanner: the fallback where WebAssembly SIMD is missing, and the kernel's twin in tests. A
 * machine that can stop at any byte. This half knows lines, objects and arrays.
 */
export class PlainScanner extends Tokens implements Scanner {
  readonly chunk: number;
  readonly inputAt = HEADROOM;
  /** White space may be newlines: the bytes are one document. */
  private document = false;
  /** The opening byte of the container around, 0 at the top. */
  private container = 0;
  private depth = 0;
  private readonly containers = new Uint8Array(MAX_DEPTH);
  private readonly containerNodes = new Int32Array(MAX_DEPTH);

  constructor(chunk: number = CHUNK) {
    super(chunk);
    this.chunk = chunk;
  }

  get output(): Buffer {
    return this.left.bytes;
  }

  get rows(): Int32Array {
    return this.left.rows;
  }

  begin(table: KeepTable, document = false): void {
    this.table = table;
    this.document = document;
    this.input.fill(0, 0, HEADROOM);
    this.at = this.end = HEADROOM;
    this.left.begin(document ? MAX_DOCUMENT_LEFT : MAX_LEFT);
    this.startLine();
  }

  feed(length: number): number {
    // Bytes not yet understood lie in the headroom.
    this.at = HEADROOM - (this.end - this.at);
    this.end = HEADROOM + length;
    this.input[this.end] = NEWLINE;
    const moved = this.left.makeRoom(HEADROOM + length);
    this.keyAt -= moved;
    if (this.tailAt >= 0) this.tailAt -= moved;
    if (this.left.tooLong) this.fail();
    return this.run();
  }

  more(): number {
    return this.left.full ? this.run() : 0;
  }

  finish(): void {
    this.document = false;
    this.input[HEADROOM] = NEWLINE;
    this.feed(1);
  }

  private run(): number {
    const { left } = this;
    left.rowCount = 0;
    while (!left.full) {
      if (this.step()) continue;
      this.input.copyWithin(0, this.end - HEADROOM, this.end);
      this.shortenTail();
      break;
    }
    return left.rowCount;
  }

  private step(): boolean {
    switch (this.state) {
      case State.value:
        return this.value();
      case State.firstElement:
        return this.firstElement();
      case State.firstKey:
      case State.key:
        return this.startKey();
      case State.keptKey:
        return this.keptKey();
      case State.droppedKey:
        return this.droppedText(State.colon);
      case State.colon:
        return this.colon();
      case State.keptText:
        return this.keptText();
      case State.droppedText:
        return this.droppedText(State.after);
      case State.number:
        return this.numberBytes();
      case State.word:
        return this.word();
      case State.after:
        return this.after();
      case State.badLine:
        return this.badLine();
    }
  }

  /** The next byte that is not white space, not yet used up. */
  private peek(): number {
    const { input, end } = this;
    let at = this.at;
    let byte = input[at] as number;
    while (byte === SPACE || byte === TAB || byte === CARRIAGE || (byte === NEWLINE && this.document && at !== end)) {
      byte = input[++at] as number;
    }
    this.at = at;
    return byte === NEWLINE && at === end ? NO_BYTE : byte;
  }

  private value(): boolean {
    const byte = this.peek();
    if (byte === NO_BYTE) return false;
    if (byte === QUOTE) {
      this.at++;
      return this.openText();
    }
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) return this.open(byte);
    // A value is expected where a line starts, too.
    if (byte === NEWLINE) return this.endLine(this.depth === 0 ? Line.blank : 0);
    return this.openScalar(byte);
  }

  private open(byte: number): boolean {
    if (this.depth === MAX_DEPTH) return this.fail();
    this.containers[this.depth] = this.container;
    this.containerNodes[this.depth] = this.containerNode;
    this.depth++;
    this.container = byte;
    this.containerNode = this.node;
    this.at++;
    if (this.node !== DROP) this.left.put(byte);
    return this.become(byte === OPEN_OBJECT ? State.firstKey : State.firstElement);
  }

  private close(byte: number): boolean {
    this.at++;
    if (this.containerNode !== DROP) this.left.put(byte);
    this.depth--;
    this.container = this.containers[this.depth] as number;
    this.containerNode = this.containerNodes[this.depth] as number;
    return this.become(State.after);
  }

  private firstElement(): boolean {
    const byte = this.peek();
    if (byte === NO_BYTE) return false;
    return byte === CLOSE_ARRAY ? this.close(byte) : this.become(State.value);
  }

  private startKey(): boolean {
    const byte = this.peek();
    if (byte === NO_BYTE) return false;
    if (byte === CLOSE_OBJECT && this.state === State.firstKey) return this.close(byte);
    if (byte !== QUOTE) return this.fail();
    this.at++;
    if (this.containerNode === DROP) {
      this.node = DROP;
      return this.become(State.droppedKey);
    }
    return this.openKey();
  }

  private colon(): boolean {
    const byte = this.peek();
    if (byte === NO_BYTE) return false;
    if (byte !== COLON) return this.fail();
    this.at++;
    return this.become(State.value);
  }

  private after(): boolean {
    const byte = this.peek();
    if (byte === NO_BYTE) return false;
    if (this.depth === 0) return byte === NEWLINE ? this.endLine(Line.good) : this.fail();
    if (this.container === OPEN_OBJECT) {
      if (byte === CLOSE_OBJECT) return this.close(byte);
      if (byte !== COMMA) return this.fail();
      this.at++;
      return this.become(State.key);
    }
    if (byte === CLOSE_ARRAY) return this.close(byte);
    if (byte !== COMMA) return this.fail();
    this.at++;
    this.node = this.containerNode;
    if (this.node !== DROP) this.left.put(COMMA);
    return this.become(State.value);
  }

  private badLine(): boolean {
    this.left.dropLine();
    this.at = this.document ? this.end : this.input.indexOf(NEWLINE, this.at);
    return this.at === this.end ? false : this.endLine(0);
  }

  private endLine(verdict: number): boolean {
    this.left.endLine(this.at - HEADROOM, verdict, this.input[this.at - 1] === CARRIAGE);
    this.at++;
    this.startLine();
    return true;
  }

  private startLine(): void {
    this.depth = 0;
    this.container = 0;
    this.node = this.containerNode = 0;
    this.state = State.value;
  }
}
