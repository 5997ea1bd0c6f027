import type { NumberColumn, StringColumn } from '../trace/columns.ts';
import type { Operations } from '../trace/operations.ts';
import { columnsBehind, loadNumbers, loadStrings, saveNumbers, saveStrings } from './columns.ts';
import type { PackReader, PackWriter } from './pack.ts';

/** Columns that a run works out beside the operations. */
export interface PartColumns {
  /** With one cell a row. */
  readonly numbers: Readonly<Record<string, NumberColumn>>;
  readonly strings: Readonly<Record<string, StringColumn>>;
  /** With one cell a session. */
  readonly bySession: Readonly<Record<string, StringColumn>>;
}

/**
 * Columns and facts that belong together (tags, costs). The key names everything they depend on besides the operations
 * themselves; another key is another part.
 */
export interface Part extends PartColumns {
  readonly name: string;
  readonly key: string;
  /** Any JSON value. */
  readonly facts: unknown;
}

/** So many parts of one name are kept, those of the latest keys: people go to and fro between a few sets of rules. */
export const MOST_KEYS = 3;

const sectionOf = (name: string, key: string) => `parts/${name}/${key}/`;

/** As many cells as a column of a part can have. */
export function longest(ops: Operations): number {
  return Math.max(ops.length, ops.sessions.all.length);
}

/** `cells` is as many as a column can have. */
export function savePart(pack: PackWriter, part: Part, cells: number): void {
  const section = sectionOf(part.name, part.key);
  for (const [name, column] of Object.entries(part.numbers))
    saveNumbers(pack, `${section}numbers/${name}`, column, cells);
  for (const kind of ['strings', 'bySession'] as const) {
    for (const [name, column] of Object.entries(part[kind]))
      saveStrings(pack, `${section}${kind}/${name}`, column, cells);
  }
  pack.json(`${section}facts`, part.facts);
}

/** The part as it was saved; columns without any value are missing. */
export function loadPart(pack: PackReader, name: string, key: string): Part | undefined {
  const section = sectionOf(name, key);
  if (!pack.has(`${section}facts`)) return undefined;
  const columnsOf = <T>(kind: string, load: (pack: PackReader, name: string) => T): Record<string, T> => {
    const names = [...columnsBehind(pack, `${section}${kind}/`)];
    return Object.fromEntries(names.map(column => [column, load(pack, `${section}${kind}/${column}`)]));
  };
  return {
    name,
    key,
    numbers: columnsOf('numbers', loadNumbers),
    strings: columnsOf('strings', loadStrings),
    bySession: columnsOf('bySession', loadStrings),
    facts: pack.json(`${section}facts`),
  };
}

export function copyPart(pack: PackWriter, from: PackReader, name: string, key: string): void {
  for (const section of from.names()) if (section.startsWith(sectionOf(name, key))) pack.copy(section, from);
}

/** True for a section that belongs to a part. */
export function isOfPart(section: string): boolean {
  return section.startsWith('parts/');
}
