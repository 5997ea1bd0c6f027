import type { Pseudonyms } from '../privacy/pseudonym.ts';
import type { Redactor } from '../privacy/redact.ts';
import type { Frame, Label, Profile } from '../profile/profile.ts';
import { remap } from '../profile/remap.ts';
import { ID_FRAMES } from './ids.ts';

/** The profile as it may leave: ids as pseudonyms, masked names, secrets and homes gone from every value. */
export function publish(profile: Profile, pseudonyms: Pseudonyms, redactor: Redactor, mask: (kind: string, value: string) => string): Profile {
  const shown = (kind: string, value: string): string => {
    if (ID_FRAMES.has(kind)) return pseudonyms.of(kind, value);
    return mask(kind, redactor.frame(kind, value));
  };
  const frame = (each: Frame): Frame => ({ kind: each.kind, value: shown(each.kind, each.value) });
  const label = (each: Label): Label => ('text' in each ? { key: each.key, text: shown(each.key, each.text) } : each);
  return remap(profile, frame, label, id => pseudonyms.of('session', id));
}
