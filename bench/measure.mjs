// @ts-check
// CPU and memory of whole programs, as the kernel counts them, children included.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** GNU time, for the peak of memory; bash's own `time`, for CPU in milliseconds. */
const GNU_TIME = '/usr/bin/time';
const SCRIPT = `TIMEFORMAT='%3U %3S %3R'; time "$@" >"$OUTPUT" 2>"$OUTPUT.err"`;

/**
 * @typedef {object} Cost
 * @property {number} cpu user and system seconds
 * @property {number} wall seconds
 * @property {number | undefined} memory MiB at the peak of the largest process; undefined without GNU time
 * @property {string} output
 */

/**
 * Runs a program to its end. Throws if it fails.
 *
 * @param {readonly string[]} argv
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Cost}
 */
export function measure(argv, env = process.env) {
  const output = path.join(tmpdir(), `bench-output-${process.pid}`);
  const memory = `${output}.memory`;
  const timed = existsSync(GNU_TIME) ? [GNU_TIME, '-q', '-f', '%M', '-o', memory, ...argv] : argv;
  try {
    const child = spawnSync('bash', ['-c', SCRIPT, 'bash', ...timed], {
      env: { ...env, OUTPUT: output },
      encoding: 'utf8',
    });
    const times = /^([\d.]+) ([\d.]+) ([\d.]+)$/m.exec(child.stderr);
    if (child.status !== 0 || !times) {
      const said = existsSync(`${output}.err`) ? readFileSync(`${output}.err`, 'utf8') : '';
      throw new Error(`${argv.join(' ')}: exit code ${child.status}\n${said}${child.stderr}`);
    }
    const [user = 0, system = 0, wall = 0] = times.slice(1).map(Number);
    const peak = existsSync(memory) ? Number(readFileSync(memory, 'utf8').trim().split('\n').at(-1)) / 1024 : undefined;
    return { cpu: user + system, wall, memory: peak, output: readFileSync(output, 'utf8') };
  } finally {
    for (const file of [output, `${output}.err`, memory]) rmSync(file, { force: true });
  }
}

/** @param {readonly number[]} values */
export function median(values) {
  const inOrder = [...values].sort((a, b) => a - b);
  const middle = inOrder.length >> 1;
  const upper = inOrder[middle] ?? Number.NaN;
  return inOrder.length % 2 === 1 ? upper : (upper + (inOrder[middle - 1] ?? Number.NaN)) / 2;
}
