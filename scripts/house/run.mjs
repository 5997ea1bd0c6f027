// @ts-check
import { spawn } from 'node:child_process';
import { ROOT } from './paths.mjs';

/**
 * @typedef {object} Result
 * @property {number} code exit code; 128 where a signal ended the process, 127 where it could not be started
 * @property {string} output standard output and error as they came, '' when they went to the terminal
 */

/**
 * Runs a program in the project's root and waits for it. Never throws: a program that cannot be started gives code 127
 * and the reason in `output`.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, capture?: boolean, cwd?: string }} [options] `capture` keeps the output instead
 *   of passing it on
 * @returns {Promise<Result>}
 */
export function run(command, args, options = {}) {
  return new Promise(resolve => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? ROOT,
      env: options.env ?? process.env,
      stdio: options.capture ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    });
    /** @type {Buffer[]} */
    const parts = [];
    const text = () => Buffer.concat(parts).toString('utf8');
    child.stdout?.on('data', part => parts.push(part));
    child.stderr?.on('data', part => parts.push(part));
    child.on('error', error => resolve({ code: 127, output: `${text()}${command}: ${error.message}\n` }));
    child.on('close', code => resolve({ code: code ?? 128, output: text() }));
  });
}

/**
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, capture?: boolean, cwd?: string }} [options]
 */
export function node(args, options) {
  return run(process.execPath, args, options);
}

/**
 * Runs npm: the very npm that started this script where there is one, else the one on the path.
 *
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, capture?: boolean, cwd?: string }} [options]
 */
export function npm(args, options) {
  const own = process.env.npm_execpath;
  if (own && /npm-cli\.[cm]?js$/.test(own)) return node([own, ...args], options);
  if (process.platform === 'win32') return run('cmd.exe', ['/d', '/s', '/c', 'npm', ...args], options);
  return run('npm', args, options);
}
