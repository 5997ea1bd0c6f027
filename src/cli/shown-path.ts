import { homedir } from 'node:os';
import type { Redactor } from '../privacy/redact.ts';
import { redactorHere } from './homes.ts';

let own: Redactor | undefined;

/**
 * A path, or a message that begins with one, as it is shown without being asked for whole: on the owner's terminal, but it may be
 * pasted into a bug report. A shell opens it all the same: `~` is the own home, `*` stands for the name of a user.
 */
export function shownPath(path: string): string {
  own ??= redactorHere([]);
  return own.path(path, homedir());
}
