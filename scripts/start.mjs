// @ts-check
// npm start: from a fresh clone to a picture. Installs, builds, and profiles this machine's histories, or the bundled
// sample where there are none. Arguments go to agentpprof: `npm start -- --view cost`, `npm start -- sessions`.
import './house/node-version.mjs';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { ensureInstalled } from './house/install.mjs';
import { ROOT } from './house/paths.mjs';
import { node } from './house/run.mjs';

const PROGRAM = path.join(ROOT, 'dist/agentpprof.js');
const SAMPLE = path.join(ROOT, 'sample/home');

/** Options that say themselves what to read. */
const NAMES_INPUT = /^--(home|session-file|session-dir|operation-file)(=|$)/;
const NAMES_OUTPUT = /^(-o.*|--output(=.*)?|--help|-h|--version)$/;

/** @param {string} line */
const say = line => console.error(`agentpprof: ${line}`);

/**
 * Whether agentpprof finds anything on this machine, by its own reconcile. This first reading also fills the store that
 * the run after it uses.
 */
async function historiesHere() {
  const { code, output } = await node([PROGRAM, 'reconcile', '--json', '--quiet'], { capture: true });
  if (code !== 0) return true; // let the real run say what is wrong
  try {
    const { total } = JSON.parse(output.slice(output.indexOf('{')));
    return total.prompts + total.calls > 0;
  } catch {
    return true;
  }
}

/** @param {string[]} args as typed after `npm start --` */
async function profile(args) {
  const isCommand = args[0] !== undefined && !args[0].startsWith('-');
  if (isCommand) return (await node([PROGRAM, ...args])).code;

  const all = [...args];
  if (!args.some(arg => NAMES_INPUT.test(arg)) && !(await historiesHere())) {
    say(
      'no agent history was found on this machine; this is the bundled sample history (synthetic, see sample/README.md)',
    );
    all.push('--home', SAMPLE);
  }
  if (args.some(arg => NAMES_OUTPUT.test(arg))) return (await node([PROGRAM, ...all])).code;

  const picture = path.join(ROOT, 'out/agentpprof.svg');
  mkdirSync(path.dirname(picture), { recursive: true });
  const summary = await node([PROGRAM, ...all]);
  if (summary.code !== 0) return summary.code;
  const drawing = await node([PROGRAM, ...all, '-o', picture, '--quiet']);
  if (drawing.code === 0) {
    say(`the picture is in ${picture} (open it in a browser: click to zoom)`);
    say('next: npm start -- --view cost, npm start -- --view failures, npm start -- --help');
  }
  return drawing.code;
}

process.chdir(ROOT);
if (!(await ensureInstalled(say))) {
  say('npm ci failed: see above. It needs the network once; run npm start again when it is there.');
  process.exitCode = 1;
} else if ((await node(['scripts/build.mjs'])).code !== 0 || !existsSync(PROGRAM)) {
  say('the build failed: see above.');
  process.exitCode = 1;
} else {
  process.exitCode = await profile(process.argv.slice(2));
}
