import { type FrameColumn, LIST } from './columns.ts';
import type { Engine, Numbers } from './kernel/engine.ts';
import { LabelColumns } from './label-columns.ts';

export interface RowLabels {
  /** The distinct sets, ordered by the text of their first label, then the next (none before any); set 0 is empty. */
  readonly sets: LabelColumns;
  /** The set of each row. */
  readonly of: Numbers;
}

type Shown = (kind: string, value: string) => string;

/**
 * The labels of many rows, a column at a time; sets that are shown alike are one. The code of a row becomes the rank of its
 * text among all shown texts of the column, 0 where it has no such label. A set is a path of ranks, one for each column.
 */
export function labelSets(engine: Engine, rows: Numbers, columns: readonly FrameColumn[], shown: Shown): RowLabels {
  const of = engine.numbers(rows.length);
  if (columns.length === 0) return { sets: new LabelColumns(1, []), of };
  const [codes, room] = [engine.numbers(rows.length), engine.numbers(rows.length)];
  const tree = engine.pairs();
  const texts = columns.map(column => {
    column.codes(engine, rows, codes, room);
    const { ranks, texts } = ranked(column, engine.distinct(codes, column.values.length), shown);
    engine.overlay(codes, ranks, codes);
    engine.join(of, codes, tree, 1, of);
    return texts;
  });
  const nodes = engine.distinct(of, tree.length + 1);
  const { paths, order } = engine.paths(
    tree,
    nodes,
    texts.map(each => each.length),
  );
  // Set 0 is empty, whether a row has it or not; the path of zeros comes first.
  const hasEmpty = order.length > 0 && paths.every(path => path[order[0] as number] === 0);
  const before = hasEmpty ? 0 : 1;
  const setOf = new Uint32Array(tree.length + 1);
  order.forEach((at, i) => {
    setOf[nodes[at] as number] = i + before;
  });
  engine.overlay(of, setOf, of);
  engine.release(codes);
  engine.release(room);
  const sets = columns.map(({ name }, at) => {
    const ranks = new Uint32Array(order.length + before);
    const path = paths[at] as Uint32Array;
    for (let i = 0; i < order.length; i++) ranks[i + before] = path[order[i] as number] as number;
    return { key: name, texts: texts[at] as string[], ranks };
  });
  return { sets: new LabelColumns(order.length + before, sets), of };
}

/** By code the rank of its text, from 1 on in the order of the texts (0 for none); and the text of each rank. */
function ranked(column: FrameColumn, used: Uint32Array, shown: Shown): { ranks: Uint32Array; texts: string[] } {
  const codesOf = new Map<string, number[]>();
  for (const code of used) {
    const text = column.values[code] as string;
    if (text === '') continue;
    const label = shown(column.name, text.replaceAll(LIST, ' > '));
    const alike = codesOf.get(label);
    if (alike) alike.push(code);
    else codesOf.set(label, [code]);
  }
  const ranks = new Uint32Array(column.values.length);
  const texts = ['', ...[...codesOf.keys()].sort()];
  for (let rank = 1; rank < texts.length; rank++)
    for (const code of codesOf.get(texts[rank] as string) as number[]) ranks[code] = rank;
  return { ranks, texts };
}
