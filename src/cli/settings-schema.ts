import * as z from 'zod';

/** The form of a project's settings. zod is slow to load: only a run that has found a file imports this. */
const text = z.string().trim().min(1);
const texts = z.union([text.transform(one => [one]), z.array(text)]);

const selection = z.strictObject({
  project_root: texts.optional(),
  agent: texts.optional(),
  since: text.optional(),
  until: text.optional(),
  branch: texts.optional(),
  where: texts.optional(),
});

export const SETTINGS_FILE = z.strictObject({
  version: z.literal(1).optional(),
  tag_rules: texts.optional(),
  preset: z.boolean().optional(),
  prices: text.optional(),
  session_gap: text.optional(),
  selection: selection.optional(),
});

/** The first thing that is wrong: where, and in words. */
export function wrongIn({ issues }: z.ZodError): { readonly place: (string | number)[]; readonly what: string } {
  const issue = issues[0] as z.core.$ZodIssue;
  const place = issue.path.filter((part): part is string | number => typeof part !== 'symbol');
  const name = place.join('.');
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const known = Object.keys((name === 'selection' ? selection : SETTINGS_FILE).shape).join(', ');
    return { place: [...place, key], what: `unknown key "${key}"; the keys here are ${known}` };
  }
  if (name === '') return { place, what: 'settings are a map of keys; begin the file with "version: 1"' };
  if (name === 'version') return { place, what: 'the version of the settings must be 1; write "version: 1"' };
  if (name === 'preset') return { place, what: '"preset" must be true or false' };
  if (name === 'selection') return { place, what: '"selection" must be a map of keys' };
  return {
    place,
    what: `"${name}" must be text (a number in quotes), or a list of texts where the flag may be repeated`,
  };
}
