const NEXT = 0;
const READ = 1;

/** Progress is told in these. */
const UNIT = 1024;

/** Files that several threads read: each takes the next that nobody has taken. */
export class Queue {
  readonly shared: SharedArrayBuffer;
  private readonly cells: Int32Array;
  private readonly length: number;

  /** Over what another thread made, or new. */
  constructor(length: number, shared = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.length = length;
    this.shared = shared;
    this.cells = new Int32Array(shared);
  }

  /** The number of the next file; undefined when all are taken. */
  take(): number | undefined {
    const at = Atomics.add(this.cells, NEXT, 1);
    return at < this.length ? at : undefined;
  }

  /** To be told when a file was read. */
  done(bytes: number): void {
    Atomics.add(this.cells, READ, Math.round(bytes / UNIT));
  }

  /** About how many bytes all threads have read. */
  get bytes(): number {
    return Atomics.load(this.cells, READ) * UNIT;
  }
}
