import { readlinkSync, realpathSync } from 'node:fs';

/**
 * The time zone that local days are in, by the name that ICU has for it, and what that depends on. Nothing but ICU knows it, and
 * to ask is dear: its data are loaded, which nothing else in most runs needs.
 */
export interface Zone {
  /** '' where it cannot be told whether the zone is still the same. */
  readonly key: string;
  readonly name: string;
}

export function zoneNow(known: Zone | undefined): Zone {
  const key = keyNow();
  if (key !== '' && known?.key === key) return known;
  return { key, name: Intl.DateTimeFormat().resolvedOptions().timeZone };
}

const LOCAL = '/etc/localtime';

/** ICU looks at TZ, then at where the link to the machine's zone leads; and its own tables say what the zone is called. */
function keyNow(): string {
  const { TZ, ICU_TIMEZONE_FILES_DIR: tables, NODE_ICU_DATA: data } = process.env;
  const { icu, tz } = process.versions;
  const link = read(readlinkSync);
  const file = read(realpathSync.native);
  if (!(file || link).includes('/zoneinfo/')) return '';
  return JSON.stringify([TZ ?? null, link, file, icu, tz, tables, data]);
}

/** '' where there is no such link, or where it leads nowhere. */
function read(how: (path: string) => string): string {
  try {
    return how(LOCAL);
  } catch {
    return '';
  }
}
