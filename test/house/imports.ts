import path from 'node:path';
import ts from 'typescript';
import { files, text } from './source.ts';

/** What a source file imports: other files of src/ (relative to the root) and everything else by its name. */
export interface Imports {
  readonly ours: readonly string[];
  readonly others: readonly string[];
}

/** AssemblyScript, a world of its own: it is compiled by itself and imports nothing from outside its folder. */
const ASSEMBLY = /^src\/[^/]+\/kernel\/assembly\//;

/** The imports of every TypeScript file of src/, types and lazy ones included. */
export function importsOfSource(): Map<string, Imports> {
  const graph = new Map<string, Imports>();
  for (const file of files('src').filter(name => /\.tsx?$/.test(name) && !ASSEMBLY.test(name))) {
    const names = ts.preProcessFile(text(file), true, true).importedFiles.map(found => found.fileName);
    const relative = names.filter(name => name.startsWith('.'));
    graph.set(file, {
      ours: relative.map(name => path.posix.join(path.posix.dirname(file), name)),
      others: names.filter(name => !name.startsWith('.')),
    });
  }
  return graph;
}

/** The room of a file: the first folder below src/. */
export function roomOf(file: string): string {
  return file.split('/')[1] ?? '';
}

/** One cycle of the graph as "a -> b -> a", or undefined. */
export function cycleOf(graph: ReadonlyMap<string, Imports>): string | undefined {
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): string | undefined => {
    const back = trail.indexOf(file);
    if (back >= 0) return [...trail.slice(back), file].join(' -> ');
    if (done.has(file)) return undefined;
    for (const next of graph.get(file)?.ours ?? []) {
      const cycle = visit(next, [...trail, file]);
      if (cycle) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of graph.keys()) {
    const cycle = visit(file, []);
    if (cycle) return cycle;
  }
  return undefined;
}
