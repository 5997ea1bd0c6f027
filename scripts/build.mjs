// @ts-check
// Builds dist/: the program bundled with all it imports, plain JavaScript with no step at install time.
// The same sources give the same bytes. Options: none.
import './house/node-version.mjs';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { explorerPage } from './build-explorer.mjs';
import { programFiles, threadFile } from './build-program.mjs';
import { carryEngine } from './house/engine.mjs';
import { KERNELS } from './house/kernels.mjs';
import { licencesOf } from './house/licences.mjs';
import { ROOT } from './house/paths.mjs';
import { node } from './house/run.mjs';
import { SHIPPED } from './house/shipped.mjs';

const MAIN = 'src/cli/main.ts';
const DIST = path.join(ROOT, 'dist');

/**
 * A command as people start it. It looks at the version of Node before it loads anything that an old one cannot parse.
 *
 * @param {string} name
 */
const bin = name => `#!/usr/bin/env node
'use strict';
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error('${name} needs Node 20.19 or newer, this is Node ' + process.versions.node + '.');
  process.exit(1);
}
const argv = process.argv.slice(2);
// What the program does takes about a second, and of this version of V8 much of it is compiling (docs/performance.md). Loops over
// columns run once each: left to itself it goes on in slow code while a thread of its own makes the fast one. And it
// copies what a function calls into it as long as there is room, and then compiles all of that. No other version was
// measured. Help has no such loops, and to load this module costs it more than all of its own work.
if (process.versions.v8.startsWith('11.3.') && !/^-(?:h|-help|V|-version)$/.test(argv[0] ?? '')) {
  const { setFlagsFromString } = require('node:v8');
  setFlagsFromString('--no-concurrent-osr');
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=100');
}
let ended = false;
process.once('beforeExit', () => {
  if (ended) return;
  console.error('${name}: nothing is left to wait for, and the work is not done.');
  process.exitCode = 13;
});
require('./main.cjs')
  .main('${name}', argv)
  .then(code => {
    ended = true;
    process.exitCode = code;
    // Where nothing is under way any more, no written byte either, Node would only take its heap apart, which costs a
    // twentieth of a short run. What went wrong with a byte is told in the next turns of the loop at the latest.
    if (process.getActiveResourcesInfo().length === 0) setImmediate(() => process.exit());
  });
`;

/** The newest change below a folder. @param {string} folder @returns {Promise<number>} ms since the epoch */
async function newest(folder) {
  const names = await readdir(folder, { recursive: true });
  const stats = await Promise.all(names.map(name => stat(path.join(folder, name))));
  return Math.max(0, ...stats.map(each => each.mtimeMs));
}

/**
 * Kernels are committed in compiled form (npm test checks that they are what their sources give), so they are compiled only
 * when somebody has just changed a source. A checkout writes all files within the slack.
 */
async function buildKernels() {
  const slack = 2_000;
  for (const kernel of KERNELS) {
    const compiled = path.join(ROOT, kernel, 'wasm.ts');
    const sources = path.join(ROOT, kernel, 'assembly');
    if (existsSync(compiled) && (await newest(sources)) <= (await stat(compiled)).mtimeMs + slack) continue;
    if ((await node(['scripts/build-kernel.mjs'])).code !== 0) throw new Error('scripts/build-kernel.mjs failed');
    return;
  }
}

async function build() {
  if (!existsSync(path.join(ROOT, MAIN))) throw new Error(`${MAIN} is not there: nothing to build`);
  // Built apart and moved into place whole, so that nobody ever runs half of one build and half of another.
  const fresh = path.join(ROOT, 'node_modules/.cache', `agentpprof-dist-${process.pid}`);
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true });
  try {
    await buildKernels();
    const page = await explorerPage();
    await writeFile(path.join(fresh, 'explorer-page.js'), page.script);
    await writeFile(path.join(fresh, 'explorer-page.css'), page.style);
    const program = await programFiles(MAIN);
    const thread = await threadFile();
    for (const { name, text } of [...program.files, ...thread.files]) await writeFile(path.join(fresh, name), text);
    // What lies here is CommonJS, unlike the sources that the package.json above it speaks of.
    await writeFile(path.join(fresh, 'package.json'), '{ "type": "commonjs" }\n');
    await writeFile(
      path.join(fresh, 'LICENCES.txt'),
      await licencesOf([...program.inputs, ...thread.inputs, ...page.inputs, ...SHIPPED.map(file => file.from)]),
    );
    for (const { from, as } of SHIPPED) await cp(path.join(ROOT, from), path.join(fresh, as));
    if (carryEngine(ROOT, fresh) === 'stale')
      console.error(
        'build: the recorder has changed since its engine was built; npm run build:recorder builds it anew',
      );
    for (const name of ['agentpprof', 'agentsight']) {
      const file = path.join(fresh, `${name}.js`);
      await writeFile(file, bin(name));
      await chmod(file, 0o755);
    }
    await rm(DIST, { recursive: true, force: true });
    await rename(fresh, DIST);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

try {
  await build();
} catch (error) {
  // A bundler has already said where; its message repeats all of it below the first line.
  console.error(`build: ${error instanceof Error ? error.message.split('\n')[0] : error}`);
  process.exitCode = 1;
}
