import { type FrameColumn, LIST } from './columns.ts';
import { Pairs } from './pairs.ts';
import type { Label } from './profile.ts';

export interface LabelSets {
  /** The distinct sets in the order of their texts; set 0 is empty. */
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

/** The sets that rows ended at, and the rank of each. */
function distinct(
  tree: Pairs,
  columns: readonly FrameColumn[],
  shown: (kind: string, value: string) => string,
  ends: Uint32Array,
): { sets: Label[][]; rankOf: Uint32Array } {
  const labelsOf = columns.map(column => {
    const known: (Label | undefined)[] = [];
    return (code: number): Label | undefined => {
      const text = column.values[code] as string;
      if (text === '') return undefined;
      return (known[code] ??= {
        key: column.name,
        text: shown(column.name, text.replaceAll(LIST, ' > ')),
      });
    };
  });
  const bySet = new Map<string, { labels: Label[]; nodes: number[] }>([['', { labels: [], nodes: [] }]]);
  const seen = new Uint8Array(tree.length + 1);
  for (let i = 0; i < ends.length; i++) {
    const end = ends[i] as number;
    if (seen[end] === 1) continue;
    seen[end] = 1;
    const labels: Label[] = [];
    let node = end;
    for (let at = columns.length - 1; at >= 0; at--) {
      const label = (labelsOf[at] as (code: number) => Label | undefined)(tree.second[node - 1] as number);
      if (label) labels.push(label);
      node = tree.first[node - 1] as number;
    }
    labels.reverse();
    const text = textOf(labels);
    const set = bySet.get(text);
    if (set) set.nodes.push(end);
    else bySet.set(text, { labels, nodes: [end] });
  }
  const rankOf = new Uint32Array(tree.length + 1);
  const sets = [...bySet.keys()].sort().map((text, rank) => {
    const { labels, nodes } = bySet.get(text) as { labels: Label[]; nodes: number[] };
    for (const node of nodes) rankOf[node] = rank;
    return labels;
  });
  return { sets, rankOf };
}

/** Names a set; sets are ordered by it. */
function textOf(labels: readonly Label[]): string {
  let text = '';
  for (const label of labels) text += `${label.key}\u0001${'text' in label ? label.text : label.number}\u0002`;
  return text;
}
