import type { Label, LabelSets } from './profile.ts';

/** The labels of one key, one a set. */
export interface LabelColumn {
  readonly key: string;
  /** Entry 0 means that a set has no such label. */
  readonly texts: readonly string[];
  /** By set, into `texts`. */
  readonly ranks: Uint32Array;
}

/**
 * Sets of labels as columns: there may be as many sets as prompts, and an array of objects for each would cost more than what it
 * says. A set is made when it is asked for; its labels come in the order of the columns.
 */
export class LabelColumns implements LabelSets {
  readonly length: number;
  readonly columns: readonly LabelColumn[];

  constructor(length: number, columns: readonly LabelColumn[]) {
    this.length = length;
    this.columns = columns;
  }

  at(set: number): readonly Label[] | undefined {
    if (set >= this.length) return undefined;
    const labels: Label[] = [];
    for (const { key, texts, ranks } of this.columns) {
      const rank = ranks[set] as number;
      if (rank !== 0) labels.push({ key, text: texts[rank] as string });
    }
    return labels;
  }

  map<T>(each: (labels: readonly Label[]) => T): T[] {
    return Array.from(this, labels => each(labels));
  }

  *[Symbol.iterator](): Generator<readonly Label[]> {
    for (let set = 0; set < this.length; set++) yield this.at(set) as readonly Label[];
  }
}
