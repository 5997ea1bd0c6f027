import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { transformSync } from 'esbuild';
import { afterAll, describe, expect, test } from 'vitest';
import { agentpprof, PROGRAM, scratch } from './program.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const place = scratch('young-space');
afterAll(() => place.remove());

/** The V8 that the flag was measured with; every other one is left alone. */
const MEASURED = process.versions.v8.startsWith('11.3.');

const CHURN = `
  const { getHeapSpaceStatistics } = require('node:v8');
  const { keepYoungSpace, letYoungSpaceGrow } = require('./young-space.cjs');
  const size = () => getHeapSpaceStatistics().find(each => each.space_name === 'new_space').space_size / 2 ** 20;
  /** Enough outlives a collection for the young generation to grow, if it may. */
  function churn(between) {
    let living = [];
    for (let i = 0; i < 4e6; i++) {
      living.push({ i });
      if (living.length > 3e5) living = [];
      if (i % 1000 === 0) between();
    }
    return size();
  }
  const kept = churn(keepYoungSpace);
  letYoungSpaceGrow();
  console.log(JSON.stringify({ kept, grown: churn(() => {}) }));
`;

/** Says what is asked of V8, which is told that its young generation is as large as is enough. */
const LISTEN = `
  const v8 = require('node:v8');
  v8.getHeapSpaceStatistics = () => [{ space_name: 'new_space', space_size: 8 << 20 }];
  v8.setFlagsFromString = flag => process.stderr.write('asked: ' + flag + '\\n');
`;

describe.runIf(MEASURED)('the young generation', () => {
  test('stays at 8 MiB while it is kept, and grows when it may', () => {
    const source = readFileSync(join(ROOT, 'src/cli/young-space.ts'), 'utf8');
    writeFileSync(join(place.path, 'young-space.cjs'), transformSync(source, { loader: 'ts', format: 'cjs' }).code);
    writeFileSync(join(place.path, 'churn.cjs'), CHURN);
    const ran = spawnSync(process.execPath, [join(place.path, 'churn.cjs')], { env: { PATH: process.env.PATH } });
    const { kept, grown } = JSON.parse(ran.stdout.toString());
    expect(kept).toBeLessThanOrEqual(8);
    expect(grown).toBeGreaterThan(16);
  });

  test('is kept while a history is read, and let go behind it', () => {
    const listen = join(place.path, 'listen.cjs');
    writeFileSync(listen, LISTEN);
    const ran = agentpprof(['--home', join(ROOT, 'sample/home'), '--no-cache', '-q'], {
      home: place.path,
      env: { NODE_OPTIONS: `--require ${listen}` },
      program: PROGRAM,
    });
    expect(ran.err.match(/asked: --semi-space.*/g)).toEqual([
      'asked: --semi-space-growth-factor=1',
      'asked: --semi-space-growth-factor=2',
    ]);
  });
});

test.skipIf(MEASURED)('with another V8 nothing is asked of it', () => {
  const listen = join(place.path, 'listen.cjs');
  writeFileSync(listen, LISTEN);
  const ran = agentpprof(['--home', join(ROOT, 'sample/home'), '--no-cache', '-q'], {
    home: place.path,
    env: { NODE_OPTIONS: `--require ${listen}` },
  });
  expect(ran.err).not.toContain('semi-space');
});
