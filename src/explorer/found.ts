import type { Flame } from './flame.ts';
import { matchedTotal, matchesOf } from './ranks.ts';

/** What the search says of a flame. */
export interface Found {
  /** One byte a frame; undefined where nothing is searched. */
  readonly hits: Uint8Array | undefined;
  /** The pattern is no regular expression. */
  readonly bad: boolean;
  /** Exact value below matching frames. */
  readonly total: bigint;
  readonly nodes: number;
}

export const NOTHING: Found = { hits: undefined, bad: false, total: 0n, nodes: 0 };

export function find(flame: Flame, pattern: string): Found {
  if (pattern.trim() === '') return NOTHING;
  const hits = matchesOf(flame, pattern);
  return hits ? { hits, bad: false, ...matchedTotal(flame, hits) } : { ...NOTHING, bad: true };
}
