import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** The version that was measured (docs/performance.md); others may name the flag or grow the space in another way. */
const MEASURED = process.versions.v8.startsWith('11.3.');

/** Both halves of the young generation, bytes. */
const ENOUGH = 8 << 20;

let kept = !MEASURED;

/**
 * While a history is read nearly every object dies at once: a young generation of 8 MiB holds them as well as one of 32, to which
 * it would grow, and of which each page is touched for the first time. To be called now and then while reading. What
 * comes after it (pages, clusters) keeps more alive, and runs better with room.
 */
export function keepYoungSpace(): void {
  if (kept) return;
  const space = getHeapSpaceStatistics().find(each => each.space_name === 'new_space');
  if (!space || space.space_size < ENOUGH) return;
  setFlagsFromString('--semi-space-growth-factor=1');
  kept = true;
}

export function letYoungSpaceGrow(): void {
  if (!kept || !MEASURED) return;
  setFlagsFromString('--semi-space-growth-factor=2');
  kept = false;
}
