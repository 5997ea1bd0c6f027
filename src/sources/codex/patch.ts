import { isAbsolute, join } from 'node:path';
import { fieldsOf, textOf } from './fields.ts';
import type { PatchedFile } from './state.ts';

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

/** `changes` of a patch event or FileChange item: absolute paths with what was done to each. */
export function changedFiles(changes: unknown): PatchedFile[] {
  const files: PatchedFile[] = [];
  for (const [path, value] of Object.entries(fieldsOf(changes) ?? {})) {
    const change = fieldsOf(value);
    // Before 0.4x the kind was the only key: {"add": {...}}.
    const kind = textOf(change?.type) || (change && Object.keys(change)[0]) || '';
    const target = textOf(change?.move_path) || textOf(fieldsOf(change?.[kind])?.move_path);
    if (target !== '' && target !== path) files.push({ kind: 'move', path, target });
    else files.push({ kind: kind === 'add' ? 'create' : kind === 'delete' ? 'delete' : 'write', path, target: '' });
  }
  return files;
}
