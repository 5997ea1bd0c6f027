import { type FrameColumn, LIST } from './columns.ts';
import { sortedBy } from './counting.ts';
import { Pairs } from './pairs.ts';
import type { Label } from './profile.ts';

export interface LabelSets {
  /** The distinct sets, ordered by the text of their first label, then the next (none before any); set 0 is empty. */
  readonly sets: readonly (readonly Label[])[];
  /** The set of each row. */
  readonly of: Uint32Array;
}

/** The labels of many rows, a column at a time; sets that are shown alike are one. */
export function labelSets(
  rows: Uint32Array,
  columns: readonly FrameColumn[],
  shown: (kind: string, value: string) => string,
): LabelSets {
  const of = new Uint32Array(rows.length);
  if (columns.length === 0) return { sets: [[]], of };
  const codes = new Uint32Array(rows.length);
  /** A step for each column, whose code may be 0: all paths are equally long. */
  const tree = new Pairs();
  for (const column of columns) {
    column.codes(rows, codes);
    let [lastSet, lastCode, lastTo] = [-1, -1, 0];
    for (let i = 0; i < rows.length; i++) {
      const set = of[i] as number;
      const code = codes[i] as number;
      if (set !== lastSet || code !== lastCode) lastTo = tree.id((lastSet = set), (lastCode = code)) + 1;
      of[i] = lastTo;
    }
  }
  const { sets, rankOf } = distinct(tree, columns, shown, of);
  for (let i = 0; i < rows.length; i++) of[i] = rankOf[of[i] as number] as number;
  return { sets, of };
}

/**
 * The sets that rows ended at, and the rank of each. A set is a row of ranks, a column each: 0 where it has no such label,
 * else the place of the text among all shown texts of the column. So sets are ordered, and found alike, by numbers.
 */
function distinct(
  tree: Pairs,
  columns: readonly FrameColumn[],
  shown: (kind: string, value: string) => string,
  ends: Uint32Array,
): { sets: Label[][]; rankOf: Uint32Array } {
  const place = new Uint32Array(tree.length + 1);
  const nodes: number[] = [];
  for (let i = 0; i < ends.length; i++) {
    const end = ends[i] as number;
    if (place[end] === 0) place[end] = nodes.push(end);
  }
  /** By column: the code of each set, which becomes its rank. */
  const ranks = columns.map(() => new Uint32Array(nodes.length));
  nodes.forEach((end, i) => {
    for (let at = columns.length - 1, node = end; at >= 0; at--) {
      (ranks[at] as Uint32Array)[i] = tree.second[node - 1] as number;
      node = tree.first[node - 1] as number;
    }
  });
  const labels = columns.map((column, at) => rank(column, ranks[at] as Uint32Array, shown));
  let order: Uint32Array = Uint32Array.from(nodes.keys());
  for (let at = columns.length - 1; at >= 0; at--)
    order = sortedBy(order, ranks[at] as Uint32Array, (labels[at] as Label[]).length + 1);

  // Set 0 is empty, whether a row has it or not.
  const sets: Label[][] = [[]];
  const rankOf = new Uint32Array(tree.length + 1);
  let last = -1;
  for (const i of order) {
    const same = last >= 0 ? ranks.every(rank => rank[i] === rank[last]) : ranks.every(rank => rank[i] === 0);
    if (!same)
      sets.push(
        ranks.flatMap((rank, at) =>
          (rank[i] as number) === 0 ? [] : ((labels[at] as Label[])[(rank[i] as number) - 1] as Label),
        ),
      );
    rankOf[nodes[i] as number] = sets.length - 1;
    last = i;
  }
  return { sets, rankOf };
}

/** Puts ranks in the place of codes, and gives the label of each rank from 1 on, in the order of their texts. */
function rank(column: FrameColumn, codes: Uint32Array, shown: (kind: string, value: string) => string): Label[] {
  const rankOf = new Uint32Array(column.values.length);
  const texts = new Map<string, number[]>();
  for (const code of codes) {
    if (rankOf[code] !== 0) continue;
    rankOf[code] = 1;
    const text = column.values[code] as string;
    if (text === '') continue;
    const label = shown(column.name, text.replaceAll(LIST, ' > '));
    const alike = texts.get(label);
    if (alike) alike.push(code);
    else texts.set(label, [code]);
  }
  rankOf.fill(0);
  const labels = [...texts.keys()].sort().map((text, at) => {
    for (const code of texts.get(text) as number[]) rankOf[code] = at + 1;
    return { key: column.name, text };
  });
  for (let i = 0; i < codes.length; i++) codes[i] = rankOf[codes[i] as number] as number;
  return labels;
}
