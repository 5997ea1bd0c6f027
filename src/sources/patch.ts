import { isAbsolute, join } from 'node:path';

/** A file that a patch changed. */
export interface PatchedFile {
  kind: 'create' | 'write' | 'delete' | 'move';
  path: string;
  /** Where it was moved; '' for other kinds. */
  target: string;
}

const HEADER = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$/gm;

/** The files of an apply_patch text. Relative paths are joined to `workdir` if that is given. */
export function patchedFiles(patch: string, workdir = ''): PatchedFile[] {
  const files: PatchedFile[] = [];
  for (const [, action, line = ''] of patch.matchAll(HEADER)) {
    const written = line.trim();
    const path = workdir !== '' && !isAbsolute(written) ? join(workdir, written) : written;
    const before = files.at(-1);
    if (action === 'Add File') files.push({ kind: 'create', path, target: '' });
    else if (action === 'Delete File') files.push({ kind: 'delete', path, target: '' });
    else if (action === 'Update File') files.push({ kind: 'write', path, target: '' });
    else if (before?.kind === 'write') files[files.length - 1] = { kind: 'move', path: before.path, target: path };
  }
  return files;
}
