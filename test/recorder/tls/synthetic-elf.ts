import type { Bytes } from '../../../src/recorder/tls/elf.ts';

export const bytesOf = (buffer: Buffer): Bytes => ({
  size: buffer.length,
  read: async (offset, length) => buffer.subarray(offset, Math.min(buffer.length, offset + length)),
});

export interface Parts {
  fixed?: boolean;
  machine?: number;
  constants?: Buffer;
  code?: Buffer;
  /** `address` counts from the beginning of the code; `section` 0 is a symbol that another file defines. */
  symbols?: { name: string; address: number; section?: number; kind?: number }[];
  /** Names as they lie in the string table; else one after the other. */
  strings?: string;
}

export const CODE = 0x2000;
const CONSTANTS = 0x1000;
/** Addresses differ from places in the file, so that mixing them up shows. */
const BASE = 0x400000;

/** The address at which the constants begin when the program runs. */
export const CONSTANTS_ADDRESS = BASE + CONSTANTS;

/** A 64-bit ELF file with one segment of constants, one of code, and a table of symbols for the dynamic linker. */
export function elfFile(parts: Parts): Buffer {
  const code = parts.code ?? Buffer.alloc(64);
  const strings = Buffer.from(parts.strings ?? `\0${(parts.symbols ?? []).map(({ name }) => `${name}\0`).join('')}`);
  const symbolsAt = CODE + code.length;
  const symbols = Buffer.concat(
    (parts.symbols ?? []).map(({ name, address, section = 1, kind = 2 }) => {
      const symbol = Buffer.alloc(24);
      symbol.writeUInt32LE(strings.indexOf(`${name}\0`), 0);
      symbol[4] = 0x10 | kind;
      symbol.writeUInt16LE(section, 6);
      symbol.writeBigUInt64LE(BigInt(BASE + CODE + address), 8);
      return symbol;
    }),
  );
  const stringsAt = symbolsAt + symbols.length;
  const sectionsAt = stringsAt + strings.length;
  const file = Buffer.alloc(sectionsAt + 3 * 64);
  Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]).copy(file);
  file.writeUInt16LE(parts.fixed === false ? 3 : 2, 16);
  file.writeUInt16LE(parts.machine ?? 62, 18);
  file.writeBigUInt64LE(64n, 32);
  file.writeBigUInt64LE(BigInt(sectionsAt), 40);
  file.writeUInt16LE(56, 54);
  file.writeUInt16LE(2, 56);
  file.writeUInt16LE(64, 58);
  file.writeUInt16LE(3, 60);
  const segment = (at: number, flags: number, offset: number, size: number): void => {
    file.writeUInt32LE(1, at);
    file.writeUInt32LE(flags, at + 4);
    file.writeBigUInt64LE(BigInt(offset), at + 8);
    file.writeBigUInt64LE(BigInt(BASE + offset), at + 16);
    file.writeBigUInt64LE(BigInt(size), at + 32);
  };
  segment(64, 4, 0, CODE);
  segment(120, 5, CODE, code.length);
  parts.constants?.copy(file, CONSTANTS);
  code.copy(file, CODE);
  symbols.copy(file, symbolsAt);
  strings.copy(file, stringsAt);
  const section = (at: number, kind: number, offset: number, size: number, link: number): void => {
    file.writeUInt32LE(kind, at + 4);
    file.writeBigUInt64LE(BigInt(offset), at + 24);
    file.writeBigUInt64LE(BigInt(size), at + 32);
    file.writeUInt32LE(link, at + 40);
  };
  section(sectionsAt + 64, 11, symbolsAt, symbols.length, 2);
  section(sectionsAt + 128, 3, stringsAt, strings.length, 0);
  return file;
}
