import { words } from '../meaning/text/words.ts';
import { Kind } from '../trace/kinds.ts';
import type { Trace } from '../trace/trace.ts';
import type { Unit } from './units.ts';

/** The form in which a value of a field may be shown. */
export type ShownValue = (field: string, value: string) => string;

/**
 * The terms of each unit: its tools, commands, names of files, hosts and tags, which default outputs may show anyway.
 * Words of prompts are among them only where `promptText` gives the form in which prompts may be shown.
 */
export function termsOf(
  trace: Trace,
  units: readonly Unit[],
  shown: ShownValue,
  promptText?: (text: string) => string,
): ReadonlySet<string>[] {
  const { ops } = trace;
  return units.map(unit => {
    const terms = new Set<string>();
    const add = (field: string, value: string): void => {
      if (value !== '') terms.add(shown(field, value));
    };
    for (const row of unit.rows) {
      const kind = ops.kind.get(row);
      if (kind === Kind.prompt) {
        const tag = trace.value('prompt', row);
        if (tag !== 'unmatched') add('prompt', tag);
        if (promptText)
          for (const word of words(promptText(ops.texts.get('prompt', row)))) if (says(word)) terms.add(word);
      }
      if (kind === Kind.tool) {
        add('tool', ops.field.tool.get(row));
        add('command', ops.field.command.get(row));
      }
      if (kind !== Kind.tool && kind !== Kind.effect) continue;
      const file = shown('file', ops.field.file.get(row));
      if (file !== '') terms.add(file.slice(file.lastIndexOf('/') + 1));
      // The host of a model is the same for all that it does.
      if (kind === Kind.tool || ops.kind.get(trace.links.tool[row] as number) === Kind.tool)
        add('domain', ops.field.domain.get(row));
    }
    terms.delete('');
    return terms;
  });
}

/** Function words are everywhere and numbers nowhere twice; both score low, but need not be looked at. */
function says(word: string): boolean {
  return (word.length > 2 || /\P{ASCII}/u.test(word)) && !/\d/.test(word);
}

const MOST_TERMS = 8;

/** A term must be in so many units of a cluster, and in this share of them, to speak for it. */
const FEWEST_UNITS = 2;
const LEAST_SHARE = 0.15;

/**
 * What tells the units of a cluster from all others, the most telling first: the share of its units that have a term,
 * times the logarithm of how much larger that is than the share outside.
 */
export function distinctive(terms: readonly ReadonlySet<string>[], inside: (unit: number) => boolean): string[] {
  const counts = new Map<string, { here: number; there: number }>();
  let here = 0;
  terms.forEach((own, unit) => {
    const within = inside(unit);
    if (within) here++;
    for (const term of own) {
      let count = counts.get(term);
      if (!count) counts.set(term, (count = { here: 0, there: 0 }));
      if (within) count.here++;
      else count.there++;
    }
  });
  const there = terms.length - here;
  const scored: { term: string; score: number }[] = [];
  for (const [term, count] of counts) {
    if (count.here < Math.max(FEWEST_UNITS, LEAST_SHARE * here)) continue;
    const share = (count.here + 0.5) / (here + 1);
    const other = (count.there + 0.5) / (there + 1);
    if (share > other) scored.push({ term, score: share * Math.log(share / other) });
  }
  scored.sort((a, b) => b.score - a.score || (a.term < b.term ? -1 : 1));
  return scored.slice(0, MOST_TERMS).map(({ term }) => term);
}

/** Characters of a label. */
export const LONGEST_LABEL = 20;
export const NOISE_LABEL = 'noise';

/** A label of at most 20 characters for each cluster from its most telling terms; no two are equal. */
export function labelsFrom(terms: readonly (readonly string[])[]): string[] {
  const labels: string[] = [];
  for (const [at, own] of terms.entries()) labels.push(unused(labelFrom(own) || `cluster ${at + 1}`, labels));
  return labels;
}

/** What says nothing new beside a longer term, or does not fit any more, is left out. */
function labelFrom(terms: readonly string[]): string {
  let label = '';
  for (const term of terms) {
    const word = clean(term);
    if (word === '' || label.includes(word)) continue;
    const longer = label === '' ? word : `${label} ${word}`;
    if ([...longer].length <= LONGEST_LABEL) label = longer;
  }
  return label === '' ? cut(clean(terms[0] ?? '')) : label;
}

/** `label` cut to size, made different from those taken by a number. */
export function unused(label: string, taken: readonly string[]): string {
  const base = cut(clean(label));
  if (!taken.includes(base) && base !== NOISE_LABEL) return base;
  for (let n = 2; ; n++) {
    const numbered = `${[...base]
      .slice(0, LONGEST_LABEL - 1 - String(n).length)
      .join('')
      .trim()} ${n}`;
    if (!taken.includes(numbered)) return numbered;
  }
}

/** What stacks and conditions read as syntax, and line ends, are not part of a name. */
function clean(text: string): string {
  return text.replace(/[\s;,=<>\u0000-\u001f]+/g, ' ').trim();
}

function cut(text: string): string {
  return [...text].slice(0, LONGEST_LABEL).join('').trim();
}
