import { hash32, hashPart } from './hash.ts';
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
  private readonly counter: Counter;
  /** Rarity by the number of texts that a feature stands in, as far as it was asked for; of the texts fitted so far. */
  private rarities: number[] = [];

  constructor(features: Features = WORDS_AND_GRAMS) {
    this.features = features;
    this.documents = new Uint32Array(features.dimensions);
    this.counter = new Counter(features);
  }

  /** The space of so many texts, in which each of these features stands so many times. */
  static of(texts: number, columns: ArrayLike<number>, documents: ArrayLike<number>): TfIdf {
    const space = new TfIdf();
    space.fitted = texts;
    for (let at = 0; at < columns.length; at++) space.documents[columns[at] as number] = documents[at] as number;
    return space;
  }

  /** Counts these texts; may be called again with more. */
  fit(texts: Iterable<string>): this {
    for (const text of texts) this.add(this.counter.count(text));
    return this;
  }

  /** Rows of texts in the space fitted so far. */
  rows(texts: readonly string[]): SparseRows {
    return this.weighed(texts.map(text => this.counter.count(text)));
  }

  /** `fit` and `rows` of the same texts, each looked at once. */
  fitRows(texts: readonly string[]): SparseRows {
    const counted = texts.map(text => this.counter.count(text));
    for (const counts of counted) this.add(counts);
    return this.weighed(counted);
  }

  private add({ columns }: Counts): void {
    this.fitted++;
    this.rarities = [];
    for (let at = 0; at < columns.length; at++) (this.documents[columns[at] as number] as number)++;
  }

  private weighed(counted: readonly Counts[]): SparseRows {
    const starts = new Uint32Array(counted.length + 1);
    for (let row = 0; row < counted.length; row++)
      starts[row + 1] = (starts[row] as number) + (counted[row] as Counts).columns.length;
    const columns = new Uint32Array(starts[counted.length] as number);
    const values = new Float32Array(columns.length);
    for (let row = 0; row < counted.length; row++) {
      const counts = counted[row] as Counts;
      const start = starts[row] as number;
      columns.set(counts.columns, start);
      this.weigh(counts, values, start);
    }
    return { rows: counted.length, dimensions: this.features.dimensions, starts, columns, values };
  }

  private weigh({ columns, weights }: Counts, values: Float32Array, start: number): void {
    let squares = 0;
    for (let at = 0; at < columns.length; at++) {
      const value = (weights[at] as number) * this.rarity(this.documents[columns[at] as number] as number);
      values[start + at] = value;
      squares += value * value;
    }
    const length = Math.sqrt(squares);
    for (let at = start; at < start + columns.length; at++) values[at] = (values[at] as number) / length;
  }

  private rarity(documents: number): number {
    return (this.rarities[documents] ??= 1 + Math.log((1 + this.fitted) / (1 + documents)));
  }
}

interface Counts {
  /** Ascending. */
  readonly columns: Uint32Array;
  readonly weights: Float32Array;
}

/** Counts features of one text after the other, in memory that it keeps: one number a column, zero between texts. */
class Counter {
  private readonly features: Features;
  private readonly mask: number;
  private readonly words: Uint32Array;
  private readonly grams: Uint32Array;
  /** Columns met in the text at hand, each once, and how many. */
  private met = new Uint32Array(1024);
  private size = 0;

  constructor(features: Features) {
    this.features = features;
    this.mask = features.dimensions - 1;
    this.words = new Uint32Array(features.dimensions);
    this.grams = new Uint32Array(features.grams ? features.dimensions : 0);
  }

  /** Features of one text by column, the count of each damped: 1 + ln count. */
  count(text: string): Counts {
    const { grams, without } = this.features;
    for (const word of words(text)) {
      if (without?.has(word)) continue;
      const column = hash32(word, WORD) & this.mask;
      this.meet(column);
      (this.words[column] as number)++;
      if (grams) characterNgrams(word, grams[0], grams[1], this.gram);
    }
    const columns = this.met.slice(0, this.size).sort();
    const weights = new Float32Array(columns.length);
    for (let at = 0; at < columns.length; at++) weights[at] = this.take(columns[at] as number);
    this.size = 0;
    return { columns, weights };
  }

  private readonly gram = (padded: string, from: number, to: number): void => {
    const column = hashPart(padded, from, to, GRAM) & this.mask;
    this.meet(column);
    (this.grams[column] as number)++;
  };

  private meet(column: number): void {
    if (this.words[column] !== 0 || (this.grams.length > 0 && this.grams[column] !== 0)) return;
    if (this.size === this.met.length) {
      const larger = new Uint32Array(2 * this.size);
      larger.set(this.met);
      this.met = larger;
    }
    this.met[this.size++] = column;
  }

  /** The weight of a column, whose counts are zero then. */
  private take(column: number): number {
    const named = this.words[column] as number;
    this.words[column] = 0;
    const word = named === 0 ? 0 : damped(named);
    if (this.grams.length === 0) return word;
    const grammed = this.grams[column] as number;
    if (grammed === 0) return word;
    this.grams[column] = 0;
    return word + (this.features.gramWeight ?? 0.5) * damped(grammed);
  }
}

function damped(count: number): number {
  return count === 1 ? 1 : 1 + Math.log(count);
}
