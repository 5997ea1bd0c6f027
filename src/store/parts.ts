import type { NumberColumn, StringColumn } from '../trace/columns.ts';
import { columnsBehind, loadNumbers, loadStrings, saveNumbers, saveStrings } from './columns.ts';
import type { PackReader, PackWriter } from './pack.ts';

/**
 * What a run works out beside the operations (tags, costs): columns and facts that belong together. The key names
 * everything they depend on besides the operations themselves; another key is another part.
 */
export interface Part {
  readonly name: string;
  readonly key: string;
  readonly numbers: Readonly<Record<string, NumberColumn>>;
  readonly strings: Readonly<Record<string, StringColumn>>;
  /** Any JSON value. */
  readonly facts: unknown;
}

/** So many parts of one name are kept, those of the latest keys: people go to and fro between a few sets of rules. */
export const MOST_KEYS = 3;

const sectionOf = (name: string, key: string) => `parts/${name}/${key}/`;

/** `rows` is as many cells as a column can have. */
export function savePart(pack: PackWriter, { name, key, numbers, strings, facts }: Part, rows: number): void {
  const section = sectionOf(name, key);
  for (const [column, cells] of Object.entries(numbers)) saveNumbers(pack, `${section}numbers/${column}`, cells, rows);
  for (const [column, cells] of Object.entries(strings)) saveStrings(pack, `${section}strings/${column}`, cells, rows);
  pack.json(`${section}facts`, facts);
}

/** The part as it was saved; columns without any value are missing. */
export function loadPart(pack: PackReader, name: string, key: string): Part | undefined {
  const section = sectionOf(name, key);
  if (!pack.has(`${section}facts`)) return undefined;
  const columnsOf = <T>(kind: string, load: (pack: PackReader, name: string) => T): Record<string, T> =>
    Object.fromEntries(
      [...columnsBehind(pack, `${section}${kind}/`)].map(column => [column, load(pack, `${section}${kind}/${column}`)]),
    );
  return {
    name,
    key,
    numbers: columnsOf('numbers', loadNumbers),
    strings: columnsOf('strings', loadStrings),
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
