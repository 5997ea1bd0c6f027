import { seededRandom } from '../meaning/text/hash.ts';

/**
 * How well given labels agree with true ones, one of each an item, in two arrays of equal length. All functions throw
 * RangeError for arrays of unequal length and give NaN where there is nothing to measure.
 */
type Labels = readonly string[];

/** Share of items whose label is the true one. */
export function accuracy(gold: Labels, given: Labels): number {
  checkLengths(gold, given);
  return gold.filter((label, at) => label === given[at]).length / gold.length;
}

/** What was found of one true label. */
export interface LabelScore {
  readonly label: string;
  readonly gold: number;
  readonly given: number;
  readonly right: number;
  /** NaN where the label was never given. */
  readonly precision: number;
  readonly recall: number;
  /** 2 right / (gold + given): 0 where nothing is right. */
  readonly f1: number;
}

/** Scores of the labels that are in `gold`, by name. */
export function labelScores(gold: Labels, given: Labels): LabelScore[] {
  checkLengths(gold, given);
  const [golds, givens] = [counts(gold), counts(given)];
  const rights = counts(gold.filter((label, at) => label === given[at]));
  return [...golds.keys()].sort().map(label => {
    const [n, m, right] = [golds.get(label) ?? 0, givens.get(label) ?? 0, rights.get(label) ?? 0];
    return { label, gold: n, given: m, right, precision: right / m, recall: right / n, f1: (2 * right) / (n + m) };
  });
}

/** Mean F1 over the labels that are in `gold`; labels that are only given count by what they take away. */
export function macroF1(gold: Labels, given: Labels): number {
  const scores = labelScores(gold, given);
  return scores.reduce((sum, { f1 }) => sum + f1, 0) / scores.length;
}

/** How far two groupings agree whatever their labels are called. */
export interface VMeasure {
  /** Each given group holds one true label only. */
  readonly homogeneity: number;
  /** Each true label lies in one given group only. */
  readonly completeness: number;
  /** Their harmonic mean. */
  readonly v: number;
}

/** 1 - H(gold | given) / H(gold), the same the other way round, and their harmonic mean; 1 where an entropy is 0. */
export function vMeasure(gold: Labels, given: Labels): VMeasure {
  checkLengths(gold, given);
  const [both, golds, givens] = [pairs(gold, given), counts(gold), counts(given)];
  const mutual = entropy(golds) + entropy(givens) - entropy(both);
  const part = (own: number) => (own === 0 ? 1 : Math.min(1, Math.max(0, mutual / own)));
  const [homogeneity, completeness] = [part(entropy(golds)), part(entropy(givens))];
  const sum = homogeneity + completeness;
  const v = gold.length === 0 ? Number.NaN : sum === 0 ? 0 : (2 * homogeneity * completeness) / sum;
  return { homogeneity, completeness, v };
}

/**
 * Pairs of items that both groupings put together or apart, corrected for chance: 1 for equal groupings, about 0 for
 * unrelated ones, and 1 where both put all items together or all apart.
 */
export function adjustedRand(gold: Labels, given: Labels): number {
  checkLengths(gold, given);
  const together = (groups: ReadonlyMap<string, number>) =>
    [...groups.values()].reduce((sum, n) => sum + (n * (n - 1)) / 2, 0);
  const all = (gold.length * (gold.length - 1)) / 2;
  const [inGold, inGiven, inBoth] = [counts(gold), counts(given), pairs(gold, given)].map(together) as [
    number,
    number,
    number,
  ];
  const chance = (inGold * inGiven) / all;
  const most = (inGold + inGiven) / 2;
  return most === chance ? 1 : (inBoth - chance) / (most - chance);
}

/** Cohen's kappa of two persons (or passes): agreement beyond what their own shares of labels give by chance. */
export function cohenKappa(one: Labels, other: Labels): number {
  const seen = accuracy(one, other);
  const [shares, others] = [counts(one), counts(other)];
  const chance = [...shares].reduce((sum, [label, n]) => sum + (n * (others.get(label) ?? 0)) / one.length ** 2, 0);
  return chance === 1 ? 1 : (seen - chance) / (1 - chance);
}

/** Control: the most frequent true label for everything, of equally frequent ones the first by name. */
export function majorityControl(gold: Labels): string[] {
  const [most = ''] = [...counts(gold)].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))[0] ?? [];
  return gold.map(() => most);
}

/** Control: labels drawn by their true shares, whatever the item. The same seed draws the same. */
export function randomControl(gold: Labels, seed: number): string[] {
  const random = seededRandom(seed);
  return gold.map(() => gold[Math.floor(random() * gold.length)] as string);
}

function checkLengths(one: Labels, other: Labels): void {
  if (one.length !== other.length) throw new RangeError(`${one.length} labels cannot be compared with ${other.length}`);
}

function counts(labels: Labels): Map<string, number> {
  const found = new Map<string, number>();
  for (const label of labels) found.set(label, (found.get(label) ?? 0) + 1);
  return found;
}

function pairs(one: Labels, other: Labels): Map<string, number> {
  return counts(one.map((label, at) => JSON.stringify([label, other[at]])));
}

/** In nats. */
function entropy(groups: ReadonlyMap<string, number>): number {
  const all = [...groups.values()].reduce((sum, n) => sum + n, 0);
  return [...groups.values()].reduce((sum, n) => sum - (n / all) * Math.log(n / all), 0);
}
