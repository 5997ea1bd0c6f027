import { readFileSync } from 'node:fs';
import { ProfileFileError, readProfile } from '../formats/read-profile.ts';
import type { Profile } from '../profile/profile.ts';
import { UsageError } from '../trace/usage-error.ts';

/** A profile that some run wrote. `measure` is what folded text counts, which it does not say itself. */
export function profileIn(file: string, measure: string): Profile {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}.`);
  }
  try {
    return readProfile(bytes, measure);
  } catch (error) {
    if (!(error instanceof ProfileFileError)) throw error;
    throw new UsageError(
      `${file}: ${error.message}. Profiles that can be read: .json, .pb.gz, .pb and .folded, as profile -o writes them.`,
    );
  }
}
