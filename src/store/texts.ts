import type { NumberColumn } from '../trace/columns.ts';
import type { TextKind, TextSource } from '../trace/texts.ts';
import { loadNumbers } from './columns.ts';
import type { PackReader, PackWriter } from './pack.ts';

/** Texts are fetched so many bytes at a time. */
const AT_ONCE = 1 << 17;

/**
 * Texts of one kind, by rising row: one section of bytes, and beside it the row, the end and the width of each text.
 * A text is kept as Latin-1 or as UTF-16, so that it comes back unit for unit, lone surrogates too.
 */
export class StoredTexts {
  private readonly pack: PackReader;
  private readonly name: string;
  private readonly rows: NumberColumn;
  private readonly ends: NumberColumn;
  private readonly wide: NumberColumn;

  constructor(pack: PackReader, kind: TextKind) {
    this.pack = pack;
    this.name = nameOf(kind);
    this.rows = loadNumbers(pack, `${this.name}/rows`);
    this.ends = loadNumbers(pack, `${this.name}/ends`);
    this.wide = loadNumbers(pack, `${this.name}/wide`);
  }

  /** The texts of rows `first` to `end`, packed; one by one, the next may overwrite the bytes of the one before. */
  *packedIn(first: number, end: number): Generator<PackedText> {
    const { cells } = this.rows;
    let room = Buffer.alloc(0);
    let [from, until] = [0, 0];
    for (let i = firstAtOrAfter(cells, first); i < cells.length && (cells[i] as number) < end; i++) {
      const at = this.startOf(i);
      const to = this.ends.get(i);
      if (at < from || to > until) {
        from = at;
        until = this.reach(i, end);
        if (room.length < until - from) room = Buffer.allocUnsafeSlow(until - from);
        this.pack.part(`${this.name}/bytes`, from, room.subarray(0, until - from));
      }
      yield { row: cells[i] as number, bytes: room.subarray(at - from, to - from), wide: this.wide.get(i) };
    }
  }

  private startOf(i: number): number {
    return i === 0 ? 0 : this.ends.get(i - 1);
  }

  /** Where the texts from `i` on end that are fetched at once: few bytes, and only of rows before `end`. */
  private reach(i: number, end: number): number {
    const { cells } = this.rows;
    let last = i;
    while (last + 1 < cells.length && (cells[last + 1] as number) < end) {
      if (this.ends.get(last + 1) - this.startOf(i) > AT_ONCE) break;
      last++;
    }
    return this.ends.get(last);
  }

  *in(first: number, end: number): Generator<readonly [number, string]> {
    for (const packed of this.packedIn(first, end)) yield [packed.row, unpackText(packed)];
  }

  all(): TextSource {
    return (first = 0, end = Number.POSITIVE_INFINITY) => this.in(first, end);
  }
}

export interface PackedText {
  readonly row: number;
  readonly bytes: Uint8Array;
  /** 1 for UTF-16. */
  readonly wide: number;
}

export function packText(row: number, text: string): PackedText {
  // All that one byte can hold.
  const narrow = /^[\u0000-\u00ff]*$/.test(text);
  return { row, bytes: Buffer.from(text, narrow ? 'latin1' : 'utf16le'), wide: narrow ? 0 : 1 };
}

export function unpackText({ bytes, wide }: PackedText): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(wide === 1 ? 'utf16le' : 'latin1');
}

/** Saves texts that come by rising row. */
export function saveTexts(pack: PackWriter, kind: TextKind, texts: Iterable<PackedText>): void {
  const rows: number[] = [];
  const ends: number[] = [];
  const wide: number[] = [];
  let end = 0;
  const name = nameOf(kind);
  pack.pieces(`${name}/bytes`, bytes());
  function* bytes(): Generator<Uint8Array> {
    for (const text of texts) {
      end += text.bytes.length;
      rows.push(text.row);
      ends.push(end);
      wide.push(text.wide);
      yield text.bytes;
    }
  }
  pack.cells(`${name}/rows`, Uint32Array.from(rows));
  pack.cells(`${name}/ends`, end > 0xffffffff ? Float64Array.from(ends) : Uint32Array.from(ends));
  pack.cells(`${name}/wide`, Uint8Array.from(wide));
}

function nameOf(kind: TextKind): string {
  return `texts/${kind}`;
}

function firstAtOrAfter(rows: ArrayLike<number>, row: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle] as number) < row) low = middle + 1;
    else high = middle;
  }
  return low;
}
