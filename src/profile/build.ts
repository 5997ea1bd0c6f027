import type { Measure } from '../trace/measures.ts';
import type { Label, Profile } from './profile.ts';
import { Stacks } from './stacks.ts';

export type ProfileHead = Pick<Profile, 'view' | 'measure' | 'comments' | 'timeNanos' | 'durationNanos'>;

/**
 * Makes a profile of samples in any order, for those who read one from a file: frames and stacks are interned, equal
 * samples merged, all sorted as `fold` sorts them.
 */
export class ProfileBuilder {
  readonly stacks = new Stacks();
  private readonly measures: readonly Measure[];
  private readonly labelSets: (readonly Label[])[] = [[]];
  private readonly labelIds = new Map<string, number>([['[]', 0]]);
  private readonly samples = new Map<string, { node: number; labels: number; values: bigint[] }>();

  constructor(measures: readonly Measure[]) {
    this.measures = measures;
  }

  /** Number of a set of labels for `add`; equal sets have one. */
  labels(labels: readonly Label[]): number {
    const key = JSON.stringify(labels);
    let id = this.labelIds.get(key);
    if (id === undefined) {
      id = this.labelSets.push(labels) - 1;
      this.labelIds.set(key, id);
    }
    return id;
  }

  /** One value a measure, in their order. */
  add(node: number, labels: number, values: readonly bigint[]): void {
    const key = `${node},${labels}`;
    const known = this.samples.get(key);
    if (known === undefined) this.samples.set(key, { node, labels, values: [...values] });
    else
      values.forEach((value, m) => {
        known.values[m] = (known.values[m] as bigint) + value;
      });
  }

  finish(head: ProfileHead): Profile {
    const { order, frames, parent, frame } = this.stacks.sorted();
    const keys = [...this.labelIds].sort(([x], [y]) => (x === '[]' ? -1 : y === '[]' ? 1 : x < y ? -1 : 1));
    const rank = new Uint32Array(keys.length);
    keys.forEach(([, id], at) => {
      rank[id] = at;
    });
    const samples = [...this.samples.values()]
      .map(({ node, labels, values }) => ({ node: order[node] as number, labels: rank[labels] as number, values }))
      .sort((x, y) => x.node - y.node || x.labels - y.labels);
    return {
      ...head,
      measures: this.measures,
      frames,
      nodes: { parent, frame },
      labelSets: keys.map(([, id]) => this.labelSets[id] as readonly Label[]),
      samples: {
        length: samples.length,
        node: Uint32Array.from(samples, sample => sample.node),
        labels: Uint32Array.from(samples, sample => sample.labels),
        values: this.measures.map((_, m) => BigInt64Array.from(samples, sample => sample.values[m] ?? 0n)),
      },
    };
  }
}
