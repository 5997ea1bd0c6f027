import { NumberColumn, type StoredStrings, StringColumn } from '../trace/columns.ts';
import { Operations } from '../trace/operations.ts';
import type { Texts } from '../trace/texts.ts';
import type { PackReader, PackWriter } from './pack.ts';

/**
 * Operations to sections of a pack and back. Every column is a section of its own (its dictionary another) and is
 * fetched when it is first used.
 */
const PREFIX = 'ops/';

export function saveOperations(pack: PackWriter, ops: Operations): void {
  const { numbers, strings } = ops.columns();
  for (const [name, column] of numbers) saveNumbers(pack, PREFIX + name, column, ops.length);
  for (const [name, column] of strings) saveStrings(pack, PREFIX + name, column, ops.length);
}

export function loadOperations(pack: PackReader, length: number, texts: Texts): Operations {
  const ops = new Operations(texts, {
    numbers: name => loadNumbers(pack, PREFIX + name),
    strings: name => loadStrings(pack, PREFIX + name),
    extra: prefix => namesBehind(pack, PREFIX + prefix),
  });
  ops.length = length;
  return ops;
}

function* namesBehind(pack: PackReader, prefix: string): Generator<string> {
  for (const name of pack.names()) if (name.startsWith(prefix) && !name.endsWith(VALUES)) yield name.slice(prefix.length);
}

const VALUES = '\u0000values';

export function saveNumbers(pack: PackWriter, name: string, column: NumberColumn, length: number): void {
  const { cells } = column;
  if (cells.length > 0) pack.cells(name, cells.length > length ? cells.slice(0, length) : cells);
}

export function loadNumbers(pack: PackReader, name: string): NumberColumn {
  return pack.has(name) ? NumberColumn.stored(() => pack.cells(name)) : new NumberColumn();
}

export function saveStrings(pack: PackWriter, name: string, column: StringColumn, length: number): void {
  if (column.values.length === 1) return;
  const { codes } = column;
  pack.cells(name, codes.length > length ? codes.slice(0, length) : codes);
  pack.bytes(name + VALUES, Buffer.from(JSON.stringify(column.values)));
}

export function loadStrings(pack: PackReader, name: string): StringColumn {
  if (!pack.has(name)) return new StringColumn();
  return StringColumn.stored((): StoredStrings => {
    const values = JSON.parse(Buffer.from(pack.bytes(name + VALUES)).toString('utf8')) as string[];
    return { codes: pack.cells(name) as StoredStrings['codes'], values };
  });
}
