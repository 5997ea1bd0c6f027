import { createHash } from 'node:crypto';
import type { SourceFile } from '../reader.ts';
import { isObject, type Obj, objectOf } from '../shapes.ts';
import { projectOfPath } from './paths.ts';

/** The working directory that `projects.json` (since 0.3x) gives the project's folder; '' where it gives none. */
export function registeredDirectory(file: SourceFile, hash: string): string {
  const project = projectOfPath(file.path);
  for (const up of ['../../../projects.json', '../../../../projects.json']) {
    const projects = objectOf(file.sibling(up)).projects;
    if (!isObject(projects)) continue;
    for (const [cwd, name] of Object.entries(projects)) if (name === project || isHashOf(cwd, hash)) return cwd;
  }
  return '';
}

/**
 * `projectHash` is the SHA-256 of the working directory. A directory above a path that a tool was given, with that
 * hash, is it for certain: older versions leave no other trace of it.
 */
export function directoryAbove(args: unknown, hash: string): string {
  if (!/^[0-9a-f]{64}$/.test(hash) || !isObject(args)) return '';
  for (const value of Object.values(args as Obj)) {
    if (typeof value !== 'string' || value.length > 4096 || !/^(\/|[A-Za-z]:[\\/])/.test(value)) continue;
    for (
      let end = value.length;
      end > 0;
      end = Math.max(value.lastIndexOf('/', end - 1), value.lastIndexOf('\\', end - 1))
    ) {
      const directory = value.slice(0, end);
      if (isHashOf(directory, hash)) return directory;
    }
  }
  return '';
}

function isHashOf(directory: string, hash: string): boolean {
  return hash !== '' && createHash('sha256').update(directory).digest('hex') === hash;
}
