import { hash32 } from '../../meaning/text/hash.ts';
import { TfIdf, WORDS_AND_GRAMS } from '../../meaning/text/tfidf.ts';
import { emptyMatrix, type Matrix } from '../matrix.ts';

/** Dimensions of the projection; cosines are off by about 1 / sqrt(512), 0.04. */
const DIMS = 512;
/** Each feature goes to so many dimensions, with a sign (Kane and Nelson 2014). */
const SPREAD = 8;

/** Raised when the same texts get other vectors. */
export const HASHED_VERSION = 1;

/**
 * Vectors without any model: hashed words and character n-grams of any script, TF-IDF, and a seeded sparse projection.
 * The same texts give the same vectors on every machine. Numbers and long hex ids say nothing and count as one word.
 */
export function hashedEmbedding(texts: readonly string[]): Matrix {
  const plain = texts.map(withoutNumbers);
  const rows = new TfIdf({ ...WORDS_AND_GRAMS, without: new Set(['0']) }).fitRows(plain);
  const places = placesOf(rows.dimensions);
  const matrix = emptyMatrix(rows.rows, DIMS);
  const { cells } = matrix;
  for (let row = 0; row < rows.rows; row++) {
    const first = row * DIMS;
    for (let at = rows.starts[row] as number; at < (rows.starts[row + 1] as number); at++) {
      const value = rows.values[at] as number;
      const from = (rows.columns[at] as number) * SPREAD;
      for (let i = from; i < from + SPREAD; i++) {
        const place = places[i] as number;
        const dim = first + (place >> 1);
        cells[dim] = (cells[dim] as number) + ((place & 1) === 0 ? value : -value);
      }
    }
  }
  return matrix;
}

/** Where each column goes: a dimension and, in the lowest bit, a sign. */
function placesOf(columns: number): Uint16Array {
  const places = new Uint16Array(columns * SPREAD);
  for (let column = 0; column < columns; column++) {
    for (let i = 0; i < SPREAD; i++) {
      const hash = hash32(`${column}`, 0x51ed + i);
      // One of the eight slices of the dimensions for each, so that no two fall together.
      const dim = i * (DIMS / SPREAD) + (hash % (DIMS / SPREAD));
      places[column * SPREAD + i] = (dim << 1) | (hash >>> 31);
    }
  }
  return places;
}

function withoutNumbers(text: string): string {
  return text.replace(/\b(?=[0-9a-f]*\d)[0-9a-f]{7,}\b|\d+/gi, ' 0 ');
}
