// @ts-check
// npm run bench: generates a history, checks our totals against what was written, and measures our commands beside their
// peers, one after the other in turn, so that a busy minute touches all of them alike. Prints a table in Markdown.
//
//   node bench/run.mjs [--size 1G] [--files 300] [--runs 5] [--twenty] [--larger] [--keep DIR]
//   node bench/run.mjs --small     a small history, totals only, never a time: for CI
import '../scripts/house/node-version.mjs';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { isolated } from '../scripts/house/isolated.mjs';
import { ROOT } from '../scripts/house/paths.mjs';
import { npm } from '../scripts/house/run.mjs';
import { measure, median } from './measure.mjs';
import { placesOf, rowsOf } from './rows.mjs';
import { totalTokens, wrongCounts } from './totals.mjs';

const { values: options } = parseArgs({
  options: {
    size: { type: 'string', default: '1G' },
    files: { type: 'string', default: '300' },
    runs: { type: 'string', default: '5' },
    small: { type: 'boolean', default: false },
    twenty: { type: 'boolean', default: false },
    larger: { type: 'boolean', default: false },
    keep: { type: 'string' },
  },
});
const PROGRAM = path.join(ROOT, 'dist/agentpprof.js');
/** Seconds of CPU below which a program is run again in the same turn. */
const QUICK = 0.6;
// What the owner of a machine gives every Node to load would be measured with each program, and make the ratios look better.
delete process.env.NODE_EXTRA_CA_CERTS;
delete process.env.NODE_OPTIONS;
const scratch = isolated();
const place = path.resolve(options.keep ?? scratch.root);

/** @param {string} line */
const say = line => console.error(`# ${line}`);

/** @param {string[]} args */
function generate(...args) {
  const child = spawnSync(process.execPath, [path.join(ROOT, 'bench/generate-history.mjs'), ...args], {
    encoding: 'utf8',
  });
  if (child.status !== 0) throw new Error(`generate-history: ${child.stderr}`);
}

/** A history of this shape, made now or kept from an earlier run. @param {string} name @param {string[]} shape */
function history(name, ...shape) {
  const home = path.join(place, name);
  if (existsSync(path.join(home, 'truth.json'))) return home;
  say(`generating ${shape.join(' ')} in ${home}`);
  generate('--out', home, ...shape);
  return home;
}

/** @param {string[]} args @returns {string} */
function agentpprof(...args) {
  const limit = 1 << 28;
  const child = spawnSync(process.execPath, [PROGRAM, ...args], {
    env: scratch.env,
    encoding: 'utf8',
    maxBuffer: limit,
  });
  if (child.status !== 0) throw new Error(`agentpprof ${args.join(' ')}: exit code ${child.status}\n${child.stderr}`);
  return child.stdout;
}

function forget() {
  rmSync(/** @type {string} */ (scratch.env.XDG_CACHE_HOME), { recursive: true, force: true });
}

/** Our totals against the truth. @param {string} home @param {string} when @param {string[]} args @returns {boolean} */
function right(home, when, ...args) {
  const wrong = wrongCounts(home, agentpprof('reconcile', '--json', '-q', '--home', home, ...args));
  say(`totals, ${when}: ${wrong.length === 0 ? 'right' : `WRONG\n${wrong.join('\n')}`}`);
  return wrong.length === 0;
}

/** Whether this build keeps a store between runs. */
function hasStore() {
  return agentpprof('reconcile', '--help').includes('--no-cache');
}

/** The totals without a store, with a fresh one, with a filled one, and after the history has grown. @param {string} home */
function totalsAreRight(home) {
  const storeless = hasStore() ? ['--no-cache'] : [];
  forget();
  const all = [right(home, 'no store', ...storeless), right(home, 'cold'), right(home, 'warm')];
  generate('--out', home, '--append', '200K');
  all.push(right(home, 'grown'), right(home, 'grown, no store', ...storeless));
  return all.every(Boolean);
}

/** ccusage, installed on demand into a folder of its own. @returns {Promise<string | undefined>} */
async function ccusage() {
  const folder = path.join(place, 'ccusage');
  const program = path.join(folder, 'node_modules/.bin/ccusage');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const { code } = await npm(['install', '--prefix', folder, '--no-audit', '--no-fund', 'ccusage@20.0.24'], {
    capture: true,
    cwd: folder,
  });
  if (code === 0 && existsSync(program)) return program;
  say('ccusage could not be installed: its row is left out');
  return undefined;
}

/** Whether the peer finds the same tokens. @param {string} program @param {string} home */
function compare(program, home) {
  const { output } = measure([program, 'daily', '--offline', '--json'], { ...scratch.env, ...placesOf(home) });
  const [theirs, truth] = [JSON.parse(output).totals.totalTokens, totalTokens(home)];
  say(`ccusage counts ${theirs} tokens, ${theirs === truth ? 'as many as were written' : `${truth} were written`}`);
}

/** @returns {Promise<string | undefined>} a plain JavaScript file */
async function million() {
  const outfile = path.join(scratch.root, 'million-samples.mjs');
  try {
    const { build } = await import('esbuild');
    const entry = path.join(ROOT, 'bench/million-samples.ts');
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      logLevel: 'silent',
    });
    return outfile;
  } catch {
    say('the encoder cannot be built yet: its row is left out');
    return undefined;
  }
}

/** @typedef {{ row: import('./rows.mjs').Row, cpu: number[], wall: number[], memory: number[], failed: string }} Figures */

/** @param {import('./rows.mjs').Row[]} rows @param {number} runs @returns {Figures[]} */
function inTurn(rows, runs) {
  /** @type {Figures[]} */
  const all = rows.map(row => ({ row, cpu: [], wall: [], memory: [], failed: '' }));
  for (let turn = 1; turn <= runs; turn++) {
    say(`run ${turn} of ${runs}`);
    for (const figures of all) {
      if (figures.failed) continue;
      try {
        // A program of milliseconds is run several times a turn: its figure is the base of ratios and easily disturbed.
        for (let spent = 0, times = 0; times === 0 || (spent < QUICK && times < 3); times++) {
          figures.row.before?.();
          const cost = measure(figures.row.argv, figures.row.env ?? scratch.env);
          figures.cpu.push(figures.row.reports ? JSON.parse(cost.output).cpu : cost.cpu);
          if (!figures.row.reports) figures.wall.push(cost.wall);
          if (cost.memory !== undefined) figures.memory.push(cost.memory);
          spent += cost.cpu;
        }
      } catch (error) {
        figures.failed = error instanceof Error ? error.message : String(error);
        say(`${figures.row.name}: ${figures.failed}`);
      }
    }
  }
  return all;
}

/** @param {Figures[]} all */
function table(all) {
  const of = (/** @type {string} */ key) => all.find(each => each.row.key === key && !each.failed);
  const ratio = (/** @type {Figures} */ figures, /** @type {string} */ key) => {
    const peer = of(key);
    return peer ? median(figures.cpu) / median(peer.cpu) : undefined;
  };
  const beyond = (
    /** @type {Figures} */ figures,
    /** @type {{ readonly row: string, readonly gigabytes: number }} */ { row, gigabytes },
  ) => {
    const below = of(row);
    return below ? (median(figures.memory) - median(below.memory)) / gigabytes : undefined;
  };
  const shown = (/** @type {number | undefined} */ value, digits = 2) =>
    value === undefined || Number.isNaN(value) ? '-' : value.toFixed(digits);
  console.log(
    '| what | CPU s | x jq | x plain loop | x bare node | wall s | peak MiB | target |\n| --- | --- | --- | --- | --- | --- | --- | --- |',
  );
  for (const figures of all) {
    const { row, cpu, wall, memory, failed } = figures;
    if (failed) {
      console.log(`| ${row.name} | failed | | | | | | |`);
      continue;
    }
    const verdicts = (row.targets ?? []).map(target => {
      const value = target.times
        ? ratio(figures, target.times)
        : target.beyond
          ? beyond(figures, target.beyond)
          : median(target.of === 'cpu' ? cpu : memory);
      const unit = target.times
        ? ` ${target.times}`
        : target.beyond
          ? ' MiB a GB'
          : target.of === 'cpu'
            ? ' s'
            : ' MiB';
      if (value === undefined || Number.isNaN(value)) return `<= ${target.most}${unit}: not measured`;
      return `<= ${target.most}${unit}: ${value <= target.most ? 'met' : `missed (${value.toFixed(2)})`}`;
    });
    const ratios = ['jq', 'plain', 'node'].map(key => shown(ratio(figures, key), 3));
    const peak = memory.length > 0 ? shown(median(memory), 0) : '-';
    console.log(
      `| ${row.name} | ${shown(median(cpu), 3)} | ${ratios.join(' | ')} | ${shown(median(wall))} | ${peak} | ${verdicts.join('; ')} |`,
    );
  }
}

/** Three times the history, and by how many GB it is larger. @param {string} home */
function larger(home) {
  const [, digits = '1', unit = 'G'] = /^([0-9.]+)([KMG]?)$/.exec(options.size) ?? [];
  const size = `${Number(digits) * 3}${unit}`;
  const larger = history('larger', '--size', size, '--files', String(Number(options.files) * 3));
  const bytes = (/** @type {string} */ of) => JSON.parse(readFileSync(path.join(of, 'truth.json'), 'utf8')).bytes;
  return { home: larger, gigabytes: (bytes(larger) - bytes(home)) / 1e9 };
}

/** @returns {Promise<boolean>} false on a wrong total; a missed target is a figure and no failure */
async function main() {
  if (!existsSync(PROGRAM)) say('dist/ is not built (npm run build): only the peers are measured');
  if (options.small)
    return existsSync(PROGRAM) && totalsAreRight(history('small', '--size', '8M', '--files', '12', '--torn'));

  const home = history('history', '--size', options.size, '--files', options.files);
  const peer = await ccusage();
  const ok = !existsSync(PROGRAM) || totalsAreRight(home);
  if (peer) compare(peer, home);
  const lean = ['--size', '3.5G', '--files', '3000', '--scale', '0.03', '--images', '0'];
  const twenty = options.twenty ? history('twenty', ...lean) : undefined;
  const rows = rowsOf({
    larger: options.larger ? larger(home) : undefined,
    home,
    scratch: scratch.root,
    env: scratch.env,
    forget,
    grow: () => generate('--out', home, '--append', '2M'),
    store: existsSync(PROGRAM) && hasStore(),
    ccusage: peer,
    million: await million(),
    twenty,
  });
  const figures = inTurn(rows, Number(options.runs));
  console.log(
    `Medians of ${options.runs} turns, user and system time; Node ${process.versions.node}, ${cpus().length} x ${cpus()[0]?.model ?? '?'}, ${Math.round(totalmem() / 2 ** 30)} GiB.\n`,
  );
  table(figures);
  return ok;
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} finally {
  scratch.remove();
}
