import { cellsOf, cutToCells } from '../formats/cells.ts';
import { emptySentence } from '../formats/empty.ts';
import { displayName } from '../formats/names.ts';
import { words } from '../formats/units.ts';
import { childrenOf, type Tree } from '../profile/tree.ts';
import { counted } from '../trace/counted.ts';
import { UsageError } from '../trace/usage-error.ts';
import { headLines, limitOf, partOf, plain, type SeenFlags, seen, sortOf, widthOf } from './seen.ts';

export interface TreeFlags extends SeenFlags {
  nodefraction: string;
}

/** A line of the tree: a node, or what was cut from under one. */
interface Line {
  readonly node: number;
  readonly depth: number;
  /** Children that were cut: how many nodes, and what they hold. */
  readonly cut?: { readonly nodes: number; readonly total: bigint };
}

/** Steps drawn to the right; deeper ones stay below each other and say how deep they are. */
const DEEPEST_INDENT = 40;

/** The call tree, the widest child first; what is below `--nodefraction` of the total is cut and counted. */
export async function tree(file: string | undefined, flags: TreeFlags): Promise<void> {
  const limit = limitOf(flags, 'lines');
  const sort = sortOf(flags, ['cum', 'name']);
  const fraction = Number(flags.nodefraction);
  if (flags.nodefraction.trim() === '' || !(fraction >= 0 && fraction <= 1))
    throw new UsageError(`--nodefraction: ${JSON.stringify(flags.nodefraction)} is not a part from 0 to 1.`);
  const seenTree = await seen(file, flags);
  const lines = linesOf(seenTree, fraction, sort);
  const shown = lines.slice(0, limit);
  if (flags.json) process.stdout.write(`${JSON.stringify(asJson(seenTree, shown, fraction), null, 2)}\n`);
  else process.stdout.write(drawn(seenTree, lines, shown, widthOf(process.stdout)));
}

function linesOf(tree: Tree, fraction: number, sort: 'cum' | 'name'): Line[] {
  const least = fraction * Number(tree.weight[0]);
  const lines: Line[] = [];
  const waiting: Line[] = [{ node: 0, depth: 0 }];
  for (let line = waiting.pop(); line !== undefined; line = waiting.pop()) {
    lines.push(line);
    if (line.cut !== undefined) continue;
    const children = [...childrenOf(tree, line.node)].filter(child => tree.weight[child] !== 0n);
    const kept = children.filter(child => Number(tree.weight[child]) >= least);
    if (sort === 'name') kept.sort((a, b) => (nameOf(tree, a) < nameOf(tree, b) ? -1 : 1));
    const cut = children.filter(child => Number(tree.weight[child]) < least);
    const depth = line.depth + 1;
    if (cut.length > 0) {
      const total = cut.reduce((sum, child) => sum + (tree.total[child] as bigint), 0n);
      waiting.push({ node: line.node, depth, cut: { nodes: cut.length, total } });
    }
    for (const child of kept.reverse()) waiting.push({ node: child, depth });
  }
  return lines;
}

function drawn(tree: Tree, lines: readonly Line[], shown: readonly Line[], width: number): string {
  if (tree.weight[0] === 0n) return `${emptySentence(tree)}\n`;
  const { unit } = tree.measure;
  const total = tree.total[0] as bigint;
  const flat = shown.reduce((sum, { node, cut }) => (cut === undefined ? sum + (tree.self[node] as bigint) : sum), 0n);
  const values = shown.map(({ node, cut }) =>
    cut === undefined
      ? [words(tree.total[node] as bigint, unit), partOf(tree.total[node] as bigint, total), own(tree, node)]
      : [words(cut.total, unit), partOf(cut.total, total), ''],
  );
  const titles = ['cum', 'cum%', 'flat'];
  const widths = titles.map((title, at) => Math.max(title.length, ...values.map(row => cellsOf(row[at] as string))));
  const columns = (row: readonly string[]) =>
    row.map((text, at) => ' '.repeat((widths[at] as number) - cellsOf(text)) + text).join('  ');
  const out = [...headLines(tree, flat).map(line => cutToCells(line, width)), `${columns(titles)}  frame`];
  shown.forEach((line, i) => {
    const { node, depth, cut } = line;
    const deep = depth > DEEPEST_INDENT ? `[${depth}] ` : '';
    const name = cut === undefined ? nameOf(tree, node) : `(${cut.nodes.toLocaleString('en-US')} smaller)`;
    out.push(
      cutToCells(
        `${columns(values[i] as string[])}  ${'  '.repeat(Math.min(depth, DEEPEST_INDENT))}${deep}${name}`,
        width,
      ).trimEnd(),
    );
  });
  if (lines.length > shown.length)
    out.push(`... and ${counted(lines.length - shown.length, 'more line')} (--limit 0 shows all)`);
  return `${out.join('\n')}\n`;
}

/** What ended in the node itself, where something also passed through. */
function own(tree: Tree, node: number): string {
  const self = tree.self[node] as bigint;
  return self === 0n ? '' : words(self, tree.measure.unit);
}

function nameOf({ profile }: Tree, node: number): string {
  const frame = node === 0 ? undefined : profile.frames[profile.nodes.frame[node] as number];
  return frame === undefined ? 'all' : displayName(frame);
}

function asJson(tree: Tree, shown: readonly Line[], fraction: number): Record<string, unknown> {
  return {
    schema: 'agentpprof.tree/1',
    view: tree.profile.view,
    measure: tree.measure.name,
    unit: tree.measure.unit,
    total: plain(tree.total[0] as bigint),
    nodefraction: fraction,
    rows: shown.map(({ node, depth, cut }) => {
      const frame = node === 0 || cut ? undefined : tree.profile.frames[tree.profile.nodes.frame[node] as number];
      return {
        depth,
        kind: frame?.kind ?? null,
        value: frame?.value ?? null,
        flat: plain(cut ? 0n : (tree.self[node] as bigint)),
        cum: plain(cut ? cut.total : (tree.total[node] as bigint)),
        ...(cut ? { cut: cut.nodes } : {}),
      };
    }),
  };
}
