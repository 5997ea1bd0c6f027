import type { Pseudonyms } from './pseudonym.ts';

/**
 * `--mask project,branch,...`: the names of these frame kinds give way to pseudonyms for sharing, the same name
 * always to the same one, so that frames fold and compare as before. Which kinds exist is the caller's knowledge.
 */
export function maskerFor(kinds: Iterable<string>, pseudonyms: Pseudonyms): (kind: string, value: string) => string {
  const masked = new Set(kinds);
  return (kind, value) => {
    if (!masked.has(kind) || IDS.has(kind)) return value;
    return pseudonyms.nameOf(kind, value);
  };
}

/** These frames hold pseudonyms already, and `explain` must go on finding them. */
const IDS = new Set(['session', 'parent_session', 'prompt_id']);
