import { seededRandom } from '../meaning/text/hash.ts';
import { bootstrap } from './bootstrap.ts';

/** One query: a session's operations in order, with a score each and which of them are what is looked for. */
export interface Query {
  readonly scores: readonly number[];
  readonly positive: readonly boolean[];
}

/**
 * Average precision without interpolation: the mean, over the positives, of the precision at their rank. Equal scores are
 * one block, and each of a block has the precision at its end, so that the order of equals says nothing. Undefined for a
 * query without a positive.
 */
export function averagePrecision({ scores, positive }: Query): number | undefined {
  const order = scores.map((_, at) => at).sort((a, b) => (scores[b] as number) - (scores[a] as number));
  let [found, sum] = [0, 0];
  for (let begin = 0; begin < order.length; ) {
    let end = begin;
    let here = 0;
    const score = scores[order[begin] as number];
    while (end < order.length && scores[order[end] as number] === score) if (positive[order[end++] as number]) here++;
    found += here;
    sum += (here * found) / end;
    begin = end;
  }
  return found === 0 ? undefined : sum / found;
}

/** How equal scores are ordered: not at all, by chance, earliest first, latest first. */
const TIES = ['block', 'random', 'first', 'last'] as const;
type Ties = (typeof TIES)[number];

const DRAWS = 50;
const SEED = 29;

/** Scores without equals among them, as the way of breaking ties orders them. */
function untied(scores: readonly number[], ties: Exclude<Ties, 'block'>, random: () => number): number[] {
  const keys = scores.map((_, at) => (ties === 'random' ? random() : ties === 'first' ? -at : at));
  const order = scores
    .map((_, at) => at)
    .sort((a, b) => (scores[a] as number) - (scores[b] as number) || (keys[a] as number) - (keys[b] as number));
  const ranks = new Array<number>(scores.length);
  order.forEach((at, rank) => {
    ranks[at] = rank;
  });
  return ranks;
}

export interface RankingResult {
  readonly ranking: string;
  readonly map: number;
  readonly interval: readonly [number, number];
  /** The same ranking with equals ordered by chance (mean of draws), earliest first and latest first. */
  readonly random: number;
  readonly first: number;
  readonly last: number;
}

/** MAP of a ranking, by name; `queries` are the same sessions in the same order for every ranking. */
export function rankingResults(
  rankings: ReadonlyMap<string, readonly Query[]>,
  draws: number,
): { readonly queries: number; readonly skipped: number; readonly results: readonly RankingResult[] } {
  const names = [...rankings.keys()];
  const all = names.map(name => (rankings.get(name) as readonly Query[]).filter(hasPositive));
  const skipped = (rankings.get(names[0] as string) ?? []).length - (all[0] ?? []).length;
  const precisions = all.map(queries => queries.map(query => averagePrecision(query) as number));
  const clusters = (all[0] ?? []).map((_, at) => at);
  const intervals = bootstrap(clusters, draws, weights =>
    Object.fromEntries(names.map((name, at) => [name, weightedMean(precisions[at] as number[], weights)])),
  );
  const results = names.map((ranking, at): RankingResult => {
    const queries = all[at] as readonly Query[];
    const broken = (ties: Exclude<Ties, 'block'>) => meanBroken(queries, ties);
    return {
      ranking,
      map: mean(precisions[at] as number[]),
      interval: intervals[ranking] ?? [0, 0],
      random: broken('random'),
      first: broken('first'),
      last: broken('last'),
    };
  });
  return { queries: clusters.length, skipped, results };
}

function hasPositive({ positive }: Query): boolean {
  return positive.includes(true);
}

function meanBroken(queries: readonly Query[], ties: Exclude<Ties, 'block'>): number {
  const random = seededRandom(SEED);
  const draws = ties === 'random' ? DRAWS : 1;
  const means = Array.from({ length: draws }, () =>
    mean(
      queries.map(
        ({ scores, positive }) => averagePrecision({ scores: untied(scores, ties, random), positive }) as number,
      ),
    ),
  );
  return mean(means);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function weightedMean(values: readonly number[], weights: ArrayLike<number>): number {
  let [sum, all] = [0, 0];
  for (let at = 0; at < values.length; at++) {
    sum += (values[at] as number) * (weights[at] as number);
    all += weights[at] as number;
  }
  return all === 0 ? 0 : sum / all;
}
