import type { Bytes, Elf } from './elf.ts';

const STEP = 8 << 20;

/** Every place in `[from, from + size)` of the file where one of the patterns begins, in order of the file. */
export async function occurrences(
  file: Bytes,
  patterns: readonly Buffer[],
  from = 0,
  size = file.size,
): Promise<{ at: number; pattern: number }[]> {
  const longest = Math.max(...patterns.map(({ length }) => length));
  const end = Math.min(file.size, from + size);
  const found: { at: number; pattern: number }[] = [];
  for (let at = from; at < end; at += STEP) {
    // A pattern may lie over the border: it counts for the piece in which it begins.
    const piece = await file.read(at, Math.min(STEP + longest - 1, end - at));
    patterns.forEach((pattern, index) => {
      for (let hit = piece.indexOf(pattern); hit >= 0 && hit < STEP; hit = piece.indexOf(pattern, hit + 1))
        found.push({ at: at + hit, pattern: index });
    });
  }
  return found.sort((a, b) => a.at - b.at);
}

/**
 * The first of the patterns, in their order, that stands among a program's constants, with all its places. Constants
 * have segments of their own, or lie with the code in programs linked the old way.
 */
export async function firstConstant(
  file: Bytes,
  elf: Elf,
  patterns: readonly Buffer[],
): Promise<{ pattern: number; places: number[] } | undefined> {
  const apart = elf.segments.filter(({ executable, writable }) => !executable && !writable);
  const segments = apart.length > 0 ? apart : elf.segments.filter(({ executable }) => executable);
  for (const [pattern, bytes] of patterns.entries()) {
    const places: number[] = [];
    for (const { offset, size } of segments)
      for (const { at } of await occurrences(file, [bytes], offset, size)) places.push(at);
    if (places.length > 0) return { pattern, places };
  }
  return undefined;
}
