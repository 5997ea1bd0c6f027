// @ts-check
// npm test: from a fresh clone to the closing line. Installs, builds, checks types, style and dead code, and runs all
// tests, none of which sees this machine's own home. Arguments go to vitest: `npm test -- test/house`.
import './house/node-version.mjs';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ensureTools } from './house/debian.mjs';
import { ensureInstalled } from './house/install.mjs';
import { isolated } from './house/isolated.mjs';
import { ROOT } from './house/paths.mjs';
import { node } from './house/run.mjs';
import { Tally, vitestCounts } from './house/tally.mjs';

const IN_CI = Boolean(process.env.CI) && process.env.CI !== 'false';
const tally = new Tally();

/** @param {string} line */
const say = line => console.log(`# ${line}`);

/** @param {string} file the JavaScript of a program below node_modules */
const tool = file => path.join(ROOT, 'node_modules', file);

/** Checks that only read: they run two at a time and show their output if they fail. */
const CHECKS = [
  { name: 'types', args: [tool('typescript/bin/tsc'), '-p', '.', '--noEmit', '--pretty'] },
  { name: 'types of the page', args: [tool('typescript/bin/tsc'), '-p', 'src/explorer', '--noEmit', '--pretty'] },
  { name: 'style', args: [tool('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '--colors=off'] },
  { name: 'kernel', args: ['scripts/build-kernel.mjs', '--check'] },
  { name: 'dead code', args: [tool('knip/bin/knip.js'), '--no-progress'] },
];

/**
 * @param {string} name
 * @param {{ code: number, output: string }} result
 */
function report(name, { code, output }) {
  tally.check(code === 0);
  say(`${name}: ${code === 0 ? 'ok' : 'FAILED'}`);
  if (code !== 0) console.log(output.trimEnd());
  return code === 0;
}

async function tools() {
  const missing = await ensureTools(say);
  const packages = missing.map(each => each.package).join(', ');
  if (IN_CI) report('tools', { code: missing.length, output: `cannot be installed: ${packages}` });
  else if (missing.length > 0) say(`skipped are the tests that need these Debian packages: ${packages}`);
}

/** @param {NodeJS.ProcessEnv} env */
async function checks(env) {
  const waiting = [...CHECKS];
  const lane = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      report(check.name, await node(check.args, { env, capture: true }));
    }
  };
  await Promise.all([lane(), lane()]);
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string} scratch
 * @param {string[]} args
 */
async function vitest(env, scratch, args) {
  const file = path.join(scratch, 'vitest.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const { code } = await node([tool('vitest/vitest.mjs'), 'run', ...reporters, ...args], { env });
  try {
    const counts = vitestCounts(JSON.parse(readFileSync(file, 'utf8')));
    tally.add(counts);
    // An error outside of any test (an unhandled rejection) fails vitest and no test.
    if (code !== 0 && counts.failed === 0) report('vitest', { code, output: `vitest ended with code ${code}` });
  } catch (error) {
    report('vitest', { code: 1, output: `no report: ${error}` });
  }
}

async function main() {
  if (!report('installation', { code: (await ensureInstalled(say)) ? 0 : 1, output: 'npm ci failed' })) return;
  await tools();
  const scratch = isolated();
  const stop = () => {
    scratch.remove();
    process.exit(130);
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    report('build', await node(['scripts/build.mjs'], { env: scratch.env, capture: true }));
    await checks(scratch.env);
    await vitest(scratch.env, scratch.root, process.argv.slice(2));
  } finally {
    scratch.remove();
  }
}

await main();
tally.close();
