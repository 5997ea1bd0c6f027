import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { SearchPlan } from '../sources/find.ts';

/**
 * The homes to look in: this person's own with its variables, or those that were named. Of several each has a number by
 * which its history goes, for a path would tell whose it is.
 */
export function homesToSearch(named: readonly string[]): SearchPlan['homes'] {
  if (named.length === 0) return [{ path: homedir(), env: process.env }];
  return named.map((path, at) => ({
    path: resolve(path),
    env: {},
    ...(named.length > 1 ? { host: `home-${at + 1}` } : {}),
  }));
}
