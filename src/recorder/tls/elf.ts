/** A file of which a part at a time is read; a read beyond the end gives fewer bytes. */
export interface Bytes {
  readonly size: number;
  read(offset: number, length: number): Promise<Buffer>;
}

/** A part of the file that is mapped when the program runs. */
export interface Segment {
  offset: number;
  address: number;
  size: number;
  executable: boolean;
  writable: boolean;
}

export interface Elf {
  machine: 'x64' | 'arm64' | 'other';
  /** True: runs at the addresses it names (ET_EXEC). False: may be laid anywhere (libraries, most programs today). */
  fixed: boolean;
  segments: Segment[];
  symbolTables: { offset: number; size: number; names: { offset: number; size: number } }[];
}

const MACHINES: Readonly<Record<number, Elf['machine']>> = { 62: 'x64', 183: 'arm64' };
const [PT_LOAD, EXECUTABLE, WRITABLE, SHT_SYMTAB, SHT_DYNSYM, ET_EXEC] = [1, 1, 2, 2, 11, 2];
/** Larger tables than any program has; a header that claims more is broken or made to harm. */
const LARGEST_TABLE = 256 << 20;

/** The parts of a 64-bit little-endian ELF file (System V ABI, chapters 4 and 5) that finding functions needs, or undefined. */
export async function elfOf(file: Bytes): Promise<Elf | undefined> {
  const head = await file.read(0, 64);
  if (head.length < 64 || head.readUInt32BE(0) !== 0x7f454c46 || head[4] !== 2 || head[5] !== 1) return undefined;
  const table = async (at: number, size: number, count: number, least: number): Promise<Buffer[]> => {
    if (size < least) return [];
    const bytes = await file.read(Number(head.readBigUInt64LE(at)), size * count);
    return Array.from({ length: Math.floor(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
  };
  const number = (bytes: Buffer, at: number): number => Number(bytes.readBigUInt64LE(at));
  const programs = await table(32, head.readUInt16LE(54), head.readUInt16LE(56), 56);
  const sections = await table(40, head.readUInt16LE(58), head.readUInt16LE(60), 64);
  const placeOf = (section: Buffer) => ({ offset: number(section, 24), size: number(section, 32) });
  const symbolTables = sections
    .filter(section => [SHT_DYNSYM, SHT_SYMTAB].includes(section.readUInt32LE(4)))
    .sort((a, b) => b.readUInt32LE(4) - a.readUInt32LE(4))
    .flatMap(section => {
      const names = sections[section.readUInt32LE(40)];
      const place = { ...placeOf(section), names: names === undefined ? { offset: 0, size: 0 } : placeOf(names) };
      return Math.max(place.size, place.names.size) > LARGEST_TABLE ? [] : [place];
    });
  return {
    machine: MACHINES[head.readUInt16LE(18)] ?? 'other',
    fixed: head.readUInt16LE(16) === ET_EXEC,
    segments: programs
      .filter(program => program.readUInt32LE(0) === PT_LOAD)
      .map(program => ({
        offset: number(program, 8),
        address: number(program, 16),
        size: number(program, 32),
        executable: (program.readUInt32LE(4) & EXECUTABLE) !== 0,
        writable: (program.readUInt32LE(4) & WRITABLE) !== 0,
      })),
    symbolTables,
  };
}

/** Where an address of code lies in the file, or undefined. */
export function offsetOf(elf: Elf, address: number): number | undefined {
  const segment = elf.segments.find(
    ({ executable, address: from, size }) => executable && address >= from && address < from + size,
  );
  return segment === undefined ? undefined : address - segment.address + segment.offset;
}

/**
 * File offsets of the functions with these names, from the table for the dynamic linker, else from the full one. A name that
 * stands for two places is left out.
 */
export async function functionsOf(file: Bytes, elf: Elf, names: readonly string[]): Promise<Map<string, number>> {
  for (const { offset, size, names: text } of elf.symbolTables) {
    const strings = await file.read(text.offset, text.size);
    const wanted = new Map<number, string>();
    // Linkers let a name share the tail of a longer one, so a name may begin anywhere.
    for (const name of names)
      for (let at = strings.indexOf(`${name}\0`); at >= 0; at = strings.indexOf(`${name}\0`, at + 1))
        wanted.set(at, name);
    if (wanted.size === 0) continue;
    const found = new Map<string, Set<number>>();
    const symbols = await file.read(offset, size);
    for (let at = 0; at + 24 <= symbols.length; at += 24) {
      const name = wanted.get(symbols.readUInt32LE(at));
      // STT_FUNC, defined here (not SHN_UNDEF, which is what the user of a library has).
      if (name === undefined || (symbols[at + 4]! & 15) !== 2 || symbols.readUInt16LE(at + 6) === 0) continue;
      const place = offsetOf(elf, Number(symbols.readBigUInt64LE(at + 8)));
      if (place !== undefined) found.set(name, (found.get(name) ?? new Set()).add(place));
    }
    const unique = new Map(
      [...found].filter(([, places]) => places.size === 1).map(([name, [place]]) => [name, place!]),
    );
    if (unique.size > 0) return unique;
  }
  return new Map();
}
