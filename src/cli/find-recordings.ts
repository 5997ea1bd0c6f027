import { readdirSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { PART, recordingsDirectory } from '../recorder/place.ts';
import type { RecordingFiles } from '../recorder/reader.ts';
import type { SearchPlan } from '../sources/find.ts';
import { UsageError } from '../trace/usage-error.ts';

/**
 * The recordings to join: in the folders named, or where the recorder puts them. False: none. Oldest first. Where nothing
 * was recorded this is one look into a folder, and nothing else is loaded.
 */
export async function findRecordings(
  given: readonly string[] | false | undefined,
  homes: SearchPlan['homes'],
): Promise<readonly RecordingFiles[]> {
  if (given === false || given === undefined) return [];
  const found = new Map<string, RecordingFiles>();
  const places =
    given.length > 0 ? given.map(path => resolve(path)) : homes.map(home => recordingsDirectory(home.env, home.path));
  for (const path of places) {
    if (!holdsRecordings(path, given.length > 0)) continue;
    const { recordingsIn } = await import('../recorder/reader.ts');
    for (const recording of recordingsIn(path)) found.set(recording.id, recording);
  }
  return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** A folder with parts of recordings, or one part. What was named must be readable. */
function holdsRecordings(path: string, named: boolean): boolean {
  try {
    if (named && !statSync(path).isDirectory()) {
      if (PART.test(basename(path))) return true;
      throw new UsageError(`--recordings: ${path} is neither a folder nor a file that agentsight record wrote.`);
    }
    return readdirSync(path).some(name => PART.test(name));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (named)
      throw new UsageError(
        `--recordings: cannot read ${path}: ${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}.`,
      );
    return false;
  }
}
