import { createHash } from 'node:crypto';
import { dotAll, kMeans } from '../text/kmeans.ts';
import { rowsAt, type SparseRows, withoutEmptyColumns } from '../text/sparse.ts';
import { type Features, TfIdf } from '../text/tfidf.ts';
import { distinctiveWords, type Grouped, tellingWords } from './distinct.ts';
import { ownWords } from './intent.ts';
import { tagOf } from './rule.ts';

/** A distinct text and how many prompts have it. */
export interface Counted {
  readonly text: string;
  readonly prompts: number;
}

/** A group as the cache keeps it: its name, and its centroid's greatest columns. */
export interface KeptCluster {
  readonly tag: string;
  readonly words: readonly string[];
  readonly prompts: number;
  readonly columns: readonly number[];
  readonly values: readonly number[];
}

export interface Clusters {
  readonly k: number;
  /** Mean silhouette of the chosen k, and of all that were tried. */
  readonly silhouette: number;
  readonly tried: readonly { readonly k: number; readonly silhouette: number }[];
  /** Tag of each text; texts without any word have none. */
  readonly tags: ReadonlyMap<string, string>;
  readonly clusters: readonly KeptCluster[];
}

const FEATURES: Features = { dimensions: 1 << 14, grams: [3, 4], gramWeight: 0.5 };
const SEED = 20_240_229;
const LEAST_K = 5;
const MOST_K = 25;
/** k is chosen on so many texts: more of them change it no more. */
const SAMPLE = 1500;
const NEARLY = 0.9;
/** After so many rounds hardly a text changes its group. */
const ROUNDS = 12;
/** What a prompt is about shows in its beginning. */
const READ = 1000;
/** Columns of a centroid that the cache keeps; they hold nearly all of its length. */
const KEPT = 256;
/** Groups of two runs with this cosine are the same group. */
const SAME = 0.5;
/** A text that has next to nothing in common with its group is in it only because it must be somewhere. */
const LEAST_SIMILARITY = 0.08;

/**
 * Groups texts by the words and character n-grams of what is said in them, in any script: spherical k-means with a fixed
 * seed, of 5 to 25 groups: the fewest that reach nine tenths of the highest mean silhouette (simplified: by distances to centroids)
 * on a sample, because with few texts the highest is always that of the most groups.
 * A group is called after its two most distinctive words.
 *
 * With the groups of an earlier run there are as many again, they begin where those were, and each is called like the one
 * it is nearest to: a history that grows keeps its names.
 * The order of the texts does not matter. `sayable` gives what of a text may be in a name.
 */
export function clusterTexts(
  given: readonly Counted[],
  sayable: (text: string) => string,
  earlier: readonly KeptCluster[] = [],
): Clusters {
  const texts = given
    .map(each => ({ ...each, own: said(sayable(each.text)), order: hashOf(each.text) }))
    .map(each => ({ ...each, words: tellingWords(each.own) }))
    .filter(({ words }) => words.size > 0)
    .sort((a, b) => (a.order < b.order ? -1 : 1));
  if (texts.length === 0) return { k: 0, silhouette: 0, tried: [], tags: new Map(), clusters: [] };
  const { rows, original } = withoutEmptyColumns(new TfIdf(FEATURES).fitRows(texts.map(({ own }) => own)));
  const weights = texts.map(({ prompts }) => prompts);
  const from = earlier.length === 0 ? undefined : centroidsOf(earlier, original);
  const sample = rowsAt(
    rows,
    Uint32Array.from({ length: Math.min(SAMPLE, texts.length) }, (_, at) => at),
  );
  const tried = silhouettes(withoutEmptyColumns(sample).rows, from ? [earlier.length] : undefined);
  const best = Math.max(...tried.map(each => each.silhouette));
  const { k, silhouette } = tried.find(each => each.silhouette >= NEARLY * best) ?? (tried[0] as (typeof tried)[0]);
  const found = kMeans(rows, { k, seed: SEED, weights, rounds: ROUNDS, ...(from ? { from } : {}) });
  const grouped = texts.map(
    ({ words, prompts }, at): Grouped => ({
      words,
      group: found.groups[at] as number,
      weight: prompts,
    }),
  );
  const words = distinctiveWords(grouped, found.k, 5);
  const kept = words.map((own, group) => ({ own, ...greatest(found.centroids, found.k, group, original) }));
  const names = namesOf(kept, earlier);
  const tags = new Map<string, string>();
  texts.forEach(({ text }, at) => {
    const name = names[found.groups[at] as number];
    if (name !== undefined && (found.similarity[at] as number) >= LEAST_SIMILARITY) tags.set(text, name);
  });
  const sizes = new Map<number, number>();
  for (const { group, weight } of grouped) sizes.set(group, (sizes.get(group) ?? 0) + weight);
  const clusters = kept
    .map(({ own, columns, values }, group) => ({
      tag: names[group] ?? '',
      words: own,
      prompts: sizes.get(group) ?? 0,
      columns,
      values,
    }))
    .filter(({ tag, prompts }) => tag !== '' && prompts > 0);
  return { k, silhouette, tried, tags, clusters };
}

function said(text: string): string {
  const own = ownWords(text);
  return (own === '' ? text : own).slice(0, READ);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function silhouettes(sample: SparseRows, only?: readonly number[]): { k: number; silhouette: number }[] {
  const most = Math.min(MOST_K, Math.max(1, Math.floor(sample.rows / 2)));
  const ks = only ?? (most < LEAST_K ? [most] : Array.from({ length: most - LEAST_K + 1 }, (_, at) => LEAST_K + at));
  return ks.map(asked => {
    const { k, centroids, groups } = kMeans(sample, { k: asked, seed: SEED, rounds: ROUNDS });
    const sums = new Float64Array(k);
    let total = 0;
    for (let row = 0; row < sample.rows; row++) {
      dotAll(sample, row, k, centroids, sums);
      const own = 1 - (sums[groups[row] as number] as number);
      let next = Number.POSITIVE_INFINITY;
      for (let c = 0; c < k; c++) if (c !== groups[row]) next = Math.min(next, 1 - (sums[c] as number));
      if (k > 1) total += (next - own) / Math.max(next, own, 1e-12);
    }
    return { k: asked, silhouette: total / sample.rows };
  });
}

/** Centroids that were kept, over the columns there are now. */
function centroidsOf(earlier: readonly KeptCluster[], original: Uint32Array): Float32Array {
  const k = earlier.length;
  const place = new Map(Array.from(original, (column, at) => [column, at]));
  const centroids = new Float32Array(original.length * k);
  earlier.forEach(({ columns, values }, c) => {
    columns.forEach((column, at) => {
      const now = place.get(column);
      if (now !== undefined) centroids[now * k + c] = values[at] as number;
    });
  });
  return centroids;
}

function greatest(
  centroids: Float32Array,
  k: number,
  group: number,
  original: Uint32Array,
): { columns: number[]; values: number[] } {
  const entries: [number, number][] = [];
  for (let at = group; at < centroids.length; at += k) {
    const value = centroids[at] as number;
    if (value > 0) entries.push([original[(at - group) / k] as number, value]);
  }
  const top = entries
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, KEPT)
    .sort((a, b) => a[0] - b[0]);
  return { columns: top.map(([column]) => column), values: top.map(([, value]) => Math.round(value * 1e4) / 1e4) };
}

interface Named {
  readonly own: readonly string[];
  readonly columns: readonly number[];
  readonly values: readonly number[];
}

/** The nearest pair of an old and a new group is matched first; what matches nothing gets a new name. */
function namesOf(groups: readonly Named[], earlier: readonly KeptCluster[]): (string | undefined)[] {
  const names = new Array<string | undefined>(groups.length).fill(undefined);
  const pairs = groups.flatMap((group, at) => earlier.map((old, was) => ({ at, was, cosine: cosine(group, old) })));
  const taken = new Set<number>();
  for (const { at, was, cosine: near } of pairs.sort((a, b) => b.cosine - a.cosine || a.at - b.at || a.was - b.was)) {
    if (near < SAME) break;
    if (names[at] !== undefined || taken.has(was)) continue;
    names[at] = (earlier[was] as KeptCluster).tag;
    taken.add(was);
  }
  const used = new Set([...earlier.map(({ tag }) => tag), ...names]);
  return groups.map(({ own }, at) => {
    if (names[at] !== undefined || own.length === 0) return names[at];
    for (let length = Math.min(2, own.length); length <= own.length + 1; length++) {
      const found = tagOf(own.slice(0, length).join('-') + (length > own.length ? `-${at + 1}` : ''));
      if ('tag' in found && !used.has(found.tag)) {
        used.add(found.tag);
        return found.tag;
      }
    }
    return undefined;
  });
}

function cosine(a: Pick<Named, 'columns' | 'values'>, b: Pick<Named, 'columns' | 'values'>): number {
  const own = new Map(a.columns.map((column, at) => [column, a.values[at] as number]));
  const product = b.columns.reduce((sum, column, at) => sum + (own.get(column) ?? 0) * (b.values[at] as number), 0);
  const length = Math.hypot(...a.values) * Math.hypot(...b.values);
  return length === 0 ? 0 : product / length;
}
