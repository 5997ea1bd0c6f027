import type { DiffTree } from '../profile/diff-tree.ts';
import { foldedName, NO_FRAME } from './names.ts';
import { type Sink, TextChunks } from './sink.ts';

/**
 * Writes both sides in two columns, as difffolded.pl does and flamegraph.pl reads: `agent:codex;prompt:debug 12 15`,
 * first A, then B; their difference is the change. Lines as in `writeFolded`: sorted, stacks that read alike are one,
 * what is zero on both sides is left out.
 */
export function writeDiffFolded(tree: DiffTree, sink: Sink): void {
  const { nodes, frames } = tree.comparison;
  const names = frames.map(foldedName);
  const paths: string[] = [''];
  const sums = new Map<string, [bigint, bigint]>();
  for (let n = 0; n < nodes.parent.length; n++) {
    if (n > 0) {
      const above = paths[nodes.parent[n] as number] as string;
      const name = names[nodes.frame[n] as number] as string;
      paths.push(above === '' ? name : `${above};${name}`);
    }
    const [a, b] = [tree.selfA[n] as bigint, tree.selfB[n] as bigint];
    if (a === 0n && b === 0n) continue;
    const path = n === 0 ? NO_FRAME : (paths[n] as string);
    const sum = sums.get(path) ?? [0n, 0n];
    sums.set(path, [sum[0] + a, sum[1] + b]);
  }
  const out = new TextChunks(sink);
  for (const path of [...sums.keys()].sort()) {
    const [a, b] = sums.get(path) as [bigint, bigint];
    if (a !== 0n || b !== 0n) out.add(`${path} ${a} ${b}\n`);
  }
  out.flush();
}
