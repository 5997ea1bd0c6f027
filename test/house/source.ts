import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Folders that hold no text of ours: what is installed, built or copied from elsewhere. */
const NOT_OURS = new Set(['node_modules', 'dist', 'out', 'coverage', '.git', 'fixtures', 'golden']);

/** All files of the project with forward slashes, relative to the root, sorted; `below` narrows to one folder. */
export function files(below = ''): string[] {
  const found: string[] = [];
  const walk = (folder: string): void => {
    for (const entry of readdirSync(path.join(ROOT, folder), { withFileTypes: true })) {
      const place = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !NOT_OURS.has(entry.name)) walk(place);
      else if (entry.isFile()) found.push(place);
    }
  };
  walk(below);
  return found.sort();
}

export function text(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}
