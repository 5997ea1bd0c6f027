import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { Cells, Width } from '../trace/columns.ts';

/**
 * A pack: one file of named sections and an index. Sections are read when they are asked for and checked then.
 *
 *     magic (8 bytes) | sections, each starting at a multiple of 8 | index (JSON) | index length, its CRC-32, magic
 *
 * The index comes last, so that a pack is written in one pass; a file that was cut anywhere has no valid end. All
 * numbers are little-endian, as in memory on every machine Node runs on.
 */
const MAGIC = 'agpprof1';
const FOOTER = 4 + 4 + MAGIC.length;
/** Bytes that are read, then checked. */
const CHECKED_AT_ONCE = 1 << 17;

export type CellType = 'u8' | 'u16' | 'u32' | 'f64';

const WIDTHS: Readonly<Record<CellType, Width>> = { u8: 1, u16: 2, u32: 4, f64: 8 };

interface Section {
  readonly at: number;
  readonly bytes: number;
  readonly crc: number;
  readonly type: CellType;
}

interface Index {
  readonly sections: Record<string, Section>;
  readonly facts: unknown;
}

/** A pack that cannot be used: cut, damaged or of another version. Nothing in it is trusted; it is made again. */
export class PackError extends Error {
  override readonly name = 'PackError';
  readonly path: string;

  constructor(path: string, problem: string) {
    super(`${path} ${problem}`);
    this.path = path;
  }
}

/** Takes the next bytes of a file; it is done with them when it returns. */
export type Sink = (bytes: Uint8Array) => void;

/** Writes section after section, so that no more than one is in memory. */
export class PackWriter {
  private readonly sections: Record<string, Section> = Object.create(null) as Record<string, Section>;
  private readonly sink: Sink;
  private at = MAGIC.length;

  constructor(sink: Sink) {
    this.sink = sink;
    sink(Buffer.from(MAGIC));
  }

  cells(name: string, cells: Cells): void {
    this.section(name, bytesOf(cells), typeOf(cells));
  }

  bytes(name: string, bytes: Uint8Array): void {
    this.section(name, bytes, 'u8');
  }

  json(name: string, value: unknown): void {
    this.bytes(name, Buffer.from(JSON.stringify(value)));
  }

  /** Takes over a section of another pack as it is. */
  copy(name: string, from: PackReader): void {
    const { bytes, type, crc } = from.raw(name);
    this.section(name, bytes, type, crc);
  }

  /** A section of bytes that come in pieces. */
  pieces(name: string, pieces: Iterable<Uint8Array>): void {
    this.begin(name);
    const at = this.at;
    let crc = 0;
    for (const piece of pieces) {
      crc = crc32(piece, crc);
      this.put(piece);
    }
    this.sections[name] = { at, bytes: this.at - at, crc, type: 'u8' };
  }

  /** Two sections of one name would be one when they are read. */
  private begin(name: string): void {
    if (name in this.sections) throw new Error(`a pack has two sections ${name}`);
    this.align();
  }

  private section(name: string, bytes: Uint8Array, type: CellType, crc = crc32(bytes)): void {
    this.begin(name);
    this.sections[name] = { at: this.at, bytes: bytes.length, crc, type };
    this.put(bytes);
  }

  private align(): void {
    const gap = (8 - (this.at % 8)) % 8;
    if (gap > 0) this.put(new Uint8Array(gap));
  }

  private put(bytes: Uint8Array): void {
    if (bytes.length > 0) this.sink(bytes);
    this.at += bytes.length;
  }

  /** Writes the end of the file; `facts` is any JSON value. */
  finish(facts: unknown): void {
    const index = Buffer.from(JSON.stringify({ sections: this.sections, facts } satisfies Index));
    const footer = Buffer.alloc(FOOTER);
    footer.writeUInt32LE(index.length, 0);
    footer.writeUInt32LE(crc32(index), 4);
    footer.write(MAGIC, 8, 'latin1');
    this.put(index);
    this.put(footer);
  }
}

/** Reads an open pack. The file stays readable when another process puts a newer one in its place. */
export class PackReader {
  readonly facts: unknown;
  readonly size: number;
  readonly mtimeMs: number;
  private readonly path: string;
  private readonly fd: number;
  private readonly sections: ReadonlyMap<string, Section>;
  private room = new ArrayBuffer(0);
  private readonly checked = new Set<string>();

  private constructor(path: string, fd: number, size: number, mtimeMs: number, index: Index) {
    this.path = path;
    this.fd = fd;
    this.size = size;
    this.mtimeMs = mtimeMs;
    this.facts = index.facts;
    this.sections = new Map(Object.entries(index.sections));
  }

  /**
   * Opens a pack of this user's and checks its index; undefined if there is none. Throws PackError for a file that is
   * no whole pack, the system's error if it cannot be read.
   */
  static open(path: string): PackReader | undefined {
    const fd = openPlain(path);
    if (fd === undefined) return undefined;
    try {
      const { size, mtimeMs, uid } = fstatSync(fd);
      if (process.getuid && uid !== process.getuid()) throw new PackError(path, 'is not yours');
      if (size < MAGIC.length + FOOTER) throw new PackError(path, 'is cut');
      const footer = readAt(path, fd, size - FOOTER, FOOTER);
      const length = footer.readUInt32LE(0);
      if (footer.toString('latin1', 8) !== MAGIC || length > size - MAGIC.length - FOOTER) {
        throw new PackError(path, 'is cut or no pack');
      }
      const index = readAt(path, fd, size - FOOTER - length, length);
      if (crc32(index) !== footer.readUInt32LE(4)) throw new PackError(path, 'is damaged');
      return new PackReader(path, fd, size, mtimeMs, JSON.parse(index.toString('utf8')) as Index);
    } catch (error) {
      closeSync(fd);
      throw error instanceof SyntaxError ? new PackError(path, 'is damaged') : error;
    }
  }

  has(name: string): boolean {
    return this.sections.has(name);
  }

  names(): IterableIterator<string> {
    return this.sections.keys();
  }

  /** How many cells a section has, and of how many bytes. */
  sizeOf(name: string): { readonly length: number; readonly width: Width } {
    const { bytes, type } = this.sections.get(name) ?? { bytes: 0, type: 'u8' };
    const width = WIDTHS[type];
    return { length: bytes / width, width };
  }

  cells(name: string): Cells {
    const section = this.sections.get(name);
    if (!section) return new Uint8Array(0);
    return cellsOf(this.load(section), section.type);
  }

  /** The same to look at once: the next glance at this pack overwrites them. */
  glance(name: string): Cells {
    const section = this.sections.get(name);
    if (!section) return new Uint8Array(0);
    if (this.room.byteLength < section.bytes) this.room = new ArrayBuffer(section.bytes);
    return cellsOf(this.load(section, new Uint8Array(this.room, 0, section.bytes)), section.type);
  }

  bytes(name: string): Uint8Array {
    return this.raw(name).bytes;
  }

  /** A part of a section into `into`, from its byte `at` on; the section is checked when the first part is asked for. */
  part(name: string, at: number, into: Uint8Array): void {
    const section = this.sections.get(name);
    if (!section || at < 0 || at + into.length > section.bytes) throw new PackError(this.path, 'is incomplete');
    if (!this.checked.has(name)) this.check(name, section);
    fillAt(this.path, this.fd, section.at + at, into);
  }

  private check(name: string, section: Section): void {
    const room = new Uint8Array(Math.min(CHECKED_AT_ONCE, section.bytes));
    this.read(section, at => room.subarray(0, Math.min(room.length, section.bytes - at)));
    this.checked.add(name);
  }

  /** The value of a JSON section. Throws PackError where there is none. */
  json(name: string): unknown {
    if (!this.has(name)) throw new PackError(this.path, 'is incomplete');
    const { buffer, byteOffset, length } = this.bytes(name);
    return JSON.parse(Buffer.from(buffer, byteOffset, length).toString('utf8'));
  }

  raw(name: string): { readonly bytes: Uint8Array; readonly type: CellType; readonly crc: number } {
    const section = this.sections.get(name);
    if (!section) return { bytes: new Uint8Array(0), type: 'u8', crc: 0 };
    return { bytes: this.load(section), type: section.type, crc: section.crc };
  }

  close(): void {
    closeSync(this.fd);
  }

  private load(section: Section, bytes = new Uint8Array(new ArrayBuffer(section.bytes))): Uint8Array<ArrayBuffer> {
    this.read(section, at => bytes.subarray(at, at + CHECKED_AT_ONCE));
    return bytes;
  }

  /** Reads a section piece by piece, each into the place that is told for it, and checks it while it is in the processor's cache. */
  private read(section: Section, placeOf: (at: number) => Uint8Array): void {
    let crc = 0;
    for (let at = 0; at < section.bytes; ) {
      const piece = placeOf(at);
      fillAt(this.path, this.fd, section.at + at, piece);
      crc = crc32(piece, crc);
      at += piece.length;
    }
    if (crc !== section.crc) throw new PackError(this.path, 'is damaged');
  }
}

/** Opens a regular file, never through a link and never waiting for a pipe; undefined if there is none. */
function openPlain(path: string): number | undefined {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  let fd: number;
  try {
    fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw code === 'ELOOP' || code === 'EMLINK' ? new PackError(path, 'is a link') : error;
  }
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw new PackError(path, 'is no file');
}

function cellsOf({ buffer, byteLength }: Uint8Array<ArrayBuffer>, type: CellType): Cells {
  if (type === 'u8') return new Uint8Array(buffer, 0, byteLength);
  if (type === 'u16') return new Uint16Array(buffer, 0, byteLength / 2);
  return type === 'u32' ? new Uint32Array(buffer, 0, byteLength / 4) : new Float64Array(buffer, 0, byteLength / 8);
}

export function bytesOf(cells: Cells): Uint8Array {
  return new Uint8Array(cells.buffer, cells.byteOffset, cells.byteLength);
}

function typeOf(cells: Cells): CellType {
  if (cells instanceof Float64Array) return 'f64';
  return cells.BYTES_PER_ELEMENT === 4 ? 'u32' : cells.BYTES_PER_ELEMENT === 2 ? 'u16' : 'u8';
}

function readAt(path: string, fd: number, at: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  fillAt(path, fd, at, buffer);
  return buffer;
}

function fillAt(path: string, fd: number, at: number, into: Uint8Array): void {
  for (let done = 0; done < into.length; ) {
    const read = readSync(fd, into, done, into.length - done, at + done);
    if (read === 0) throw new PackError(path, 'is cut');
    done += read;
  }
}
