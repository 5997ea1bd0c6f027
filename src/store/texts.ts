import type { NumberColumn } from '../trace/columns.ts';
import { firstAtOrAfter, type TextKind, type TextSource } from '../trace/texts.ts';
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

  /** The texts of rows `first` to `end` as they lie here, for another pack, where the first of these rows is `row`. */
  stretch(first: number, end: number, row: number): Stretch {
    return { of: this, first, end, row };
  }

  /** Rows, ends and widths of the texts of a stretch are put behind those that are there; gives their bytes, some at a time. */
  *copied({ first, end, row }: Stretch, { rows, ends, wide }: Places): Generator<Uint8Array> {
    const { cells } = this.rows;
    const from = firstAtOrAfter(cells, first);
    const until = firstAtOrAfter(cells, end);
    if (from === until) return;
    const start = this.startOf(from);
    const ahead = (ends.at(-1) ?? 0) - start;
    for (let i = from; i < until; i++) {
      rows.push((cells[i] as number) - first + row);
      ends.push(this.ends.get(i) + ahead);
      wide.push(this.wide.get(i));
    }
    const last = this.ends.get(until - 1);
    const room = new Uint8Array(Math.min(AT_ONCE, last - start));
    for (let at = start; at < last; at += AT_ONCE) {
      const piece = room.subarray(0, Math.min(AT_ONCE, last - at));
      this.pack.part(`${this.name}/bytes`, at, piece);
      yield piece;
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

/** Texts of rows `first` to `end` of a pack, for another pack, where the first of these rows is `row`. */
export interface Stretch {
  readonly of: StoredTexts;
  readonly first: number;
  readonly end: number;
  readonly row: number;
}

/** What a pack gets of texts: one of them, or all those of some rows of another pack. */
export type PackedTexts = PackedText | Stretch;

/** The same `by` rows further. */
export function further(texts: PackedTexts, by: number): PackedTexts {
  return { ...texts, row: texts.row + by };
}

/** One by one; the next may overwrite the bytes of the one before. */
export function* oneByOne(texts: Iterable<PackedTexts>): Generator<PackedText> {
  for (const each of texts) {
    if ('bytes' in each) yield each;
    else
      for (const text of each.of.packedIn(each.first, each.end))
        yield { ...text, row: text.row - each.first + each.row };
  }
}

/** Stretches that follow each other, here and there, as one. */
function* joined(texts: Iterable<PackedTexts>): Generator<PackedTexts> {
  let before: Stretch | undefined;
  for (const each of texts) {
    if (before && !('bytes' in each) && follows(each, before)) before = { ...before, end: each.end };
    else {
      if (before) yield before;
      before = undefined;
      if ('bytes' in each) yield each;
      else before = each;
    }
  }
  if (before) yield before;
}

function follows(next: Stretch, before: Stretch): boolean {
  return next.of === before.of && next.first === before.end && next.row - next.first === before.row - before.first;
}

/** Where texts lie, by their order. */
interface Places {
  readonly rows: number[];
  readonly ends: number[];
  readonly wide: number[];
}

/** Saves texts that come by rising row. */
export function saveTexts(pack: PackWriter, kind: TextKind, texts: Iterable<PackedTexts>): void {
  const places: Places = { rows: [], ends: [], wide: [] };
  const { rows, ends, wide } = places;
  const name = nameOf(kind);
  pack.pieces(`${name}/bytes`, bytes());
  function* bytes(): Generator<Uint8Array> {
    for (const each of joined(texts)) {
      if ('bytes' in each) {
        rows.push(each.row);
        ends.push((ends.at(-1) ?? 0) + each.bytes.length);
        wide.push(each.wide);
        yield each.bytes;
      } else yield* each.of.copied(each, places);
    }
  }
  pack.cells(`${name}/rows`, Uint32Array.from(rows));
  pack.cells(`${name}/ends`, (ends.at(-1) ?? 0) > 0xffffffff ? Float64Array.from(ends) : Uint32Array.from(ends));
  pack.cells(`${name}/wide`, Uint8Array.from(wide));
}

function nameOf(kind: TextKind): string {
  return `texts/${kind}`;
}
