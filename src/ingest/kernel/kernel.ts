import { type WasmMemory, WasmModule } from '../../trace/webassembly.ts';
import type { KeepTable } from '../keep-table.ts';
import { CHUNK, HEADROOM, MAX_DOCUMENT_LEFT, MAX_LEFT, MAX_ROWS, ROW_WORDS, type Scanner } from '../scanner.ts';
import { KERNEL } from './wasm.ts';

/** What assembly/kernel.ts exports; addresses and lengths are bytes of its memory. */
interface KernelExports {
  readonly memory: WasmMemory;
  freeAt(): number;
  rowsAt(): number;
  begin(input: number, words: number, keys: number, output: number, most: number, document: boolean): void;
  feed(length: number): number;
  more(): number;
  finish(): void;
  unfinished(): number;
}

const PAGE = 1 << 16;

/** Room behind bytes that are read or written sixteen at a step, in steps that start at any of them. */
const SLACK = 128;

const MODULE = new WasmModule<KernelExports>(KERNEL);

/** Whether this runtime runs the kernel: WebAssembly is there and knows 128-bit SIMD. */
export function kernelRuns(): boolean {
  return MODULE.runs();
}

/**
 * The scanner in WebAssembly. Files are read straight into its memory, which lies so: the kernel's own, input, rule,
 * output. The output is last because it alone grows, with what is left of a long line.
 */
export class KernelScanner implements Scanner {
  readonly chunk: number;
  readonly inputAt: number;
  private readonly kernel: KernelExports;
  private readonly rowsAt: number;
  private bytes: Buffer;
  private words: Int32Array;
  private table: KeepTable | undefined;
  private tableRoom = 0;
  private readonly tableAt: number;
  private outputAt = 0;

  /** Throws where `kernelRuns` is false. */
  constructor(chunk: number = CHUNK) {
    this.kernel = MODULE.instance();
    this.chunk = chunk;
    this.rowsAt = this.kernel.rowsAt();
    this.inputAt = aligned(this.kernel.freeAt()) + HEADROOM;
    this.tableAt = aligned(this.inputAt + chunk + SLACK);
    this.bytes = Buffer.from(this.kernel.memory.buffer);
    this.words = new Int32Array(this.kernel.memory.buffer, this.rowsAt, MAX_ROWS * ROW_WORDS);
  }

  get input(): Buffer {
    return this.bytes;
  }

  get output(): Buffer {
    return this.bytes;
  }

  get rows(): Int32Array {
    return this.words;
  }

  begin(table: KeepTable, document = false): void {
    const keysAt = this.tableAt + table.words.byteLength;
    if (table !== this.table) {
      this.tableRoom = Math.max(this.tableRoom, aligned(table.words.byteLength + table.keys.length + SLACK));
      this.outputAt = this.tableAt + this.tableRoom;
      this.reserve(this.outputAt);
      new Int32Array(this.kernel.memory.buffer, this.tableAt, table.words.length).set(table.words);
      this.bytes.set(table.keys, keysAt);
      this.table = table;
    }
    const most = document ? MAX_DOCUMENT_LEFT : MAX_LEFT;
    this.kernel.begin(this.inputAt, this.tableAt, keysAt, this.outputAt, most, document);
  }

  feed(length: number): number {
    // A feed leaves no more than it takes, with what the feed before did not understand.
    this.reserve(this.outputAt + this.kernel.unfinished() + HEADROOM + length + SLACK);
    return this.kernel.feed(length);
  }

  more(): number {
    return this.kernel.more();
  }

  finish(): void {
    this.reserve(this.outputAt + this.kernel.unfinished() + HEADROOM + 1 + SLACK);
    this.kernel.finish();
  }

  /** Grows the memory to at least `end` bytes, by half of what is there at a time. */
  private reserve(end: number): void {
    const { memory } = this.kernel;
    const missing = end - this.bytes.length;
    if (missing <= 0) return;
    memory.grow(Math.ceil(Math.max(missing, this.bytes.length / 2) / PAGE));
    this.bytes = Buffer.from(memory.buffer);
    this.words = new Int32Array(memory.buffer, this.rowsAt, MAX_ROWS * ROW_WORDS);
  }
}

function aligned(address: number): number {
  return (address + 63) & ~63;
}
