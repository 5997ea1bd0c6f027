import { type Codes, type Elsewhere, NumberColumn, StringColumn } from '../trace/columns.ts';
import type { PackReader, PackWriter } from './pack.ts';

/** Columns to sections of a pack and back. A column's dictionary is a section of its own; both are fetched on first use. */
const VALUES = '\u0000values';

export function saveNumbers(pack: PackWriter, name: string, column: NumberColumn, length: number): void {
  const cells = column.glance();
  if (cells.length > 0) pack.cells(name, cells.subarray(0, length));
}

export function loadNumbers(pack: PackReader, name: string): NumberColumn {
  return pack.has(name) ? NumberColumn.stored(elsewhere(pack, name)) : new NumberColumn();
}

export function elsewhere(pack: PackReader, name: string): Elsewhere {
  const { length, width } = pack.sizeOf(name);
  return { length, width, fetch: () => pack.cells(name), glance: () => pack.glance(name) };
}

/** With `tidy`, words that no row uses any more are left out of the dictionary. */
export function saveStrings(pack: PackWriter, name: string, column: StringColumn, length: number, tidy = false): void {
  if (column.values.length === 1) return;
  const codes = column.glance().subarray(0, length);
  if (codes.length === 0) return;
  const kept = tidy ? tidied(codes, column.values) : { codes, values: column.values };
  if (kept.values.length === 1) return;
  pack.cells(name, kept.codes);
  pack.json(name + VALUES, kept.values);
}

export function loadStrings(pack: PackReader, name: string): StringColumn {
  if (!pack.has(name)) return new StringColumn();
  return StringColumn.stored(elsewhere(pack, name) as Elsewhere<Codes>, () => pack.json(name + VALUES) as string[]);
}

/** Names of stored columns behind a prefix, without it. */
export function* columnsBehind(pack: PackReader, prefix: string): Generator<string> {
  for (const name of pack.names()) {
    if (name.startsWith(prefix) && !name.endsWith(VALUES)) yield name.slice(prefix.length);
  }
}

function tidied(codes: Codes, values: readonly string[]): { codes: Codes; values: readonly string[] } {
  const used = new Uint8Array(values.length);
  for (let row = 0; row < codes.length; row++) used[codes[row] as number] = 1;
  used[0] = 1;
  const moved = new Uint32Array(values.length);
  const kept: string[] = [];
  for (let code = 0; code < values.length; code++)
    if (used[code] === 1) moved[code] = kept.push(values[code] as string) - 1;
  if (kept.length === values.length) return { codes, values };
  return { codes: codes.map(code => moved[code] as number) as Codes, values: kept };
}
