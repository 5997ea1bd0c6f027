// @ts-check
// What is measured: our own commands and the peers beside them, with the targets each has to meet.
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../scripts/house/paths.mjs';

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {string} key
 * @property {readonly string[]} argv
 * @property {NodeJS.ProcessEnv} [env]
 * @property {() => void} [before] brings about what the row measures, before each run
 * @property {boolean} [reports] the program measures the part that counts itself and prints `{"cpu": seconds}`
 * @property {readonly Target[]} [targets]
 *
 * @typedef {object} Target
 * @property {'cpu' | 'memory'} of
 * @property {number} most at most this: seconds, MiB, or times the row `times`
 * @property {string} [times] the key of another row
 * @property {{ readonly row: string, readonly gigabytes: number }} [beyond] counts what is above another row, for each GB
 */

const PROGRAM = path.join(ROOT, 'dist/agentpprof.js');
const JQ_FILTER = '[.type,.timestamp,.message.usage.output_tokens?]';

/**
 * @param {object} at
 * @param {string} at.home the generated history
 * @param {string} at.scratch
 * @param {NodeJS.ProcessEnv} at.env an environment without this machine's home; its cache is ours
 * @param {() => void} at.forget empties our cache
 * @param {() => void} at.grow adds 2 MB to the history
 * @param {boolean} at.store whether this build keeps one
 * @param {string | undefined} at.ccusage the program, if it could be installed
 * @param {string | undefined} at.million the bundled encoder of a million samples
 * @param {string | undefined} at.twenty a history of as many operations as 20 GB have, if asked for
 * @param {{ readonly home: string, readonly gigabytes: number } | undefined} at.larger a history with so much more, if asked for
 * @returns {Row[]}
 */
export function rowsOf({ home, scratch, env, forget, grow, store, ccusage, million, twenty, larger }) {
  const list = path.join(scratch, 'files');
  writeFileSync(list, histories(home).join('\0'));
  const ours = (/** @type {string[]} */ ...args) => [process.execPath, PROGRAM, ...args];
  const out = path.join(scratch, 'out.pb.gz');
  // A store of its own, emptied each time: the file is read, not remembered.
  const operationsCache = path.join(scratch, 'operations-cache');
  /** @type {Row[]} */
  const rows = [
    { key: 'node', name: 'bare node', argv: [process.execPath, path.join(ROOT, 'bench/peers/empty.mjs')] },
    { key: 'wc', name: '`wc -l`', argv: ['wc', '-l', `--files0-from=${list}`] },
    {
      key: 'plain',
      name: 'plain Node loop',
      argv: [process.execPath, path.join(ROOT, 'bench/peers/plain-loop.mjs'), home],
    },
  ];
  if (existsSync('/usr/bin/jq')) {
    rows.push({ key: 'jq', name: '`jq`, three fields', argv: ['xargs', '-0', '-a', list, 'jq', '-c', JQ_FILTER] });
  }
  if (ccusage) {
    const argv = [ccusage, 'daily', '--offline', '--json'];
    rows.push({ key: 'ccusage', name: 'ccusage 20.0.24', argv, env: { ...env, ...placesOf(home) } });
  }
  if (!existsSync(PROGRAM)) return rows;
  const coldTargets = [
    { of: /** @type {const} */ ('cpu'), most: 0.15, times: 'jq' },
    { of: /** @type {const} */ ('cpu'), most: 1, times: 'ccusage' },
    { of: /** @type {const} */ ('memory'), most: 150 },
  ];
  rows.push(
    {
      key: 'help',
      name: '`agentpprof --help`',
      argv: ours('--help'),
      env,
      targets: [{ of: 'cpu', most: 1.25, times: 'node' }],
    },
    {
      key: 'cold',
      name: 'cold, store written',
      argv: ours('--home', home, '-q', '-o', out),
      env,
      before: forget,
      targets: coldTargets,
    },
    {
      key: 'warm',
      name: 'warm, nothing new',
      argv: ours('--home', home, '-q', '-o', out),
      env,
      targets: [{ of: 'cpu', most: 3.2, times: 'node' }],
    },
    {
      key: 'grown',
      name: 'warm, 2 MB appended',
      argv: ours('--home', home, '-q', '-o', out),
      env,
      before: grow,
      targets: [{ of: 'cpu', most: 3.8, times: 'node' }],
    },
    {
      key: 'operations',
      name: '27,765 operations of a file',
      argv: ours(
        '--operation-file',
        operationFile(scratch),
        '-q',
        '--view',
        'operations',
        '--stack',
        'project,agent,task,phase,op',
        '-o',
        path.join(scratch, 'out.folded'),
      ),
      env: { ...env, XDG_CACHE_HOME: operationsCache },
      before: () => rmSync(operationsCache, { recursive: true, force: true }),
      targets: [
        { of: 'cpu', most: 0.25 },
        { of: 'memory', most: 120 },
      ],
    },
  );
  if (store) {
    const argv = ours('--home', home, '-q', '--no-cache', '-o', out);
    rows.push({ key: 'storeless', name: 'cold, `--no-cache`', argv, env });
  }
  if (twenty) {
    const argv = ours('--home', twenty, '-q', '-o', out);
    // A store of its own, which the cold runs do not empty; the first run fills it.
    const own = { ...env, XDG_CACHE_HOME: path.join(scratch, 'twenty-cache') };
    rows.push({
      key: 'twenty',
      name: 'warm, as many operations as 20 GB have',
      argv,
      env: own,
      targets: [{ of: 'cpu', most: 10, times: 'node' }],
    });
  }
  if (larger) {
    // A store of its own, emptied each time: the cold run of the smaller history fills another.
    const cache = path.join(scratch, 'larger-cache');
    const cold = {
      env: { ...env, XDG_CACHE_HOME: cache },
      before: () => rmSync(cache, { recursive: true, force: true }),
    };
    const name = `cold, ${larger.gigabytes.toFixed(1)} GB more`;
    const argv = ours('--home', larger.home, '-q', '-o', out);
    rows.push(
      {
        ...cold,
        key: 'larger',
        name: `${name}, one thread`,
        argv: [...argv, '--threads', '0'],
        targets: [{ of: 'memory', most: 20, beyond: { row: 'cold', gigabytes: larger.gigabytes } }],
      },
      { ...cold, key: 'beside', name: `${name}, a thread beside`, argv: [...argv, '--threads', '1'] },
    );
  }
  if (million) {
    const argv = [process.execPath, million];
    rows.push({
      key: 'million',
      name: 'a million samples to pprof',
      argv,
      reports: true,
      targets: [{ of: 'cpu', most: 1.8 }],
    });
  }
  return rows;
}

/** The variables by which other tools find a history. @param {string} home */
export function placesOf(home) {
  return { CLAUDE_CONFIG_DIR: path.join(home, '.claude'), CODEX_HOME: path.join(home, '.codex') };
}

/** @param {string} home */
function histories(home) {
  const entries = readdirSync(home, { recursive: true, withFileTypes: true });
  return entries
    .filter(entry => entry.name.endsWith('.jsonl'))
    .map(entry => path.join(entry.parentPath, entry.name))
    .sort();
}

/** An operation file of the size a published example has. @param {string} scratch */
function operationFile(scratch) {
  const file = path.join(scratch, 'operations.jsonl');
  const lines = [];
  for (let at = 0; at < 27_765; at++) {
    const fields = {
      project: `p${at % 7}`,
      agent: `a${at % 3}`,
      task: `task ${at % 311}`,
      phase: `phase ${at % 11}`,
      op: `op ${at % 97}`,
    };
    lines.push(`${JSON.stringify({ value: 1 + (at % 5), fields })}\n`);
  }
  writeFileSync(file, lines.join(''));
  return file;
}
