import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { PackReader, PackWriter } from '../../src/store/pack.ts';
import { oneByOne, type PackedTexts, packText, StoredTexts, saveTexts, unpackText } from '../../src/store/texts.ts';

const scratch = mkdtempSync(join(tmpdir(), 'texts-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
let packs = 0;

/** The texts of a pack of these. */
function stored(texts: Iterable<PackedTexts>): StoredTexts {
  const pieces: Buffer[] = [];
  const writer = new PackWriter(bytes => pieces.push(Buffer.from(bytes)));
  saveTexts(writer, 'prompt', texts);
  writer.finish({});
  const path = join(scratch, `${packs++}.pack`);
  writeFileSync(path, Buffer.concat(pieces));
  return new StoredTexts(PackReader.open(path) as PackReader, 'prompt');
}

/** Longer than what is read at once. */
const LONG = 'long';
const written = (text: string) => (text === LONG ? 'x'.repeat(200_000) : text);
const said = (text: string) => (text === written(LONG) ? LONG : text);
const all = (texts: StoredTexts) =>
  Array.from(texts.in(0, Number.POSITIVE_INFINITY), ([row, text]) => [row, said(text)]);

test('property: a pack that takes over texts of another one by stretches has what it had one by one', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('', '中文', '\ud800', LONG));
  fc.assert(
    fc.property(
      fc.array(fc.option(text), { maxLength: 12 }),
      fc.array(fc.tuple(fc.nat(4), fc.nat(3), fc.option(text)), { maxLength: 5 }),
      (before, parts) => {
        const packed = before.flatMap((each, row) => (each === null ? [] : packText(row, written(each))));
        const old = stored(packed);
        expect(all(old)).toEqual(before.flatMap((each, row) => (each === null ? [] : [[row, each]])));
        const taken: PackedTexts[] = [];
        const expected: [number, string][] = [];
        let [from, row] = [0, 0];
        for (const [length, further, own] of parts) {
          taken.push(old.stretch(from, from + length, row));
          for (let i = 0; i < length; i++) {
            const each = before[from + i];
            if (each !== null && each !== undefined) expected.push([row + i, each]);
          }
          [from, row] = [from + length, row + length + further];
          if (own === null) continue;
          taken.push(packText(row, written(own)));
          expected.push([row++, own]);
        }
        expect(all(stored(taken))).toEqual(expected);
        expect(Array.from(oneByOne(taken), each => [each.row, said(unpackText(each))])).toEqual(expected);
      },
    ),
    { numRuns: 40 },
  );
});
