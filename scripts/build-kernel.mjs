// @ts-check
// Compiles the kernels (AssemblyScript: the scanner's with SIMD, that of folding, that of encoding) to WebAssembly and writes
// each, as base64 in a module, to the wasm.ts beside its sources. These files are committed, with a digest of what they were
// made from, and made again only if that changed. `--check` compiles in any case and fails if a file is not what comes out; it
// writes nothing.
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { KERNELS } from './house/kernels.mjs';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const COMPILER = path.join(ROOT, 'node_modules/assemblyscript/package.json');

// No garbage collector, no strings, no assertions: the kernel works on addresses.
const OPTIONS = '--runtime stub --use abort= --noAssert --enable simd --optimizeLevel 3 --shrinkLevel 0'.split(' ');

/** What a module depends on: the sources, the options, the compiler's version. @param {string} kernel */
function digest(kernel) {
  const sources = path.join(ROOT, kernel, 'assembly');
  const hash = createHash('sha256').update(OPTIONS.join(' '));
  hash.update(JSON.parse(readFileSync(COMPILER, 'utf8')).version);
  for (const name of readdirSync(sources).sort())
    hash.update(`\n${name}\n`).update(readFileSync(path.join(sources, name)));
  return hash.digest('hex');
}

/** @param {string} kernel @returns {Promise<string>} the text of the module */
async function compile(kernel) {
  const { default: asc } = await import('assemblyscript/asc');
  const scratch = mkdtempSync(path.join(tmpdir(), 'kernel-'));
  try {
    const wasm = path.join(scratch, 'kernel.wasm');
    const entry = path.join(kernel, 'assembly/kernel.ts');
    const { error, stderr } = await asc.main([entry, '--baseDir', ROOT, '--outFile', wasm, ...OPTIONS]);
    if (error) throw new Error(`${error.message}\n${stderr.toString()}`);
    return [
      '// Made by scripts/build-kernel.mjs from the sources in assembly/. Do not edit.',
      `// ${digest(kernel)}`,
      'export const KERNEL =',
      `  '${readFileSync(wasm).toString('base64')}';`,
      '',
    ].join('\n');
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** @param {string} kernel */
function committed(kernel) {
  try {
    return readFileSync(moduleOf(kernel), 'utf8');
  } catch {
    return '';
  }
}

/** @param {string} kernel */
function moduleOf(kernel) {
  return path.join(ROOT, kernel, 'wasm.ts');
}

for (const kernel of KERNELS) {
  if (process.argv.includes('--check')) {
    if (committed(kernel) === (await compile(kernel))) continue;
    console.error(`build-kernel: ${kernel}/wasm.ts is not what its sources give; run scripts/build-kernel.mjs`);
    process.exitCode = 1;
  } else if (!committed(kernel).includes(digest(kernel))) writeFileSync(moduleOf(kernel), await compile(kernel));
}
