import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it that are not there, for their owner alone. Returns the first that was made, undefined where all were
 * there. Throws the system's error. Node's own `recursive` never ends where a folder that is there says that nothing is in
 * it and takes nothing, as /proc does.
 */
export function makeFolder(folder: string): string | undefined {
  if (isFolder(folder)) return undefined;
  const above = dirname(folder);
  const made = above === folder ? undefined : makeFolder(above);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Somebody else may have made it in the meantime.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && isFolder(folder)) return made;
    throw error;
  }
  return made ?? folder;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
