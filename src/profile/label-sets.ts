import { type FrameColumn, LIST } from './columns.ts';
import type { Engine, Numbers } from './kernel/engine.ts';
import type { Label } from './profile.ts';

export interface LabelSets {
  /** The distinct sets, ordered by the text of their first label, then the next (none before any); set 0 is empty. */
  readonly sets: readonly (readonly Label[])[];
  /** The set of each row. */
  readonly of: Numbers;
}

type Shown = (kind: string, value: string) => string;

/**
 * The labels of many rows, a column at a time; sets that are shown alike are one. The code of a row becomes the rank of its
 * text among all shown texts of the column, 0 where it has no such label. A set is a path of ranks, one for each column.
 */
export function labelSets(engine: Engine, rows: Numbers, columns: readonly FrameColumn[], shown: Shown): LabelSets {
  const of = engine.numbers(rows.length);
  if (columns.length === 0) return { sets: [[]], of };
  const [codes, room] = [engine.numbers(rows.length), engine.numbers(rows.length)];
  const tree = engine.pairs();
  const labels = columns.map(column => {
    column.codes(engine, rows, codes, room);
    const { ranks, labels } = ranked(column, engine.distinct(codes, column.values.length), shown);
    engine.overlay(codes, ranks, codes);
    engine.join(of, codes, tree, 1, of);
    return labels;
  });
  const nodes = engine.distinct(of, tree.length + 1);
  const { paths, order } = engine.paths(
    tree,
    nodes,
    labels.map(each => each.length + 1),
  );

  // Set 0 is empty, whether a row has it or not; the path of zeros comes first.
  const sets: Label[][] = [[]];
  const setOf = new Uint32Array(tree.length + 1);
  for (let i = 0; i < order.length; i++) {
    const at = order[i] as number;
    const set: Label[] = [];
    for (let column = 0; column < paths.length; column++) {
      const rank = (paths[column] as Uint32Array)[at] as number;
      if (rank !== 0) set.push((labels[column] as Label[])[rank - 1] as Label);
    }
    if (set.length > 0) sets.push(set);
    setOf[nodes[at] as number] = sets.length - 1;
  }
  engine.overlay(of, setOf, of);
  return { sets, of };
}

/** By code the rank of its text, from 1 on in the order of the texts (0 for none); and the label of each rank. */
function ranked(column: FrameColumn, used: Uint32Array, shown: Shown): { ranks: Uint32Array; labels: Label[] } {
  const texts = new Map<string, number[]>();
  for (const code of used) {
    const text = column.values[code] as string;
    if (text === '') continue;
    const label = shown(column.name, text.replaceAll(LIST, ' > '));
    const alike = texts.get(label);
    if (alike) alike.push(code);
    else texts.set(label, [code]);
  }
  const ranks = new Uint32Array(column.values.length);
  const labels = [...texts.keys()].sort().map((text, at) => {
    for (const code of texts.get(text) as number[]) ranks[code] = at + 1;
    return { key: column.name, text };
  });
  return { ranks, labels };
}
