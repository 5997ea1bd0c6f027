import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../../disk/folder.ts';

/** Writes a file whole or not at all, for nobody else to read; missing folders are made for nobody else too. */
export function writePrivately(file: string, text: string): void {
  makeFolder(dirname(file));
  const unfinished = `${file}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    writeFileSync(unfinished, text, { mode: 0o600, flag: 'wx' });
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}
