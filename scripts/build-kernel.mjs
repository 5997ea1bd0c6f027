// @ts-check
// Compiles the scanner's kernel (AssemblyScript with SIMD) to WebAssembly and writes it, as base64 in a module, to
// src/ingest/kernel/wasm.ts. That file is committed, with a digest of what it was made from, and made again only if
// that changed. `--check` compiles in any case and fails if the file is not what comes out; it writes nothing.
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const SOURCES = path.join(ROOT, 'src/ingest/kernel/assembly');
const MODULE = path.join(ROOT, 'src/ingest/kernel/wasm.ts');
const COMPILER = path.join(ROOT, 'node_modules/assemblyscript/package.json');

// No garbage collector, no strings, no assertions: the kernel works on addresses.
const OPTIONS = '--runtime stub --use abort= --noAssert --enable simd --optimizeLevel 3 --shrinkLevel 0'.split(' ');

/** What the module depends on: the sources, the options, the compiler's version. */
function digest() {
  const hash = createHash('sha256').update(OPTIONS.join(' '));
  hash.update(JSON.parse(readFileSync(COMPILER, 'utf8')).version);
  for (const name of readdirSync(SOURCES).sort())
    hash.update(`\n${name}\n`).update(readFileSync(path.join(SOURCES, name)));
  return hash.digest('hex');
}

/** @returns {Promise<string>} the text of the module */
async function compile() {
  const { default: asc } = await import('assemblyscript/asc');
  const scratch = mkdtempSync(path.join(tmpdir(), 'kernel-'));
  try {
    const wasm = path.join(scratch, 'kernel.wasm');
    const entry = path.relative(ROOT, path.join(SOURCES, 'kernel.ts'));
    const { error, stderr } = await asc.main([entry, '--baseDir', ROOT, '--outFile', wasm, ...OPTIONS]);
    if (error) throw new Error(`${error.message}\n${stderr.toString()}`);
    return [
      '// Made by scripts/build-kernel.mjs from the sources in assembly/. Do not edit.',
      `// ${digest()}`,
      'export const KERNEL =',
      `  '${readFileSync(wasm).toString('base64')}';`,
      '',
    ].join('\n');
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function committed() {
  try {
    return readFileSync(MODULE, 'utf8');
  } catch {
    return '';
  }
}

if (process.argv.includes('--check')) {
  if (committed() !== (await compile())) {
    console.error('build-kernel: src/ingest/kernel/wasm.ts is not what its sources give; run scripts/build-kernel.mjs');
    process.exitCode = 1;
  }
} else if (!committed().includes(digest())) writeFileSync(MODULE, await compile());
