// @ts-check
// The program's own JavaScript: few files of CommonJS, each loaded when what is in it is first used. Node takes several
// milliseconds to load a file as an ES module and less than one to require it, so neither many files nor ES modules.
import path from 'node:path';
import { ROOT } from './house/paths.mjs';
import { PREPARED } from './house/prepared.mjs';

/** What most commands do: what this file imports, and what that imports, is one file. */
const USUAL = 'src/cli/profile.ts';

/** What a thread beside the first runs, see src/sources/threads/start.ts. */
const READING_THREAD = 'src/sources/threads/thread.ts';

/**
 * commander can start programs as subcommands. Ours are none, and the module for it takes as long to load as all of
 * commander.
 *
 * @type {import('rolldown').Plugin}
 */
const NO_PROGRAMS = {
  name: 'no-programs-as-commands',
  resolveId: (id, importer) =>
    id === 'node:child_process' && importer?.includes('/node_modules/commander/') ? '\0no-programs' : null,
  load: id => (id === '\0no-programs' ? 'export {};' : null),
};

/**
 * What goes in. @param {Record<string, string>} input modules by the name of their file
 * @returns {import('rolldown').InputOptions}
 */
const inputOf = input => ({
  cwd: ROOT,
  input,
  platform: 'node',
  transform: { target: 'node20' },
  resolve: {
    mainFields: ['module', 'main'],
    // For Node this package resolves to CommonJS, whose names a lazy import() of a bundle cannot see.
    alias: { yaml: path.join(ROOT, 'node_modules/yaml/browser/index.js') },
  },
  plugins: [NO_PROGRAMS, PREPARED],
  // web-tree-sitter can evaluate code of its WebAssembly module; ours has none.
  checks: { eval: false },
  // Chunks may import from main.cjs what it does not export to the outside.
  preserveEntrySignatures: 'allow-extension',
});

/** How it comes out. @type {import('rolldown').OutputOptions} */
const OUTPUT = {
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name]-[hash].cjs',
  // Names and lines stay as they are, so that a stack trace in a bug report can be read.
  minify: false,
  comments: false,
  // Everything at the top of a file is there before it is used; so no use of it need look whether it is.
  topLevelVar: true,
};

/** @typedef {{ files: { name: string, text: string }[], inputs: string[] }} Built `inputs` are the files that went in, relative to the root */

/** @param {readonly import('rolldown').OutputChunk[]} chunks @returns {Built} */
const builtOf = chunks => ({
  files: chunks.map(chunk => ({ name: chunk.fileName, text: chunk.code })),
  inputs: chunks
    .flatMap(chunk => chunk.moduleIds)
    .filter(id => path.isAbsolute(id))
    .map(id => path.relative(ROOT, id).split(path.sep).join('/')),
});

/**
 * What a thread beside the first runs: one file, so that the files of the program stay those that it needs by itself.
 *
 * @returns {Promise<Built>}
 */
export async function threadFile() {
  const { rolldown } = await import('rolldown');
  const build = await rolldown(inputOf({ 'reading-thread': READING_THREAD }));
  try {
    const { output } = await build.generate({ ...OUTPUT, codeSplitting: false });
    return builtOf(output.filter(each => each.type === 'chunk'));
  } finally {
    await build.close();
  }
}

/**
 * @param {string} main the module that exports `main`; it becomes main.cjs
 * @returns {Promise<Built>}
 */
export async function programFiles(main) {
  const { rolldown } = await import('rolldown');
  const build = await rolldown(inputOf({ main }));
  /** @type {Map<string, Set<string>>} */
  const closures = new Map();
  /** @param {import('rolldown').ChunkingContext} graph @param {string} root */
  const importedBy = (graph, root) => {
    const seen = closures.get(root) ?? new Set();
    if (seen.size > 0) return seen;
    closures.set(root, seen);
    const left = [path.join(ROOT, root)];
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      if (seen.has(id)) continue;
      seen.add(id);
      left.push(...(graph.getModuleInfo(id)?.importedIds ?? []));
    }
    return seen;
  };
  try {
    const { output } = await build.generate({
      ...OUTPUT,
      codeSplitting: {
        groups: [
          {
            debugName: 'usual',
            name: (id, graph) =>
              importedBy(graph, USUAL).has(id) && !importedBy(graph, main).has(id) ? 'usual' : null,
            includeDependenciesRecursively: false,
          },
        ],
      },
    });
    return builtOf(output.filter(each => each.type === 'chunk'));
  } finally {
    await build.close();
  }
}
