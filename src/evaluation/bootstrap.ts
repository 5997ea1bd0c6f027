import { seededRandom } from '../meaning/text/hash.ts';

const SEED = 20_240_917;

/**
 * Percentile intervals by resampling clusters with replacement. `clusters` has the cluster of each item; `measure` gets
 * how often each item counts. The draws depend on the number of clusters alone, so that measures over the same items
 * are compared on the same draws (paired).
 */
export function bootstrap<Name extends string>(
  clusters: readonly number[],
  draws: number,
  measure: (weights: Uint32Array) => Readonly<Record<Name, number>>,
): Record<Name, [low: number, high: number]> {
  const count = clusters.reduce((most, cluster) => Math.max(most, cluster + 1), 0);
  const random = seededRandom(SEED);
  const drawn = new Uint32Array(count);
  const weights = new Uint32Array(clusters.length);
  const values = new Map<Name, Float64Array>();
  for (let draw = 0; draw < draws; draw++) {
    drawn.fill(0);
    for (let at = 0; at < count; at++) {
      const cluster = Math.floor(random() * count);
      drawn[cluster] = (drawn[cluster] as number) + 1;
    }
    for (let at = 0; at < clusters.length; at++) weights[at] = drawn[clusters[at] as number] as number;
    for (const [name, value] of Object.entries(measure(weights)) as [Name, number][]) {
      let all = values.get(name);
      if (!all) values.set(name, (all = new Float64Array(draws)));
      all[draw] = value;
    }
  }
  return Object.fromEntries([...values].map(([name, all]) => [name, middle(all.sort())])) as never;
}

/** The middle 95 %. */
function middle(sorted: Float64Array): [number, number] {
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return [at(0.025), at(0.975)];
}
