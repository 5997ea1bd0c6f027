// @ts-check
// What modules would work out whenever the program starts, though it is always the same, is worked out when it is built.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { ROOT } from './paths.mjs';

/** Cells as JavaScript that gives them again. @param {Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array} cells */
function cellsAsCode(cells) {
  const bytes = Buffer.from(cells.buffer, cells.byteOffset, cells.byteLength);
  return `new ${cells.constructor.name}(Uint8Array.from(Buffer.from('${bytes.toString('base64')}', 'base64')).buffer)`;
}

/** The values of names that code at the top of a module declares. @param {string} code @param {string[]} names */
function valuesOf(code, names) {
  const plain = code
    .replace(/^import .*$/gm, '')
    .replace(/^export (?=const )/gm, '')
    .replace(/^export .*$/gm, '');
  return runInNewContext(`${plain}\n({ ${names.join(', ')} })`, {
    Uint8Array,
    Uint16Array,
    Uint32Array,
    Int32Array,
  });
}

const TRIE = ['nodeFlags', 'edgeStart', 'edgeLength', 'edgeChild', 'labelText', 'rulesRoot', 'exceptionsRoot'];
const DERIVED = ['edgeOffset', 'edgeHash', 'wildcardEdge'];

/** The list of public suffixes: as text of numbers it takes longer to read than all hosts of a history to look up. @param {string} code */
function suffixesAsCells(code) {
  const values = Object.entries(valuesOf(code, TRIE));
  return values
    .map(
      ([name, value]) =>
        `export const ${name} = ${ArrayBuffer.isView(value) ? cellsAsCode(/** @type {Uint8Array} */ (value)) : JSON.stringify(value)};`,
    )
    .join('\n');
}

/** What is derived from the list in a loop over all of it. @param {string} code @param {string} trie */
function withDerived(code, trie) {
  const loop = /^const edgeOffset = [\s\S]*?^for \(.*\{$[\s\S]*?^\}$/m.exec(code)?.[0];
  if (loop === undefined) throw new Error('tldts has another way to its tables now: see scripts/house/prepared.mjs');
  const first = /^const numberOfNodes = .*\nconst numberOfEdges = .*$/m.exec(code)?.[0] ?? '';
  const values = valuesOf(`${trie}\n${first}\n${loop}`, DERIVED);
  return code.replace(loop, () => DERIVED.map(name => `const ${name} = ${cellsAsCode(values[name])};`).join('\n'));
}

/** The built-in examples, fitted: with words of Chinese as the dictionary of this ICU cuts them. */
async function examplesFitted() {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({ cwd: ROOT, input: EXAMPLES, platform: 'neutral' });
  try {
    const { output } = await bundle.generate({ format: 'esm' });
    const { fittedExamples } = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
    const { texts, features, counts, rows, values } = fittedExamples();
    return `import { builtIn } from './examples.ts';
import { fitted } from './fitted.ts';
export function fittedExamples() {
  if (process.versions.icu !== ${JSON.stringify(process.versions.icu)}) return fitted(builtIn().map(({ text }) => text));
  return {
    texts: ${texts},
    features: ${cellsAsCode(features)},
    counts: ${cellsAsCode(Uint16Array.from(counts))},
    rows: ${cellsAsCode(Uint16Array.from(rows))},
    values: ${cellsAsCode(values)},
  };
}
`;
  } finally {
    await bundle.close();
  }
}

const SUFFIXES = 'node_modules/tldts/dist/es6/src/data/trie.js';
const LOOKUP = 'node_modules/tldts/dist/es6/src/suffix-trie.js';
const EXAMPLES = 'src/meaning/tagging/fitted-examples.ts';

/** @type {import('rolldown').Plugin} */
export const PREPARED = {
  name: 'prepared',
  async load(id) {
    const file = path.relative(ROOT, id).split(path.sep).join('/');
    if (file === SUFFIXES) return suffixesAsCells(await readFile(id, 'utf8'));
    if (file === LOOKUP)
      return withDerived(await readFile(id, 'utf8'), await readFile(path.join(ROOT, SUFFIXES), 'utf8'));
    if (file === EXAMPLES) return { code: await examplesFitted(), moduleType: 'js' };
    return null;
  },
};
