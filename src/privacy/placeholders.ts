/**
 * What stands where something was taken out. Square brackets break no output format, and no rule of this folder
 * matches a placeholder, so redacting twice changes nothing.
 */
export const REDACTED = '[redacted]';
export const EMAIL = '[email]';
export const USER = '[user]';
export const ACCOUNT = '[account]';
const PLACEHOLDERS = new RegExp(
  [REDACTED, EMAIL, USER, ACCOUNT].map(each => `\\[${each.slice(1, -1)}\\]`).join('|'),
  'g',
);

/** A redacted text without what stands for what was taken out: for names that are made of its words. */
export const withoutPlaceholders = (text: string): string => text.replace(PLACEHOLDERS, ' ');

/** The same as a pattern of file names, which still finds what had that name. */
export const asPattern = (text: string): string => text.replace(PLACEHOLDERS, '*');

/** A home directory, whoever owns it. */
export const HOME = '~';
