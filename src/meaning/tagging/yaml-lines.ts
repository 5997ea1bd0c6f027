import type { Document, LineCounter } from 'yaml';

/** Line of a node, from 1; of the nearest node above where it is absent. */
export function lineOf(document: Document, lines: LineCounter, place: readonly (string | number)[]): number {
  for (let length = place.length; length > 0; length--) {
    const parent: unknown = document.getIn(place.slice(0, length - 1), true);
    const start = startOf(parent, place[length - 1] as string | number);
    if (start !== undefined) return lines.linePos(start).line;
  }
  return 1;
}

/** Offset of an item of a list, or of the key of a pair, in the source. */
function startOf(parent: unknown, part: string | number): number | undefined {
  const items = (parent as { items?: unknown[] } | undefined)?.items;
  if (!Array.isArray(items)) return undefined;
  const node = typeof part === 'number' ? items[part] : items.find(pair => keyOf(pair) === part);
  const ranged = typeof part === 'number' ? node : (node as { key?: unknown } | undefined)?.key;
  return (ranged as { range?: [number, number, number] } | undefined)?.range?.[0];
}

function keyOf(pair: unknown): unknown {
  const key = (pair as { key?: unknown } | undefined)?.key;
  return (key as { value?: unknown } | undefined)?.value ?? key;
}
