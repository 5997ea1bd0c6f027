import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { liveRecorder } from './live.ts';

const live = liveRecorder();
afterAll(() => live.remove());

const lines = [...readFileSync('docs/recorder.md', 'utf8').matchAll(/```console\n([\s\S]*?)```/g)].flatMap(block =>
  block[1]!.trim().split('\n'),
);
const bin = join(live.dir, 'bin');
mkdirSync(bin);
writeFileSync(join(bin, 'agentsight'), `#!/bin/sh\nexec "${process.execPath}" "${live.program}" "$@"\n`, {
  mode: 0o755,
});

it.each(lines)('the guide’s %s works', line => {
  const env = { ...live.env, PATH: `${bin}:${process.env.PATH}` };
  const { status, stdout } = spawnSync('sh', ['-c', line], { cwd: live.dir, env, encoding: 'utf8', timeout: 60_000 });
  expect([status, stdout !== '' || line.includes('--quiet')]).toEqual([0, true]);
});
