import { gunzipSync } from 'node:zlib';
import type { Profile } from '../profile/profile.ts';
import { readFolded } from './read-folded.ts';
import { readJson } from './read-json.ts';
import { readPprof } from './read-pprof.ts';

/** A file that is no profile of a kind that can be read; the message says what was tried and where it failed. */
export class ProfileFileError extends Error {
  override readonly name = 'ProfileFileError';
}

/** A file larger than this once it is unpacked is refused: a few kilobytes of gzip can stand for any size. */
const MOST_BYTES = 1 << 30;

/**
 * Reads a profile of any kind that keeps all of it: our JSON, pprof (gzipped or not), folded stacks. The kind is
 * seen in the content, so a file may have any name. `measure` is what folded text counts. Throws ProfileFileError.
 */
export function readProfile(bytes: Uint8Array, measure: string): Profile {
  const unpacked = bytes[0] === 0x1f && bytes[1] === 0x8b ? unzipped(bytes) : bytes;
  const text = textOf(unpacked);
  try {
    if (text === undefined) return readPprof(unpacked);
    if (text.trimStart().startsWith('{')) return readJson(text);
    return readFolded(text, measure);
  } catch (error) {
    const kind = text === undefined ? 'pprof' : text.trimStart().startsWith('{') ? 'agentpprof JSON' : 'folded stacks';
    throw new ProfileFileError(`read as ${kind}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function unzipped(bytes: Uint8Array): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: MOST_BYTES });
  } catch (error) {
    throw new ProfileFileError(`its gzip is broken or unpacks to more than ${MOST_BYTES >> 20} MB (${codeOf(error)})`);
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}

/** The bytes as text, or undefined where they are none: a pprof holds control characters in its first bytes. */
function textOf(bytes: Uint8Array): string | undefined {
  const head = bytes.subarray(0, 512);
  if (head.some(byte => byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
