import { createHash, randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, linkSync, openSync, readSync, unlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { makeFolder } from '../disk/folder.ts';

/** The key of pseudonyms. `warning` says that ids of this run will not be met again, and what to do about it. */
export interface IdKey {
  readonly key: Buffer;
  readonly warning?: string;
}

const KEY_BYTES = 32;

/**
 * The key of this user on this machine: 32 random bytes in `${XDG_CONFIG_HOME:-~/.config}/agentpprof/id.key`, made on
 * first use. AGENTPPROF_ID_KEY (any text) takes its place, for tests and for machines that must agree. Where the
 * folder cannot be used, the key is made for this run alone and a warning comes with it. Never throws.
 */
export function idKey(env: NodeJS.ProcessEnv): IdKey {
  const given = env.AGENTPPROF_ID_KEY;
  if (given) return { key: createHash('sha256').update(given).digest() };
  const { XDG_CONFIG_HOME: config } = env;
  // The XDG specification says that relative paths are to be ignored.
  const base = config && isAbsolute(config) ? config : join(env.HOME || homedir(), '.config');
  const folder = join(base, 'agentpprof');
  try {
    return { key: keyIn(folder) };
  } catch (error) {
    const why =
      error instanceof DamagedKey ? error.message : ((error as NodeJS.ErrnoException).code ?? 'unknown reason');
    return {
      key: randomBytes(KEY_BYTES),
      warning: `Session ids will differ in every run: the key of ids, ${config ? '$XDG_CONFIG_HOME' : '~/.config'}/agentpprof/id.key, cannot be used (${why}). Make that folder writable, or set AGENTPPROF_ID_KEY.`,
    };
  }
}

class DamagedKey extends Error {}

function keyIn(folder: string): Buffer {
  const path = join(folder, 'id.key');
  const before = read(path);
  if (before) return before;
  makeFolder(folder);
  publish(path, randomBytes(KEY_BYTES));
  const after = read(path);
  if (!after) throw new DamagedKey('vanished while it was made');
  return after;
}

function read(path: string): Buffer | undefined {
  let file: number;
  try {
    // A named pipe in its place would block for ever without O_NONBLOCK.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    if (!fstatSync(file).isFile()) throw new DamagedKey('is not a file; delete it');
    const bytes = Buffer.alloc(KEY_BYTES + 1);
    if (readSync(file, bytes, 0, bytes.length, 0) !== KEY_BYTES) throw new DamagedKey('is damaged; delete it');
    return bytes.subarray(0, KEY_BYTES);
  } finally {
    closeSync(file);
  }
}

/**
 * Puts a whole key at `path` unless another process was first: a link fails if the name is taken, and what it names
 * is complete. File systems without links get an exclusive write.
 */
function publish(path: string, key: Buffer): void {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, key, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'EEXIST') writeExclusively(path, key);
  } finally {
    unlinkSync(draft);
  }
}

function writeExclusively(path: string, key: Buffer): void {
  try {
    writeFileSync(path, key, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
