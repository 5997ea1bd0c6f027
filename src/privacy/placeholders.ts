/**
 * What stands where something was taken out. Square brackets break no output format, and no rule of this folder
 * matches a placeholder, so redacting twice changes nothing.
 */
export const REDACTED = '[redacted]';
export const EMAIL = '[email]';
export const USER = '[user]';
export const ACCOUNT = '[account]';
/** A home directory, whoever owns it. */
export const HOME = '~';
