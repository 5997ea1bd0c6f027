// @ts-check
// npm run bench:recorder: what recording costs. Each workload runs without and with the recorder in turn, back to back
// and in changing order, so that a busy minute touches both; the ratios are medians over the pairs. The workload measures
// itself (wall and CPU of its own tree): the recorder's start is no part of it, its work beside the workload is.
//
// On a machine that is not quiet run it with `chrt -r 1` before node, so that only its own work competes.
//
//   node bench/recorder.mjs [--engines bpf,strace] [--pairs 9] [--only exec,git] [--beside]
//   --beside   also with the recorder on another process: what everybody else on the machine pays
import '../scripts/house/node-version.mjs';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, release, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../scripts/house/paths.mjs';
import { median } from './measure.mjs';

const { values: options } = parseArgs({
  options: {
    engines: { type: 'string', default: 'bpf,strace' },
    pairs: { type: 'string', default: '9' },
    only: { type: 'string' },
    beside: { type: 'boolean', default: false },
  },
});
const PROGRAM = path.join(ROOT, 'dist/agentsight.js');
if (!existsSync(PROGRAM)) throw new Error('npm run build && npm run build:recorder first');
const pairs = Number(options.pairs);
if (!Number.isInteger(pairs) || pairs < 1) throw new Error(`--pairs ${options.pairs}: a whole number, 1 or more`);
const place = mkdtempSync(path.join(tmpdir(), 'recorder-bench-'));
/** Memory where there is some, so that no disk is measured. */
const files = existsSync('/dev/shm') ? mkdtempSync('/dev/shm/recorder-bench-') : path.join(place, 'files');
const repository = path.join(place, 'repository');

/** @type {readonly { name: string, title: string, script: string, target: number | undefined }[]} */
const WORKLOADS = [
  {
    name: 'cpu',
    title: 'pure CPU',
    script: `'${process.execPath}' -e 'let x = 1; for (let i = 0; i < 1.5e8; i++) x = (x * 1103515245 + 12345) | 0; if (x === 7) console.log(x)'`,
    target: 1.02,
  },
  {
    name: 'git',
    title: '60 × git status',
    script: `cd '${repository}'; for ((i = 0; i < 60; i++)); do git status >/dev/null; done`,
    target: 1.15,
  },
  { name: 'exec', title: '300 × /bin/true', script: 'for ((i = 0; i < 300; i++)); do /bin/true; done', target: 1.3 },
  {
    name: 'files',
    title: '3,000 files written, read, removed',
    script: `'${process.execPath}' -e 'const fs = require("fs"); const dir = process.argv[1]; for (let i = 0; i < 3000; i++) fs.writeFileSync(dir + "/" + i, "text"); for (let i = 0; i < 3000; i++) fs.readFileSync(dir + "/" + i); for (let i = 0; i < 3000; i++) fs.rmSync(dir + "/" + i)' '${files}'`,
    target: undefined,
  },
];

/**
 * Runs a workload in bash, which tells the wall and the CPU seconds of it and all its children.
 *
 * @param {string} script @param {string | undefined} engine @returns {{ wall: number, cpu: number }}
 */
function once(script, engine) {
  const out = path.join(place, 'times');
  const timed = ['bash', '-c', `TIMEFORMAT='%R %U %S'; { time { ${script}; } ; } 2>'${out}'`];
  const recording = path.join(place, 'recording');
  const argv =
    engine === undefined
      ? timed
      : [process.execPath, PROGRAM, 'record', '--quiet', '--engine', engine, '--out', recording, '--', ...timed];
  const child = spawnSync(/** @type {string} */ (argv[0]), argv.slice(1), { encoding: 'utf8', env: environment() });
  if (child.status !== 0) throw new Error(`${engine ?? 'plain'}: ${child.stderr}`);
  if (engine !== undefined) {
    if (readdirSync(recording).length === 0) throw new Error(`${engine} wrote nothing`);
    rmSync(recording, { recursive: true });
  }
  const [wall, user, system] = readFileSync(out, 'utf8').trim().split(' ').map(Number);
  if (wall === undefined || user === undefined || system === undefined) throw new Error('bash told no times');
  return { wall, cpu: user + system };
}

function environment() {
  return { ...process.env, HOME: place, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', SUDO_UID: '' };
}

function makeRepository() {
  mkdirSync(repository);
  for (let at = 0; at < 200; at++) writeFileSync(path.join(repository, `file${at}.txt`), `${at}\n`);
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...args], {
      cwd: repository,
      env: environment(),
      stdio: 'ignore',
    });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'files');
}

/** Attaches the recorder to a process that only waits. @returns {Promise<() => Promise<void>>} what ends it */
async function besides() {
  const waiting = spawn('sleep', ['100000'], { stdio: 'ignore' });
  const args = [PROGRAM, 'collect', '--pid', String(waiting.pid), '--out', path.join(place, 'beside')];
  const recorder = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  await new Promise(resolve => recorder.stderr.once('data', resolve));
  return async () => {
    waiting.kill();
    await new Promise(resolve => recorder.once('exit', resolve));
  };
}

/** @param {typeof WORKLOADS[number]} work @param {string} engine */
async function measured(work, engine) {
  /** @type {{ plain: ReturnType<typeof once>, recorded: ReturnType<typeof once> }[]} */
  const turns = [];
  for (let at = 0; at <= pairs; at++) {
    const recorded = async () => {
      if (engine !== 'bpf, beside') return once(work.script, engine);
      const end = await besides();
      const times = once(work.script, undefined);
      await end();
      return times;
    };
    const first = at % 2 === 0 ? await recorded() : once(work.script, undefined);
    const second = at % 2 === 0 ? once(work.script, undefined) : await recorded();
    // The first pair warms up: caches, the engine's pages.
    if (at > 0) turns.push(at % 2 === 0 ? { recorded: first, plain: second } : { plain: first, recorded: second });
  }
  const ratios = (/** @type {'wall' | 'cpu'} */ of) => turns.map(turn => turn.recorded[of] / turn.plain[of]);
  const wall = ratios('wall');
  return {
    plain: median(turns.map(turn => turn.plain.wall)),
    wall: median(wall),
    cpu: median(ratios('cpu')),
    span: `${Math.min(...wall).toFixed(2)}–${Math.max(...wall).toFixed(2)}`,
    // On a machine that others use too, the fastest run of each kind is the one least disturbed.
    fastest: Math.min(...turns.map(turn => turn.recorded.wall)) / Math.min(...turns.map(turn => turn.plain.wall)),
  };
}

try {
  makeRepository();
  mkdirSync(files, { recursive: true });
  const only = options.only?.split(',');
  const engines = options.engines.split(',').concat(options.beside ? ['bpf, beside'] : []);
  console.log(`${pairs} pairs each, kernel ${release()}, ${cpus().length} × ${cpus()[0]?.model.trim()}\n`);
  console.log(
    '| engine | workload | without | wall ratio | lowest–highest | of the fastest runs | CPU ratio | target | |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|');
  for (const engine of engines)
    for (const work of WORKLOADS) {
      if (only && !only.includes(work.name)) continue;
      const { plain, wall, cpu, span, fastest } = await measured(work, engine);
      const target = engine === 'bpf, beside' ? undefined : work.target;
      const met = target === undefined ? '' : wall <= target ? 'met' : 'missed';
      console.log(
        `| ${engine} | ${work.title} | ${(plain * 1000).toFixed(0)} ms | ${wall.toFixed(2)} | ${span} | ${fastest.toFixed(2)} | ${cpu.toFixed(2)} | ${target ?? ''} | ${met} |`,
      );
    }
} finally {
  rmSync(place, { recursive: true, force: true });
  rmSync(files, { recursive: true, force: true });
}
