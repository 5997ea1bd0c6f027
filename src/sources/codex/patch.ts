import type { PatchedFile } from '../patch.ts';
import { fieldsOf, textOf } from './fields.ts';

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
