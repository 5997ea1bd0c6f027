import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bestEngine } from '../../src/ingest/engines.ts';

const ROOT = join(import.meta.dirname, '../..');

test('the kernel in the tree is what its sources give', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build-kernel.mjs', '--check'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});

test('the kernel is the engine of this runtime, which has WebAssembly SIMD', () => {
  expect(bestEngine()).toBe('kernel');
});
