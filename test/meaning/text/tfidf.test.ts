import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hash32 } from '../../../src/meaning/text/hash.ts';
import { columnsOf, rowsAt } from '../../../src/meaning/text/sparse.ts';
import { type Features, TfIdf, WORDS_AND_GRAMS } from '../../../src/meaning/text/tfidf.ts';
import { words } from '../../../src/meaning/text/words.ts';
import { dot } from '../../support/sparse-dot.ts';

const WORDS = { dimensions: 1 << 16 };

/** TF-IDF as it is written in books, over words by name. */
function cosine(texts: readonly string[], a: number, b: number): number {
  const counts = texts.map(text => {
    const count = new Map<string, number>();
    for (const word of words(text)) count.set(word, (count.get(word) ?? 0) + 1);
    return count;
  });
  const rarity = (word: string) =>
    1 + Math.log((1 + texts.length) / (1 + counts.filter(count => count.has(word)).length));
  const vector = (at: number) =>
    new Map([...(counts[at] as Map<string, number>)].map(([word, n]) => [word, (1 + Math.log(n)) * rarity(word)]));
  const [one, two] = [vector(a), vector(b)];
  const length = (v: Map<string, number>) => Math.hypot(...v.values());
  const product = [...one].reduce((sum, [word, value]) => sum + value * (two.get(word) ?? 0), 0);
  return product === 0 ? 0 : product / (length(one) * length(two));
}

/** Rows as they are defined: features as strings, counted in maps. */
function plainRows(texts: readonly string[], { grams, gramWeight = 0.5 }: Features): [number, number][][] {
  const counted = texts.map(text => {
    const [named, grammed] = [new Map<number, number>(), new Map<number, number>()];
    const count = (into: Map<number, number>, at: number) => into.set(at, (into.get(at) ?? 0) + 1);
    for (const word of words(text)) {
      count(named, hash32(word, 1) & 0xffff);
      const characters = [' ', ...word, ' '];
      for (let length = grams?.[0] ?? 1; length <= (grams?.[1] ?? 0); length++) {
        const last = Math.max(characters.length - length, 0);
        for (let from = 0; from <= last; from++)
          count(grammed, hash32(characters.slice(from, from + length).join(''), 2) & 0xffff);
        if (length >= characters.length) break;
      }
    }
    const weights = new Map([...named].map(([at, n]) => [at, 1 + Math.log(n)]));
    for (const [at, n] of grammed) weights.set(at, (weights.get(at) ?? 0) + gramWeight * (1 + Math.log(n)));
    return [...weights].sort(([a], [b]) => a - b);
  });
  const documents = (at: number) => counted.filter(row => row.some(([other]) => other === at)).length;
  return counted.map(row => {
    const values = row.map(
      ([at, weight]) => Math.fround(weight) * (1 + Math.log((1 + texts.length) / (1 + documents(at)))),
    );
    const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
    return row.map(([at], i) => [at, Math.fround(Math.fround(values[i] as number) / length)]);
  });
}

const text = fc
  .array(fc.constantFrom('fix', 'the', 'bug', 'login', '修复', '登录'), { maxLength: 8 })
  .map(w => w.join(' '));

describe('hashed TF-IDF', () => {
  test('property: is the TF-IDF of named words', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 2, maxLength: 6 }), texts => {
        const rows = new TfIdf(WORDS).fitRows(texts);
        expect(dot(rows, 0, rows, 1)).toBeCloseTo(cosine(texts, 0, 1), 5);
      }),
    );
  });

  test('property: rows have length 1, ascending columns, and are the same however they are asked for', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 6 }), texts => {
        const rows = new TfIdf().fitRows(texts);
        expect(new TfIdf().fit(texts).rows(texts)).toEqual(rows);
        texts.forEach((each, row) => {
          expect(dot(rows, row, rows, row)).toBeCloseTo(words(each).length === 0 ? 0 : 1, 5);
          const columns = rows.columns.subarray(rows.starts[row], rows.starts[row + 1]);
          expect([...columns]).toEqual([...new Set(columns)].sort((a, b) => a - b));
        });
      }),
    );
  });

  test('property: words and grams of any text weigh what counting them as strings gives, to the last bit', () => {
    const any = fc.array(fc.oneof(text, fc.string({ unit: 'binary', maxLength: 12 })), { maxLength: 6 });
    fc.assert(
      fc.property(
        any,
        fc.constantFrom(WORDS_AND_GRAMS, WORDS, { ...WORDS, grams: [1, 5] as const }),
        (texts, features) => {
          const space = new TfIdf(features);
          const { starts, columns, values } = space.fitRows(texts);
          const rows = texts.map((_, row) =>
            Array.from({ length: (starts[row + 1] as number) - (starts[row] as number) }, (_, i) => {
              const at = (starts[row] as number) + i;
              return [columns[at], values[at]];
            }),
          );
          expect(rows).toEqual(plainRows(texts, features));
        },
      ),
    );
  });

  test('property: by column it is the same matrix', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 6 }), texts => {
        const rows = new TfIdf().fitRows(texts);
        const { starts, rows: of, values } = columnsOf(rows);
        const entries = [...rows.columns].map((column, at) => {
          const row = rows.starts.findLastIndex(start => start <= at);
          const entry = of.indexOf(row, starts[column]);
          expect(entry).toBeLessThan(starts[column + 1] as number);
          return values[entry];
        });
        expect(entries).toEqual([...rows.values]);
        expect(of).toHaveLength(rows.columns.length);
      }),
    );
  });

  test('grams bring inflections together, and words left out do not count', () => {
    const texts = ['refactoring', 'refactored', 'deployment'];
    const plain = new TfIdf(WORDS).fitRows(texts);
    expect(dot(plain, 0, plain, 1)).toBe(0);
    const grams = new TfIdf().fitRows(texts);
    expect(dot(grams, 0, grams, 1)).toBeGreaterThan(0.3);
    expect(dot(grams, 0, grams, 2)).toBeLessThan(0.05);
    const without = new TfIdf({ ...WORDS, without: new Set(['the']) }).fitRows(['the bug', 'the login']);
    expect(dot(without, 0, without, 1)).toBe(0);
  });

  test('chosen rows are the rows', () => {
    const rows = new TfIdf(WORDS).fitRows(['fix bug', '', 'login']);
    expect(rowsAt(rows, [2, 0, 0]).starts).toEqual(Uint32Array.of(0, 1, 3, 5));
    expect(dot(rowsAt(rows, [2, 0]), 1, rows, 0)).toBeCloseTo(1, 6);
  });
});
