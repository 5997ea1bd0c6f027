import { join } from 'node:path';
import type { Root } from '../reader.ts';

/** `OPENCODE_DATA_DIR` names the directory itself; other readers honour it too. */
export function roots(home: string, env: NodeJS.ProcessEnv): Root[] {
  const found: Root[] = [];
  for (const directory of (env.OPENCODE_DATA_DIR ?? '').split(',').map(part => part.trim())) {
    if (directory !== '') found.push({ path: directory, from: 'OPENCODE_DATA_DIR', accepts });
  }
  if (found.length > 0) return found;
  const moved = env.XDG_DATA_HOME ?? '';
  return moved !== ''
    ? [{ path: join(moved, 'opencode'), from: 'XDG_DATA_HOME', accepts }]
    : [{ path: join(home, '.local', 'share', 'opencode'), from: 'HOME/.local/share/opencode', accepts }];
}

/** The database of each release channel, and the messages that versions before 1.2 kept one a file. */
export function accepts(relative: string): boolean {
  return /^opencode(-[^/]+)?\.db$/.test(relative) || /^storage\/message\/[^/]+\/[^/]+\.json$/.test(relative);
}

export function isDocumentPath(path: string): boolean {
  return path.endsWith('.json');
}

/** Parts are read with their message; sessions too; the rest of `storage` tells nothing of calls. */
export function companion(path: string): boolean {
  const parts = path.split(/[\\/]/);
  const at = parts.lastIndexOf('storage');
  const below = at >= 0 ? (parts[at + 1] ?? '') : (parts.at(-3) ?? '');
  if (/\.db-(wal|shm)$/.test(path)) return /[\\/]opencode[^\\/]*\.db-(wal|shm)$/.test(path);
  return /^(part|session|session_diff|session_share|todo|project|share|migration)$/.test(below) && at >= 0;
}

/** `storage` of a message file: three folders up; '' for a file that is not in one. */
export function storageOf(path: string): string {
  return /^(.*)[\\/]message[\\/][^\\/]+[\\/][^\\/]+\.json$/.exec(path)?.[1] ?? '';
}

/** A name for the session of a message that names none: the folder it lies in. */
export function folderOf(path: string): string {
  return path.split(/[\\/]/).at(-2) ?? '';
}
