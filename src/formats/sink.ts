/**
 * Where a format writes. Text is meant as UTF-8. A chunk belongs to the sink from then on: no format touches it
 * again, so a sink may keep it. Chunks are cut anywhere, and there may be none at all.
 */
export type Sink = (chunk: string | Uint8Array) => void;

/** Collects small pieces of text, so that a sink sees chunks worth a system call. */
export class TextChunks {
  private readonly sink: Sink;
  private readonly limit: number;
  private pending: string[] = [];
  private length = 0;

  constructor(sink: Sink, limit = 1 << 16) {
    this.sink = sink;
    this.limit = limit;
  }

  add(text: string): void {
    this.pending.push(text);
    this.length += text.length;
    if (this.length >= this.limit) this.flush();
  }

  flush(): void {
    if (this.length > 0) this.sink(this.pending.join(''));
    this.pending = [];
    this.length = 0;
  }
}
