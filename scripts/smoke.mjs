// @ts-check
// The built program as people use it: on the samples, on the corpus where it lies beside the project, installed from its
// own package, and on a small generated history. Ends with the closing line.
import './house/node-version.mjs';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { isolated } from './house/isolated.mjs';
import { ROOT } from './house/paths.mjs';
import { node, npm, run } from './house/run.mjs';
import { Tally } from './house/tally.mjs';

const PROGRAM = path.join(ROOT, 'dist/agentpprof.js');
const SAMPLE = path.join(ROOT, 'sample');
const CORPUS = path.join(process.env.AGENTPPROF_SHARED ?? path.join(ROOT, '../shared'), 'corpus');
const VIEWS = ['operations', 'tokens', 'cost', 'time', 'files', 'network', 'failures'];
const COUNTS = ['files', 'sessions', 'subagents', 'prompts', 'calls', 'tool_calls', 'tokens', 'models'];

const tally = new Tally();
const scratch = isolated();
const { env } = scratch;

/** @param {string} name @param {() => Promise<void>} does throws where something is not as it should be */
async function check(name, does) {
  try {
    await does();
    tally.check(true);
    console.log(`ok      ${name}`);
  } catch (error) {
    tally.check(false);
    console.log(`FAILED  ${name}\n${error instanceof Error ? error.message : error}`);
  }
}

/** @param {{ code: number, output: string }} result */
function succeeded({ code, output }) {
  if (code !== 0) throw new Error(`exit code ${code}\n${output.trimEnd()}`);
  return output;
}

/** @param {...string} args */
async function agentpprof(...args) {
  return succeeded(await node([PROGRAM, ...args], { env, capture: true }));
}

/** @param {unknown} got @param {unknown} wanted @param {string} what */
function same(got, wanted, what) {
  const [a, b] = [got, wanted].map(value =>
    JSON.stringify(value, (_, v) => (v && v.constructor === Object ? sorted(v) : v)),
  );
  if (a !== b) throw new Error(`${what}: ${a} instead of ${b}`);
}

/** @param {Record<string, unknown>} object */
function sorted(object) {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** @param {string} file @param {RegExp} begins */
function written(file, begins) {
  if (!begins.test(readFileSync(file, 'latin1'))) throw new Error(`${path.basename(file)} is not what its name says`);
}

/** @param {string} folder */
async function reconciled(folder) {
  return JSON.parse(await agentpprof('reconcile', '--json', '--quiet', '--home', folder));
}

async function samples() {
  for (const view of VIEWS) {
    const picture = path.join(scratch.root, `${view}.svg`);
    await check(`the sample as a picture of ${view}`, async () => {
      await agentpprof('--session-dir', SAMPLE, '--view', view, '-o', picture);
      written(picture, /^(<\?xml[^>]*>\s*)?<svg[\s\S]*<\/svg>\s*$/);
      if (statSync(picture).size < 5_000) throw new Error('the picture is empty');
    });
  }
  await check('the sample as pprof, folded stacks and JSON', async () => {
    const file = (/** @type {string} */ name) => path.join(scratch.root, name);
    for (const name of ['x.pb.gz', 'x.folded', 'x.json'])
      await agentpprof('--home', `${SAMPLE}/home`, '-o', file(name));
    written(file('x.pb.gz'), /^\x1f\x8b/);
    written(file('x.folded'), /^agent:[^\n]* \d+\n/);
    written(file('x.json'), /^\{[\s\S]*"schema"/);
    succeeded(await run('go', ['tool', 'pprof', '-top', file('x.pb.gz')], { env, capture: true }));
  });
  await check('the ledger of the sample is its truth.json', async () => {
    const truth = JSON.parse(readFileSync(path.join(SAMPLE, 'truth.json'), 'utf8'));
    const ledger = await reconciled(path.join(SAMPLE, 'home'));
    for (const wanted of truth.agents) {
      const got = ledger.agents.find((/** @type {{ agent: string }} */ each) => each.agent === wanted.agent) ?? {};
      for (const key of COUNTS) same(got[key], wanted[key], `${wanted.agent} ${key}`);
      same(got.dropped?.copied_history, wanted.dropped.copied_history, `${wanted.agent} copied_history`);
    }
  });
  await check('an empty home is said in words and is no failure', async () => {
    const folder = path.join(scratch.root, 'nobody');
    mkdirSync(folder, { recursive: true });
    const output = await agentpprof('--home', folder, '-o', path.join(scratch.root, 'empty.pb.gz'));
    if (!output.trim()) throw new Error('not a word');
  });
}

async function corpus() {
  if (!existsSync(CORPUS)) return;
  const runs = path.join(CORPUS, 'real-agents');
  const expected = JSON.parse(readFileSync(path.join(runs, 'expected.json'), 'utf8'));
  for (const [name, { agent, total }] of Object.entries(expected)) {
    if (agent !== 'claude-code' && agent !== 'codex') continue;
    await check(`the total of ${name}`, async () => {
      const ledger = await reconciled(path.join(runs, name, 'home'));
      same(ledger.total.tokens.total, total, 'tokens');
    });
  }
  for (const agent of ['claude-code', 'codex']) {
    await check(`a picture of all ${agent} sessions of the corpus`, async () => {
      const picture = path.join(scratch.root, `${agent}.svg`);
      await agentpprof('--session-dir', path.join(CORPUS, 'sessions', agent), '-o', picture);
      written(picture, /<svg[\s\S]*<\/svg>\s*$/);
    });
  }
}

async function installed() {
  const prefix = path.join(scratch.root, 'prefix');
  const tarballs = path.join(scratch.root, 'tarballs');
  mkdirSync(tarballs);
  // npm itself gets this machine's own settings: it may need them to reach its registry.
  await check('npm pack, and a global installation of what it packed', async () => {
    succeeded(await npm(['pack', '--pack-destination', tarballs], { capture: true }));
    const [tarball = ''] = readdirSync(tarballs);
    succeeded(await npm(['install', '--global', '--prefix', prefix, path.join(tarballs, tarball)], { capture: true }));
  });
  for (const name of ['agentpprof', 'agentsight']) {
    await check(`the installed ${name} runs`, async () => {
      const program = path.join(prefix, 'bin', name);
      const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
      const asked = await run(program, ['--version'], { env, capture: true, cwd: scratch.root });
      const said = `${name} ${succeeded(asked)}`;
      if (!said.includes(version)) throw new Error(`it says: ${said}`);
      if (name === 'agentsight') {
        const out = path.join(scratch.root, 'recording');
        succeeded(await run(program, ['record', '--quiet', '--out', out, '--', 'true'], { env, capture: true }));
        succeeded(await run(program, ['report', out, '--json'], { env, capture: true }));
        return;
      }
      const args = ['--home', path.join(SAMPLE, 'home'), '-o', path.join(scratch.root, 'installed.svg')];
      succeeded(await run(program, args, { env, capture: true, cwd: scratch.root }));
    });
  }
}

try {
  await samples();
  await corpus();
  await installed();
  await check('a small generated history: cold, warm and grown totals', async () => {
    succeeded(await node(['bench/run.mjs', '--small'], { env, capture: true }));
  });
} finally {
  scratch.remove();
}
tally.close();
