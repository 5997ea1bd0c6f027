// @ts-check
// What both agents' histories have in common: how long things are, what is asked and what is run.

/**
 * @typedef {object} Shape
 * @property {import('../../scripts/sample/chance.mjs').Chance} chance
 * @property {import('./texts.mjs').Texts} texts
 * @property {number} median bytes of a tool's output (log-normal)
 * @property {number} longest bytes of one output at most
 * @property {number} images share of tool results that carry a picture
 * @property {ReadonlyMap<string, readonly string[]>} projects working directory and its files
 *
 * @typedef {object} Target one file to write
 * @property {string} cwd
 * @property {string} sessionId
 * @property {number} start ms since the epoch
 * @property {number} bytes roughly how much to write
 */

const SUFFIXES = ['ts', 'ts', 'rs', 'py', 'go', 'md'];

/**
 * @param {import('../../scripts/sample/chance.mjs').Chance} chance
 * @param {import('./texts.mjs').Texts} texts
 */
export function projects(chance, texts) {
  /** @type {Map<string, readonly string[]>} */
  const all = new Map();
  while (all.size < 24) {
    const cwd = `/home/dev/${texts.name()}-${texts.name()}`;
    const file = () => `${cwd}/src/${texts.name()}/${texts.name()}.${chance.pick(SUFFIXES)}`;
    all.set(cwd, Array.from({ length: 60 }, file));
  }
  return all;
}

/** @param {Shape} shape @param {string} cwd */
export function someFile({ chance, projects }, cwd) {
  return chance.pick(projects.get(cwd) ?? []);
}

/** @param {Shape} shape */
export function outputLength({ chance, median, longest }) {
  return Math.min(longest, Math.max(2, chance.around(median, 1.7)));
}

export const COMMANDS = [
  'git status --short',
  'git diff HEAD~1 -- src',
  'npm test',
  'npm run build 2>&1 | tail -40',
  'cargo test --workspace',
  'ls -la src',
  'pytest -x -q',
  'rg -n TODO src | head',
  'cat package.json | jq .scripts',
  'docker compose up -d',
  'make -j4',
  'sed -n 1,80p src/main.ts',
  'go vet ./...',
  'kubectl get pods -n staging',
  'gh pr view --json title',
  'curl -s http://localhost:8080/health',
];
