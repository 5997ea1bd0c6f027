import type { Comparison } from '../profile/diff.ts';
import type { Change, DiffTree } from '../profile/diff-tree.ts';
import { counted } from '../trace/counted.ts';
import type { Measure } from '../trace/measures.ts';
import { displayText } from './names.ts';
import { exactly, nounOf, share, words } from './units.ts';

/** What a comparison says in words; the same in every output. */

/** A value as a person says it: in a paired comparison the mean of a task. */
export function said(comparison: Comparison, value: bigint, sign = false): string {
  const { paired, measure } = comparison;
  if (paired === undefined || paired.tasks === 0) return words(value, measure.unit, sign);
  const mean = Number(value) / paired.tasks;
  if (measure.unit !== 'count' || Math.abs(mean) >= 1000) return words(BigInt(Math.round(mean)), measure.unit, sign);
  const text = String(Number(mean.toFixed(2)));
  return sign && Number(text) > 0 ? `+${text}` : text;
}

/** The value in full, with what it counts: `+2,087,655 tokens`. */
export function inFull(comparison: Comparison, value: bigint, sign = false): string {
  const { paired, measure } = comparison;
  const noun = nounOf(measure, value);
  const text = `${exactly(value, measure.unit, sign)}${noun === '' ? '' : ` ${noun}`}`;
  return paired === undefined
    ? text
    : `${text} in ${counted(paired.tasks, 'task')}, ${said(comparison, value, sign)} each`;
}

/** The large line: `+3.2 M tokens · +25.6 %`; shares have no change in all. */
export function totalLine(tree: DiffTree): string {
  const { comparison } = tree;
  if (comparison.normalized) return `Shares of ${named(comparison.measure)}`;
  const change = tree.change(0);
  if (change.change === 0n) return `No change in ${named(comparison.measure)}`;
  const noun = nounOf(comparison.measure, change.change);
  const each = comparison.paired === undefined ? '' : ' a task';
  const amount = `${said(comparison, change.change, true)}${noun === '' ? '' : ` ${noun}`}${each}`;
  return `${amount} · ${relative(change)}`;
}

/** `A October: 12.4 M tokens, 17 sessions`. */
export function sideLine(tree: DiffTree, side: 'a' | 'b'): string {
  const { comparison } = tree;
  const { name, sessions, given } = comparison[side];
  const value = (comparison.normalized ? given[comparison.at] : tree[side][0]) as bigint;
  const noun = nounOf(comparison.measure, value);
  const facts = [
    `${comparison.normalized && comparison.paired === undefined ? words(value, comparison.measure.unit) : said(comparison, value)}${noun === '' ? '' : ` ${noun}`}${comparison.paired === undefined ? '' : ' a task'}`,
    ...(sessions === undefined ? [] : [counted(sessions, 'session')]),
  ];
  return displayText(`${side.toUpperCase()} ${name}: ${facts.join(', ')}`);
}

/** `+53 %`, `3.1 times`, `new`, `gone`. */
export function relative({ a, b, change, fate }: Pick<Change, 'a' | 'b' | 'change' | 'fate'>): string {
  if (fate === 'appeared') return 'new';
  if (fate === 'vanished') return 'gone';
  if (change === 0n) return 'unchanged';
  if (a <= 0n || b < 0n) return change > 0n ? 'up' : 'down';
  if (b >= 3n * a) return `${(Number(b) / Number(a)).toFixed(Number(b) / Number(a) < 10 ? 1 : 0)} times`;
  return `${change > 0n ? '+' : '-'}${share(change < 0n ? -change : change, a)}`.replace(/^([+-])([<>]) /, '$2 $1');
}

/** The same as a verb: `grew 53 %`, `grew to 3.1 times`, `shrank 12 %`, `is new`, `is gone`. */
export function happened(change: Pick<Change, 'a' | 'b' | 'change' | 'fate'>): string {
  const much = relative(change);
  if (much === 'new' || much === 'gone') return `is ${much}`;
  if (much === 'unchanged') return 'did not change';
  if (much === 'up' || much === 'down') return `went ${much}`;
  if (much.endsWith('times')) return `grew to ${much}`;
  return `${change.change > 0n ? 'grew' : 'shrank'} ${much.replace(/[+-]/, '')}`;
}

/** `A (October)`, for use in a sentence, where a name alone may not read like one. */
function called({ a, b }: Comparison, side: 'a' | 'b'): string {
  return `${side.toUpperCase()} (${displayText((side === 'a' ? a : b).name)})`;
}

/** `+0.4 M to +3.9 M`; empty where there is no interval. */
export function intervalWords(comparison: Comparison, { low, high }: Pick<Change, 'low' | 'high'>): string {
  if (low === undefined || high === undefined) return '';
  return `${said(comparison, low, true)} to ${said(comparison, high, true)}`;
}

/** The change of the whole as a sentence that names both sides. */
export function headSentence(tree: DiffTree): string {
  const { comparison } = tree;
  const { measure, paired } = comparison;
  const { change } = tree.change(0);
  const [before, after] = [called(comparison, 'a'), called(comparison, 'b')];
  if (comparison.normalized)
    return `Where the shares of ${named(measure)} differ: ${after} is scaled to the ${said(comparison, tree.a[0] as bigint)} of ${before}, so the changes add up to nothing.`;
  if (change === 0n)
    return `${after} and ${before} have the same ${named(measure)}: ${said(comparison, tree.a[0] as bigint)}.`;
  const size = said(comparison, change < 0n ? -change : change);
  const noun = nounOf(measure, change);
  const more = change > 0n;
  const each = paired === undefined ? '' : ' a task';
  const from = `${said(comparison, tree.a[0] as bigint)} to ${said(comparison, tree.b[0] as bigint)}`;
  const verb =
    measure.unit === 'microusd'
      ? `cost ${size}${each} ${more ? 'more' : 'less'}`
      : measure.unit === 'nanoseconds'
        ? `took ${size}${each} ${more ? 'longer' : 'less'}`
        : `has ${size} ${more ? 'more' : 'fewer'} ${noun}${each}`;
  return `${after} ${verb} than ${before}: ${from} (${relative(tree.change(0))}).`;
}

/** Why there is nothing to draw, as a sentence that names the way out; undefined where there is something. */
export function nothingToShow(tree: DiffTree): string | undefined {
  const { comparison } = tree;
  const { a, b, measure, measures, paired } = comparison;
  const [before, after] = [called(comparison, 'a'), called(comparison, 'b')];
  const empty = (side: 'a' | 'b') => comparison[side].given.every(value => value === 0n);
  if (empty('a') && empty('b')) return 'Nothing was selected on either side, so there is nothing to compare.';
  if (paired !== undefined && paired.tasks === 0)
    return `No ${displayText(paired.field)} is on both sides, so nothing can be paired: ${paired.onlyA} only in ${before}, ${paired.onlyB} only in ${after}.`;
  if (comparison.notNormalized.includes(measure.name))
    return `${capital(named(measure))} cannot be normalised: a side has none, or less than nothing somewhere, and so no shares.`;
  if (tree.width.total[0] !== 0n) return undefined;
  const others = measures.filter((_, m) => a.given[m] !== 0n || b.given[m] !== 0n).map(each => each.name);
  return `Neither side has ${named(measure)}: every value is zero.${others.length === 0 ? '' : ` They have ${others.join(', ')}.`}`;
}

/** What one should know to read the numbers: how they were compared, what the intervals are, what is missing. */
export function notesOf(tree: DiffTree): string[] {
  const { comparison } = tree;
  const { paired, normalized, measure } = comparison;
  const notes: string[] = [];
  const blank = nothingToShow(tree) !== undefined;
  const name = { a: called(comparison, 'a'), b: called(comparison, 'b') };
  for (const side of ['a', 'b'] as const) {
    const { given, self } = comparison[side];
    if (!blank && given.every(value => value === 0n))
      notes.push(
        side === 'a' ? `${name.a} is empty: all of ${name.b} is new.` : `${name.b} is empty: all of ${name.a} is gone.`,
      );
    if (self[comparison.at]?.some(value => value < 0n))
      notes.push(`${name[side]} holds negative values: it is itself a difference.`);
  }
  if (!blank && tree.selfA.every((value, n) => value === tree.selfB[n]))
    notes.push(`Both sides are equal: no frame changed in ${named(measure)}.`);
  if (normalized)
    notes.push(`Normalised: ${name.b} is scaled to the total of ${name.a}; what is left are shifts of shares.`);
  if (paired !== undefined)
    notes.push(
      `Paired by ${displayText(paired.field)}: ${counted(paired.tasks, 'task')} on both sides, the mean of their differences; left out ${paired.onlyA} only in ${name.a}, ${paired.onlyB} only in ${name.b}.`,
    );
  if (!blank) notes.push(intervalNote(comparison));
  return notes;
}

/** Below this number of units the ends of a percentile interval are known to lie too close to each other. */
const ROUGH = 12;

/** What the intervals are, or why there are none. */
export function intervalNote({ intervals, noInterval, noise, paired, a, b }: Comparison): string {
  const small = `changes below ${percent(noise)} of the larger side`;
  if (intervals !== undefined) {
    const units = paired?.tasks ?? Math.min(a.sessions ?? 0, b.sessions ?? 0);
    const few = units < ROUGH ? ` Few ${intervals.over}: take them as rough.` : '';
    return `Intervals: ${intervals.level} %, bootstrap over ${intervals.over}, ${intervals.resamples.toLocaleString('en-US')} draws, each frame by itself. Grey: the interval holds zero, or ${small}.${few}`;
  }
  const of = displayText(noInterval?.of ?? '');
  const reason =
    noInterval?.reason === 'bare'
      ? `${of} does not tell its sessions apart`
      : noInterval?.reason === 'few'
        ? `${of} has fewer than ${noInterval.least} ${paired === undefined ? 'sessions' : 'tasks on both sides'} to draw from`
        : `${of} is empty`;
  return `No interval is possible: ${reason}. Grey: ${small}.`;
}

export function percent(part: number): string {
  return `${Number((part * 100).toFixed(4))} %`;
}

/** `tokens`, `time`, `cost`, `file effects`. */
export function named(measure: Measure): string {
  return displayText(nounOf(measure, 0n) || measure.name);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
