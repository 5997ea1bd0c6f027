// @ts-check
// The recorder's engine between builds: built by scripts/build-recorder.mjs, kept in node_modules/.cache with the hash of what
// it was built from, and carried into dist/ by every build as long as that is what it would be built from today.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

export const ENGINE = 'agentsight-engine';

/** @param {string} root */
const cacheOf = root => path.join(root, 'node_modules/.cache');

/**
 * SHA-256 over the sources of the engine, the script that builds it and the kind of machine, as hex.
 *
 * @param {string} root of the project
 * @param {string} arch
 */
export function engineSources(root, arch = process.arch) {
  const hash = createHash('sha256').update(`${process.platform} ${arch}\n`);
  const sources = readdirSync(path.join(root, 'recorder')).sort();
  for (const file of [...sources.map(name => `recorder/${name}`), 'scripts/build-recorder.mjs']) {
    const bytes = readFileSync(path.join(root, file));
    hash.update(`${file} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex');
}

/**
 * Keeps a built engine for later builds.
 *
 * @param {string} root @param {string} built path of the program @param {string} sources see engineSources, taken before it was built
 */
export function keepEngine(root, built, sources) {
  const cache = cacheOf(root);
  mkdirSync(cache, { recursive: true });
  // The word for it goes first and comes last: at no moment stands a program beside the word for another.
  rmSync(path.join(cache, `${ENGINE}.sources`), { force: true });
  put(built, path.join(cache, ENGINE));
  writeFileSync(path.join(cache, `${ENGINE}.sources`), `${sources}\n`);
}

/**
 * Copies the kept engine into a folder if it is that of today's sources. `stale`: there is one, of other sources.
 *
 * @param {string} root @param {string} into @param {string} [arch]
 * @returns {'carried' | 'stale' | 'none'}
 */
export function carryEngine(root, into, arch) {
  const kept = path.join(cacheOf(root), ENGINE);
  let sources;
  try {
    sources = readFileSync(`${kept}.sources`, 'utf8').trim();
  } catch {
    return 'none';
  }
  if (sources !== engineSources(root, arch)) return 'stale';
  mkdirSync(into, { recursive: true });
  try {
    put(kept, path.join(into, ENGINE));
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return 'none';
    throw error;
  }
  return 'carried';
}

/** Whole or not at all, also where the old one is running. @param {string} from @param {string} to */
function put(from, to) {
  const fresh = `${to}.${process.pid}`;
  copyFileSync(from, fresh);
  chmodSync(fresh, 0o755);
  renameSync(fresh, to);
}
