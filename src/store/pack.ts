import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { Cells } from '../trace/columns.ts';

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

export type CellType = 'u8' | 'u16' | 'u32' | 'f64';

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
}

/** Collects sections in memory and gives the chunks of the file in order. */
export class PackWriter {
  private readonly chunks: Uint8Array[] = [Buffer.from(MAGIC)];
  private readonly sections: Record<string, Section> = Object.create(null) as Record<string, Section>;
  private at = MAGIC.length;

  cells(name: string, cells: Cells): void {
    this.section(name, new Uint8Array(cells.buffer, cells.byteOffset, cells.byteLength), typeOf(cells));
  }

  bytes(name: string, bytes: Uint8Array): void {
    this.section(name, bytes, 'u8');
  }

  private section(name: string, bytes: Uint8Array, type: CellType): void {
    const gap = (8 - (this.at % 8)) % 8;
    if (gap > 0) this.chunks.push(new Uint8Array(gap));
    this.at += gap;
    this.sections[name] = { at: this.at, bytes: bytes.length, crc: crc32(bytes), type };
    this.chunks.push(bytes);
    this.at += bytes.length;
  }

  /** The whole file; `facts` is any JSON value. */
  finish(facts: unknown): Uint8Array[] {
    const index = Buffer.from(JSON.stringify({ sections: this.sections, facts } satisfies Index));
    const footer = Buffer.alloc(FOOTER);
    footer.writeUInt32LE(index.length, 0);
    footer.writeUInt32LE(crc32(index), 4);
    footer.write(MAGIC, 8, 'latin1');
    return [...this.chunks, index, footer];
  }
}

/** Reads an open pack. The file stays readable when another process puts a newer one in its place. */
export class PackReader {
  readonly facts: unknown;
  private readonly fd: number;
  private readonly sections: Map<string, Section>;

  private constructor(fd: number, index: Index) {
    this.fd = fd;
    this.facts = index.facts;
    this.sections = new Map(Object.entries(index.sections));
  }

  /** Opens and checks the index. Throws PackError for a file that is no whole pack, the system's error if it cannot be read. */
  static open(path: string): PackReader {
    const fd = openSync(path, 'r');
    try {
      const size = fstatSync(fd).size;
      if (size < MAGIC.length + FOOTER) throw new PackError('is cut');
      const footer = readAt(fd, size - FOOTER, FOOTER);
      const length = footer.readUInt32LE(0);
      if (footer.toString('latin1', 8) !== MAGIC || length > size - MAGIC.length - FOOTER) throw new PackError('is no pack of this version');
      const index = readAt(fd, size - FOOTER - length, length);
      if (crc32(index) !== footer.readUInt32LE(4)) throw new PackError('is damaged');
      return new PackReader(fd, JSON.parse(index.toString('utf8')) as Index);
    } catch (error) {
      closeSync(fd);
      throw error instanceof SyntaxError ? new PackError('is damaged') : error;
    }
  }

  has(name: string): boolean {
    return this.sections.has(name);
  }

  names(): IterableIterator<string> {
    return this.sections.keys();
  }

  cells(name: string): Cells {
    const section = this.sections.get(name);
    if (!section) return new Uint8Array(0);
    const { buffer } = this.load(section);
    switch (section.type) {
      case 'u8':
        return new Uint8Array(buffer);
      case 'u16':
        return new Uint16Array(buffer);
      case 'u32':
        return new Uint32Array(buffer);
      default:
        return new Float64Array(buffer);
    }
  }

  bytes(name: string): Uint8Array {
    const section = this.sections.get(name);
    return section ? this.load(section) : new Uint8Array(0);
  }

  close(): void {
    closeSync(this.fd);
  }

  private load(section: Section): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(new ArrayBuffer(section.bytes));
    fillAt(this.fd, section.at, bytes);
    if (crc32(bytes) !== section.crc) throw new PackError('is damaged');
    return bytes;
  }
}

function typeOf(cells: Cells): CellType {
  if (cells instanceof Float64Array) return 'f64';
  return cells.BYTES_PER_ELEMENT === 4 ? 'u32' : cells.BYTES_PER_ELEMENT === 2 ? 'u16' : 'u8';
}

function readAt(fd: number, at: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  fillAt(fd, at, buffer);
  return buffer;
}

function fillAt(fd: number, at: number, into: Uint8Array): void {
  for (let done = 0; done < into.length; ) {
    const read = readSync(fd, into, done, into.length - done, at + done);
    if (read === 0) throw new PackError('is cut');
    done += read;
  }
}
