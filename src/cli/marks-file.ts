import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { marksFile } from '../meaning/segmentation/marks-file.ts';

/** The file of marks that a flag names, or this user's own. */
export function marksPath(flag: string | undefined): string {
  return flag === undefined ? marksFile(process.env, homedir()) : resolve(flag);
}

/** Whether there is anything to apply, or to complain about; `false` is --no-marks. */
export function hasMarks(flag: string | false | undefined): boolean {
  if (flag === false) return false;
  try {
    statSync(marksPath(flag));
    return true;
  } catch (error) {
    return flag !== undefined || (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}
