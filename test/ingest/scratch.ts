import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** A folder of its own for a test file, gone after it. Gives a function that writes a file there and gives its path. */
export function scratch(): { readonly folder: string; write(name: string, bytes: string | Uint8Array): string } {
  const folder = mkdtempSync(join(tmpdir(), 'ingest-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return {
    folder,
    write(name, bytes) {
      const path = join(folder, name);
      writeFileSync(path, bytes);
      return path;
    },
  };
}
