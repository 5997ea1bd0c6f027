import { hash32 } from './hash.ts';
import { characterNgrams } from './ngrams.ts';
import type { SparseRows } from './sparse.ts';
import { words } from './words.ts';

/** What of a text is counted, and into how many columns it is hashed. */
export interface Features {
  /** A power of two. Two features share a column about once in `dimensions` pairs. */
  readonly dimensions: number;
  /** Lengths of character n-grams within words; absent for words alone. Grams bring inflections and typos together. */
  readonly grams?: readonly [min: number, max: number];
  /** Weight of a gram beside a word, 0 to 1. */
  readonly gramWeight?: number;
  /** Words left out, in lower case. */
  readonly without?: ReadonlySet<string>;
}

/** Words, and n-grams of 3 to 4 characters at half their weight. */
export const WORDS_AND_GRAMS: Features = { dimensions: 1 << 16, grams: [3, 4], gramWeight: 0.5 };

const WORD = 1;
const GRAM = 2;

/**
 * Hashed TF-IDF. `fit` counts in how many texts a feature stands; `rows` gives each text a row of length 1 (a text
 * without any feature a row without entries). The weight of a feature is (1 + ln tf) x (1 + ln((1 + n) / (1 + df))): a
 * feature that stands everywhere keeps a little weight. No vocabulary is kept, so memory does not grow with the texts.
 */
export class TfIdf {
  readonly features: Features;
  private readonly documents: Uint32Array;
  private fitted = 0;

  constructor(features: Features = WORDS_AND_GRAMS) {
    this.features = features;
    this.documents = new Uint32Array(features.dimensions);
  }

  /** Counts these texts; may be called again with more. */
  fit(texts: Iterable<string>): this {
    for (const text of texts) this.add(countFeatures(text, this.features));
    return this;
  }

  /** Rows of texts in the space fitted so far. */
  rows(texts: readonly string[]): SparseRows {
    return this.weighed(texts.map(text => countFeatures(text, this.features)));
  }

  /** `fit` and `rows` of the same texts, each looked at once. */
  fitRows(texts: readonly string[]): SparseRows {
    const counted = texts.map(text => countFeatures(text, this.features));
    for (const counts of counted) this.add(counts);
    return this.weighed(counted);
  }

  private add(counts: Counts): void {
    this.fitted++;
    for (const column of counts.columns) (this.documents[column] as number)++;
  }

  private weighed(counted: readonly Counts[]): SparseRows {
    const starts = new Uint32Array(counted.length + 1);
    counted.forEach(({ columns }, row) => {
      starts[row + 1] = (starts[row] as number) + columns.length;
    });
    const columns = new Uint32Array(starts[counted.length] as number);
    const values = new Float32Array(columns.length);
    counted.forEach((counts, row) => {
      const start = starts[row] as number;
      columns.set(counts.columns, start);
      let squares = 0;
      for (let at = 0; at < counts.columns.length; at++) {
        const value = (counts.weights[at] as number) * this.rarity(counts.columns[at] as number);
        values[start + at] = value;
        squares += value * value;
      }
      const length = Math.sqrt(squares);
      for (let at = start; at < start + counts.columns.length; at++) values[at] = (values[at] as number) / length;
    });
    return { rows: counted.length, dimensions: this.features.dimensions, starts, columns, values };
  }

  private rarity(column: number): number {
    return 1 + Math.log((1 + this.fitted) / (1 + (this.documents[column] as number)));
  }
}

interface Counts {
  /** Ascending. */
  readonly columns: Uint32Array;
  readonly weights: Float32Array;
}

/** Features of one text by column, the count of each damped: 1 + ln count. */
function countFeatures(text: string, { dimensions, grams, gramWeight = 0.5, without }: Features): Counts {
  const counts = new Map<number, number>();
  const grammed = new Map<number, number>();
  const mask = dimensions - 1;
  const count = (into: Map<number, number>, column: number) => into.set(column, (into.get(column) ?? 0) + 1);
  for (const word of words(text)) {
    if (without?.has(word)) continue;
    count(counts, hash32(word, WORD) & mask);
    if (grams) characterNgrams(word, grams[0], grams[1], gram => count(grammed, hash32(gram, GRAM) & mask));
  }
  const weights = new Map<number, number>();
  for (const [column, n] of counts) weights.set(column, 1 + Math.log(n));
  for (const [column, n] of grammed) weights.set(column, (weights.get(column) ?? 0) + gramWeight * (1 + Math.log(n)));
  const columns = Uint32Array.from(weights.keys()).sort();
  return { columns, weights: Float32Array.from(columns, column => weights.get(column) as number) };
}
