import { Operations } from '../trace/operations.ts';
import type { Texts } from '../trace/texts.ts';
import { columnsBehind, loadNumbers, loadStrings, saveNumbers, saveStrings } from './columns.ts';
import type { PackReader, PackWriter } from './pack.ts';

/** Operations to sections of a pack and back: every column by its name, fetched when it is first used. */
const PREFIX = 'ops/';

export function saveOperations(pack: PackWriter, ops: Operations, tidy: boolean): void {
  const { numbers, strings } = ops.columns();
  for (const [name, column] of numbers) saveNumbers(pack, PREFIX + name, column, ops.length);
  for (const [name, column] of strings) saveStrings(pack, PREFIX + name, column, ops.length, tidy);
}

export function loadOperations(pack: PackReader, length: number, texts: Texts): Operations {
  const ops = new Operations(texts, {
    numbers: name => loadNumbers(pack, PREFIX + name),
    strings: name => loadStrings(pack, PREFIX + name),
    extra: prefix => columnsBehind(pack, PREFIX + prefix),
  });
  ops.length = length;
  return ops;
}
