import { seededRandom } from '../meaning/text/hash.ts';
import { NOISE } from './hdbscan/hdbscan.ts';
import { type Clustered, type ClusterOptions, repeat } from './pipeline.ts';

/** How much of a clustering comes again when it is repeated. */
export interface Stability {
  readonly repeats: number;
  /** Mean adjusted Rand index of whole repeats; noise is a group of its own. NaN without repeats. */
  readonly overall: number;
  /** By cluster: the mean over repeats of the index of "in it or not" against the best matching cluster; NaN without. */
  readonly byCluster: readonly number[];
}

/** How far two groupings of the same things agree beyond chance: the adjusted Rand index. */
export type Agreement = (one: readonly string[], other: readonly string[]) => number;

/** Repeats everything behind the vectors on samples of four fifths of the units, each with a seed of its own. */
export async function stabilityOf(
  clustered: Clustered,
  options: ClusterOptions,
  repeats: number,
  agreement: Agreement,
  progress: (done: number, all: number) => void = () => {},
): Promise<Stability> {
  if (repeats === 0)
    return { repeats, overall: Number.NaN, byCluster: new Array<number>(clustered.clusters).fill(Number.NaN) };
  const random = seededRandom(options.seed + 0x5eed);
  const byCluster = new Array<number>(clustered.clusters).fill(0);
  let overall = 0;
  for (let at = 0; at < repeats; at++) {
    const { drawn, labels } = await repeat(clustered.reduced, options, options.seed + 1 + at, random);
    const first = Array.from(drawn, unit => clustered.labels[unit] as number);
    const again = Array.from(labels);
    overall += agreement(first.map(String), again.map(String)) / repeats;
    for (let cluster = 0; cluster < clustered.clusters; cluster++) {
      const best = bestMatch(first, again, cluster);
      const inFirst = first.map(label => String(label === cluster));
      const inAgain = again.map(label => String(best !== undefined && label === best));
      byCluster[cluster] = (byCluster[cluster] as number) + agreement(inFirst, inAgain) / repeats;
    }
    progress(at + 1, repeats);
  }
  return { repeats, overall, byCluster };
}

/** The cluster of the repeat that shares most with one of the first (Jaccard); undefined where all of it is noise. */
function bestMatch(first: readonly number[], again: readonly number[], cluster: number): number | undefined {
  const both = new Map<number, number>();
  const sizes = new Map<number, number>();
  let own = 0;
  again.forEach((label, at) => {
    if (first[at] === cluster) own++;
    if (label === NOISE) return;
    sizes.set(label, (sizes.get(label) ?? 0) + 1);
    if (first[at] === cluster) both.set(label, (both.get(label) ?? 0) + 1);
  });
  const overlap = (label: number) => (both.get(label) ?? 0) / (own + (sizes.get(label) ?? 0) - (both.get(label) ?? 0));
  return [...both.keys()].sort((a, b) => overlap(b) - overlap(a) || a - b)[0];
}
