// @ts-check
// How well segmenters find the labelled stages of the shared corpus, with controls and intervals: the tables of
// docs/segmentation.md.
//
//   npm run build && node bench/segments.mjs [SHARED]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writeLabelled } from './labelled.mjs';

const ROOT = path.resolve(import.meta.dirname, '..');
const [shared = path.join(ROOT, '../shared')] = process.argv.slice(2);
const BACKENDS = 'auto,native,rules,recurrence,recurrence-multi,recurrence-calibrated,learned';

const directory = mkdtempSync(path.join(tmpdir(), 'agentpprof-segments-'));
try {
  for (const file of writeLabelled(shared, directory)) {
    process.stdout.write(`\n${path.basename(file, '.jsonl')}\n`);
    const cluster = file.includes('todo') ? ['--cluster-by', 'problem'] : [];
    const args = [
      'evaluate',
      'segments',
      '--operation-file',
      file,
      '--gold',
      'stage',
      '--backend',
      BACKENDS,
      ...cluster,
    ];
    const program = path.join(ROOT, 'dist/agentpprof.js');
    const { status } = spawnSync(process.execPath, [program, ...args, '--no-cache', '-q'], { stdio: 'inherit' });
    if (status !== 0) process.exitCode = 1;
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
