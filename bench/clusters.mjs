// @ts-check
// What docs/clusters.md says in numbers: how well clusters of real runs agree with the tasks that were given, beside two
// controls; what HDBSCAN takes alone; and what the whole pipeline takes on 2,000 sessions.
//
//   node bench/clusters.mjs [--shared DIR] [--sessions 2000]
import '../scripts/house/node-version.mjs';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { isolated } from '../scripts/house/isolated.mjs';
import { ROOT } from '../scripts/house/paths.mjs';

const { values: options } = parseArgs({
  options: { shared: { type: 'string' }, sessions: { type: 'string', default: '2000' } },
});
const shared = path.resolve(options.shared ?? process.env.AGENTPPROF_SHARED ?? path.join(ROOT, '../shared'));
const corpus = path.join(shared, 'corpus/trajectories/codetracer-claude-code');
const scratch = isolated();
const FEWEST_EVENTS = 5;

/** @param {string[]} args */
function agentpprof(...args) {
  const before = performance.now();
  const child = spawnSync(process.execPath, [path.join(ROOT, 'dist/agentpprof.js'), ...args], {
    env: scratch.env,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (child.status !== 0) throw new Error(`agentpprof ${args[0]}: ${child.stderr}`);
  return { out: child.stdout, seconds: (performance.now() - before) / 1000 };
}

/** Groups of equal things, as counts. @param {readonly string[]} names */
function counts(names) {
  const found = new Map();
  for (const name of names) found.set(name, (found.get(name) ?? 0) + 1);
  return [...found.values()];
}

/** V-measure (Rosenberg and Hirschberg 2007), written down once more here, so that the program is not its own judge. @param {readonly string[]} gold @param {readonly string[]} given */
function vMeasure(gold, given) {
  const entropy = (/** @type {readonly string[]} */ names) =>
    counts(names).reduce((sum, n) => sum - (n / names.length) * Math.log(n / names.length), 0);
  const mutual = entropy(gold) + entropy(given) - entropy(gold.map((name, at) => `${name}\n${given[at]}`));
  const [homogeneity, completeness] = [mutual / entropy(gold), mutual / entropy(given)];
  return { v: (2 * homogeneity * completeness) / (homogeneity + completeness), homogeneity, completeness };
}

/** @param {readonly string[]} names @param {number} seed */
function shuffled(names, seed) {
  let state = seed;
  const order = [...names];
  for (let i = order.length - 1; i > 0; i--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const other = state % (i + 1);
    [order[i], order[other]] = [/** @type {string} */ (order[other]), /** @type {string} */ (order[i])];
  }
  return order;
}

/** @param {string} name @param {{v: number, homogeneity: number, completeness: number}} score */
const row = (name, { v, homogeneity, completeness }) =>
  `| ${name} | ${v.toFixed(3)} | ${homogeneity.toFixed(3)} | ${completeness.toFixed(3)} |`;

function tasks() {
  /** @type {{file: string, task: string, events: number, tool_uses: number}[]} */
  const runs = JSON.parse(readFileSync(path.join(corpus, 'index.json'), 'utf8'));
  const lines = ['session,field,value'];
  const lengths = [];
  for (const { file, task, events, tool_uses } of runs) {
    if (events < FEWEST_EVENTS) continue;
    const text = gunzipSync(readFileSync(path.join(corpus, file))).toString();
    const id = /"session_id": ?"([^"]+)"/.exec(text)?.[1];
    if (id === undefined) continue;
    lines.push(`${id},task,${task}`);
    lengths.push({ task, tool_uses });
  }
  const labels = path.join(scratch.root, 'tasks.csv');
  writeFileSync(labels, `${lines.join('\n')}\n`);
  console.log('| clusters of the runs against their tasks | V | homogeneity | completeness |\n|---|---|---|---|');
  for (const [name, ...args] of [
    ['HDBSCAN', '--method', 'hdbscan'],
    ['k-means, 40 clusters', '--method', 'kmeans', '--clusters', '40'],
  ]) {
    const { out } = agentpprof(
      'cluster',
      'map',
      labels,
      '--session-dir',
      path.join(corpus, 'sessions'),
      '--repeats',
      '0',
      '--json',
      ...args,
    );
    /** @type {{clusters: {cluster: string, categories: {name: string, units: number}[]}[]}} */
    const { clusters } = JSON.parse(out);
    const pairs = clusters.flatMap(({ cluster, categories }) =>
      categories.flatMap(category => Array.from({ length: category.units }, () => [category.name, cluster])),
    );
    const gold = pairs.map(([task]) => /** @type {string} */ (task));
    const given = pairs.map(([, cluster]) => /** @type {string} */ (cluster));
    console.log(row(`${name}: ${clusters.length} groups of ${pairs.length} runs`, vMeasure(gold, given)));
    const controls = Array.from({ length: 20 }, (_, seed) => vMeasure(gold, shuffled(given, seed + 1)));
    const mean = (/** @type {'v' | 'homogeneity' | 'completeness'} */ of) =>
      controls.reduce((sum, each) => sum + each[of] / controls.length, 0);
    console.log(
      row('control: groups of these sizes at random (mean of 20)', {
        v: mean('v'),
        homogeneity: mean('homogeneity'),
        completeness: mean('completeness'),
      }),
    );
    const byLength = [...lengths].sort((a, b) => a.tool_uses - b.tool_uses);
    console.log(
      row(
        'control: as many groups by length alone',
        vMeasure(
          byLength.map(({ task }) => task),
          byLength.map((_, at) => String(Math.floor((at * clusters.length) / byLength.length))),
        ),
      ),
    );
  }
}

async function hdbscanAlone() {
  const esbuild = await import('esbuild');
  const outfile = path.join(scratch.root, 'hdbscan.mjs');
  await esbuild.build({
    entryPoints: [path.join(ROOT, 'bench/hdbscan.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  });
  console.log(spawnSync(process.execPath, [outfile], { env: scratch.env, encoding: 'utf8' }).stdout.trimEnd());
}

/** Sessions of twenty kinds, each with words, tools and files of its own and some of all. @param {number} sessions */
function pipeline(sessions) {
  /** @type {string[]} */
  const lines = [];
  let state = 7;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 4294967296;
  for (let at = 0; at < sessions; at++) {
    const kind = at % 20;
    const word = () =>
      random() < 0.6
        ? `kind${'abcdefghijklmnopqrst'[kind]}word${'abcdefghijklmnop'[Math.floor(16 * random())]}`
        : `common${'abcdefghijklmnopqrstuvwxyz'[Math.floor(26 * random())]}`;
    let now = 1767225600 + at * 600;
    const add = (/** @type {Record<string, unknown>} */ fields) => {
      lines.push(
        JSON.stringify({
          measures: { operations: 1 },
          fields: { session: `s${at}`, start_ns: `${now}000000000`, ...fields },
        }),
      );
      now += 3;
    };
    add({ kind: 'prompt', text: Array.from({ length: 40 }, word).join(' ') });
    for (let step = 0; step < 25; step++)
      add({
        kind: 'tool',
        tool: ['Bash', 'Read', 'Edit', 'Grep'][Math.floor(4 * random())],
        command: word(),
        path: `src/${word()}.ts`,
      });
  }
  const file = path.join(scratch.root, 'sessions.jsonl');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const { out, seconds } = agentpprof('cluster', '--operation-file', file, '--json', '--no-cache', '-q');
  const report = JSON.parse(out);
  console.log(
    `${report.units} sessions, ${lines.length} operations: ${report.clusters.filter((/** @type {{id: number}} */ each) => each.id > 0).length} clusters, ${report.noise.units} noise, stable ${report.stability.adjusted_rand.toFixed(2)}, ${seconds.toFixed(1)} s`,
  );
}

try {
  if (existsSync(corpus)) tasks();
  else console.log(`no corpus at ${corpus}: give --shared DIR`);
  await hdbscanAlone();
  pipeline(Number(options.sessions));
} finally {
  scratch.remove();
}
