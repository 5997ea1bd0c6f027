import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { marksFile } from '../meaning/segmentation/marks-file.ts';
import { warn } from './terminal.ts';

/** The file of marks that a flag names, or this user's own. */
export function marksPath(flag: string | undefined): string {
  return flag === undefined ? marksFile(process.env, homedir()) : resolve(flag);
}

/**
 * Whether there is anything to apply, or to complain about; `false` is --no-marks. That this user's own marks cannot be
 * looked at is a warning: nobody asked for them.
 */
export function hasMarks(flag: string | false | undefined): boolean {
  if (flag === false) return false;
  const path = marksPath(flag);
  try {
    if (flag === undefined) accessSync(path, constants.R_OK);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT')
      warn(
        `the marks of this user cannot be read (${code ?? 'unknown reason'}): no segments are shown; --no-marks says so`,
      );
    return false;
  }
}
