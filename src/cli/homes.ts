import { homedir, userInfo } from 'node:os';
import { resolve } from 'node:path';
import { type Redactor, redactorFor } from '../privacy/redact.ts';
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

/** A redactor that knows this machine's person, the homes that were named, and the user names in these directories. */
export function redactorHere(directories: Iterable<string>, named: readonly string[] = []): Redactor {
  const home = homedir();
  return redactorFor([home, ...directories], { homes: [home, ...named.map(path => resolve(path))], users: userHere() });
}

function userHere(): string[] {
  const { USER: user, LOGNAME: name } = process.env;
  try {
    return [userInfo().username, user ?? '', name ?? ''];
  } catch {
    // Nobody has this number: a container.
    return [user ?? '', name ?? ''];
  }
}
