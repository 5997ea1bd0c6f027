// @ts-check
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ROOT } from './paths.mjs';
import { npm } from './run.mjs';

/** @typedef {{ version?: string, integrity?: string, optional?: boolean }} Locked */

/** @param {string} file @returns {Promise<Record<string, Locked> | undefined>} */
async function packagesOf(file) {
  try {
    return JSON.parse(await readFile(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/**
 * What is in node_modules against what the lock file asks for. Contents decide and not times, because a checkout gives
 * every file a new time. Optional packages may be absent: npm leaves out those of other platforms.
 *
 * @param {Record<string, Locked> | undefined} wanted `packages` of package-lock.json
 * @param {Record<string, Locked> | undefined} present `packages` of node_modules/.package-lock.json
 * @returns {string} the first difference in words, or ''
 */
export function difference(wanted, present) {
  if (!wanted) return 'package-lock.json cannot be read';
  if (!present) return 'nothing is installed yet';
  for (const [place, lock] of Object.entries(wanted)) {
    if (place === '') continue;
    const have = present[place];
    if (!have) {
      if (lock.optional) continue;
      return `${place} is missing`;
    }
    if (have.version !== lock.version || have.integrity !== lock.integrity) return `${place} is not the locked one`;
  }
  return '';
}

/**
 * Runs `npm ci` where node_modules is missing or not what the lock file says.
 *
 * @param {(line: string) => void} say
 * @returns {Promise<boolean>} false if npm failed; what npm said is on the terminal
 */
export async function ensureInstalled(say) {
  const wanted = await packagesOf(path.join(ROOT, 'package-lock.json'));
  const present = await packagesOf(path.join(ROOT, 'node_modules', '.package-lock.json'));
  const why = difference(wanted, present);
  if (!why) return true;
  say(`npm ci (${why})`);
  // Development packages hold the compiler; NODE_ENV=production must not leave them out.
  const { code } = await npm(['ci', '--include=dev', '--no-audit', '--no-fund']);
  return code === 0;
}
