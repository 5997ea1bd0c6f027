import { statSync } from 'node:fs';

/** A file beside another one that its reader asks for, and what it was when that was read. */
export type Sibling = readonly [path: string, mark: string];

/** Inode, size and time of a file; '' for one that is not there. */
export function markOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? `${stat.ino} ${stat.size} ${stat.mtimeMs}` : '';
}
