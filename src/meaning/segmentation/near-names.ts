/**
 * Names that mean the same and are written in two ways: the same words in another order or number, or one word with a
 * slip in it. The rarer name becomes the more frequent one. Marks keep their names; which names are shown as which is a
 * table of its own, that a person can read and overrule.
 */
export type Renaming = ReadonlyMap<string, string>;

/** Names with how often each was used. `overrules` are renamings of a person: a name to itself keeps it as it is. */
export function renamingOf(uses: ReadonlyMap<string, number>, overrules: Renaming = new Map()): Map<string, string> {
  const ranked = [...uses].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([name]) => name);
  const bySignature = new Map<string, string>();
  const renaming = new Map<string, string>();
  for (const name of ranked) {
    const own = overrules.get(name);
    if (own !== undefined) {
      if (own !== name) renaming.set(name, own);
      continue;
    }
    const found = signaturesOf(name)
      .map(signature => bySignature.get(signature))
      .find(other => other !== undefined && alike(name, other));
    if (found !== undefined) renaming.set(name, found);
    else for (const signature of signaturesOf(name)) if (!bySignature.has(signature)) bySignature.set(signature, name);
  }
  return renaming;
}

/** Words in order of the alphabet and singular; and all that is left when one letter of a long word is left out. */
function signaturesOf(name: string): string[] {
  const stems = stemsOf(name);
  const whole = stems.join(' ');
  const found = [whole];
  stems.forEach((stem, at) => {
    if (stem.length < SHORTEST_SLIP) return;
    for (let letter = 0; letter < stem.length; letter++) {
      const cut = stem.slice(0, letter) + stem.slice(letter + 1);
      found.push(stems.map((other, which) => (which === at ? cut : other)).join(' '));
    }
  });
  return found;
}

/** In a shorter word another letter is another word. */
const SHORTEST_SLIP = 6;

function stemsOf(name: string): string[] {
  const [verb = '', ...rest] = name.split(' ');
  return [verb, ...rest.map(singular).sort()];
}

function singular(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

/** Words one slip apart that differ in a digit are a series and no slip. */
function alike(a: string, b: string): boolean {
  return a.replace(/\D/g, '') === b.replace(/\D/g, '') && a.split(' ')[0] === b.split(' ')[0];
}
