// @ts-check
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';

/** One history file being written, a line at a time; writes in large pieces. Appends to what is there. */
export class Sink {
  bytes = 0;
  lines = 0;
  /** @type {string[]} */
  #waiting = [];
  #waitingBytes = 0;
  #descriptor;

  /** @param {string} file */
  constructor(file) {
    mkdirSync(path.dirname(file), { recursive: true });
    this.#descriptor = openSync(file, 'a');
  }

  /** @param {object} row */
  write(row) {
    const line = `${JSON.stringify(row)}\n`;
    const bytes = Buffer.byteLength(line);
    this.#waiting.push(line);
    this.#waitingBytes += bytes;
    this.bytes += bytes;
    this.lines++;
    if (this.#waitingBytes > 1 << 22) this.#flush();
  }

  #flush() {
    const piece = Buffer.from(this.#waiting.join(''));
    for (let at = 0; at < piece.length; ) at += writeSync(this.#descriptor, piece, at);
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  close() {
    this.#flush();
    closeSync(this.#descriptor);
  }
}
