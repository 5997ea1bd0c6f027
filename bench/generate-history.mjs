// @ts-check
// Writes a large synthetic history of Claude Code and Codex to measure with, and truth.json beside it with what a right
// reader must find. The same options give the same bytes.
const HELP = `node bench/generate-history.mjs --out DIR [options]

  --size N         bytes to write, with K, M or G (powers of 1024)              64M
  --files N        session files, of log-normal size                            one for 3.4M, at least 4
  --seed N         seed of chance                                               1
  --mix F          share of files that are Claude Code                          0.7
  --cjk F          share of texts in Chinese                                    0.12
  --median N       median bytes of a tool's output                              1500
  --max-output N   bytes of one output at most                                  1M
  --images F       share of tool results with a picture                         0.004
  --scale F        factor of all lengths: many operations in few bytes          1
  --append N       add about N bytes to the newest tenth of the files of an existing DIR
  --torn           leave the last line of the last file half written
  --lone-surrogates  cut texts inside an emoji now and then, as real agents do
`;

import '../scripts/house/node-version.mjs';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Chance } from '../scripts/sample/chance.mjs';
import { Truth } from '../scripts/sample/truth.mjs';
import { ClaudeHistory } from './history/claude.mjs';
import { CodexHistory } from './history/codex.mjs';
import { projects } from './history/shape.mjs';
import { Texts } from './history/texts.mjs';

const { values: options } = parseArgs({
  options: {
    out: { type: 'string' },
    size: { type: 'string', default: '64M' },
    files: { type: 'string' },
    seed: { type: 'string', default: '1' },
    mix: { type: 'string', default: '0.7' },
    cjk: { type: 'string', default: '0.12' },
    median: { type: 'string', default: '1500' },
    'max-output': { type: 'string', default: '1M' },
    images: { type: 'string', default: '0.004' },
    scale: { type: 'string', default: '1' },
    append: { type: 'string' },
    torn: { type: 'boolean', default: false },
    'lone-surrogates': { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (options.help || !options.out) {
  console.log(HELP);
  process.exit(options.help ? 0 : 2);
}

const UNITS = { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 };
const DAY = 86_400_000;
const FIRST_DAY = Date.UTC(2025, 8, 1);
const DAYS = 60;

/** @param {string} size like 1500, 64M or 1.5G */
function bytesOf(size) {
  const parts = /^(\d+(?:\.\d+)?)([KMG]?)$/i.exec(size);
  if (!parts) throw new Error(`cannot read the size ${size}`);
  return Math.round(Number(parts[1]) * UNITS[/** @type {keyof UNITS} */ (parts[2]?.toUpperCase() ?? '')]);
}

/** @typedef {{ agent: 'claude-code' | 'codex', file: string, cwd: string, sessionId: string, start: number }} Written */
/** @typedef {{ bytes: number, lines: number, torn?: string, options: typeof options, agents: Truth[], list: Written[] }} State */

const out = path.resolve(options.out);
const truthFile = path.join(out, 'truth.json');

/** @param {State} state @param {Written} entry @param {import('./history/shape.mjs').Shape} shape @param {number} bytes @param {number} start */
function write(state, entry, shape, bytes, start) {
  const truth = /** @type {Truth} */ (state.agents.find(each => each.agent === entry.agent));
  const History = entry.agent === 'codex' ? CodexHistory : ClaudeHistory;
  const target = { cwd: entry.cwd, sessionId: entry.sessionId, start, bytes };
  const sink = new History(shape, target, truth, path.join(out, entry.file)).write();
  state.bytes += sink.bytes;
  state.lines += sink.lines;
}

/** @param {typeof options} from @param {Chance} chance @returns {import('./history/shape.mjs').Shape} */
function shapeOf(from, chance) {
  const texts = new Texts(chance, {
    chinese: Number(from.cjk),
    scale: Number(from.scale),
    loneSurrogates: from['lone-surrogates'],
  });
  return {
    chance,
    texts,
    median: bytesOf(from.median),
    longest: bytesOf(from['max-output']),
    images: Number(from.images),
    projects: projects(chance, texts),
  };
}

/** @returns {State} */
function create() {
  const chance = new Chance(Number(options.seed));
  const shape = shapeOf(options, chance);
  const size = bytesOf(options.size);
  const count = options.files ? Number(options.files) : Math.max(4, Math.round(size / bytesOf('3.4M')));
  const weights = Array.from({ length: count }, () => chance.around(1000, 1.3));
  const sum = weights.reduce((a, b) => a + b, 0);
  const agents = [new Truth('claude-code'), new Truth('codex')];
  /** @type {State} */
  const state = { bytes: 0, lines: 0, options, agents, list: [] };
  weights.forEach((weight, at) => {
    const start = FIRST_DAY + Math.floor((at / count) * DAYS * DAY);
    const cwd = chance.pick([...shape.projects.keys()]);
    const sessionId = chance.uuid();
    const claude = chance.happens(Number(options.mix));
    const stamp = new Date(start).toISOString().slice(0, 19);
    const folder = stamp.slice(0, 10).replaceAll('-', '/');
    const file = claude
      ? `.claude/projects/${cwd.replace(/[^A-Za-z0-9]/g, '-')}/${sessionId}.jsonl`
      : `.codex/sessions/${folder}/rollout-${stamp.replaceAll(':', '-')}-${sessionId}.jsonl`;
    /** @type {Written} */
    const entry = { agent: claude ? 'claude-code' : 'codex', file, cwd, sessionId, start };
    const truth = /** @type {Truth} */ (agents.find(each => each.agent === entry.agent));
    truth.files++;
    truth.sessions++;
    state.list.push(entry);
    write(state, entry, shape, Math.max(4_000, Math.round((size * weight) / sum)), start);
  });
  return state;
}

/** Goes on with the newest tenth of the sessions a day later. @param {number} bytes @returns {State} */
function append(bytes) {
  /** @type {State} */
  const state = JSON.parse(readFileSync(truthFile, 'utf8'));
  state.agents = state.agents.map(each => Object.assign(new Truth(each.agent), each));
  mend(state);
  // The same projects as before need the same seed; what follows must differ from what is there.
  const chance = new Chance(Number(state.options.seed));
  const shape = shapeOf(state.options, chance);
  chance.state = (chance.state + state.bytes * 31) >>> 0;
  const newest = [...state.list].sort((a, b) => b.start - a.start).slice(0, Math.ceil(state.list.length / 10));
  for (const entry of newest) write(state, entry, shape, Math.ceil(bytes / newest.length), entry.start + DAY);
  return state;
}

/** A row that counts for nothing, as two halves. @param {Written['agent']} agent @returns {[string, string]} */
function halves(agent) {
  const text = 'half '.repeat(80);
  const spoken = {
    timestamp: new Date(FIRST_DAY).toISOString(),
    type: 'event_msg',
    payload: { type: 'agent_reasoning', text },
  };
  const line = `${JSON.stringify(agent === 'codex' ? spoken : { type: 'summary', summary: text, leafUuid: '0' })}\n`;
  return [line.slice(0, 200), line.slice(200)];
}

/** Leaves the last line of the newest file half written. @param {State} state */
function tear(state) {
  const { file, agent } = /** @type {Written} */ (state.list.at(-1));
  const [half] = halves(agent);
  appendFileSync(path.join(out, file), half);
  state.bytes += half.length;
  state.torn = file;
}

/** Writes the other half. @param {State} state */
function mend(state) {
  if (!state.torn) return;
  const [, half] = halves(/** @type {Written} */ (state.list.at(-1)).agent);
  appendFileSync(path.join(out, state.torn), half);
  state.bytes += half.length;
  state.lines++;
  delete state.torn;
}

const state = options.append ? append(bytesOf(options.append)) : create();
if (options.torn) tear(state);
mkdirSync(out, { recursive: true });
writeFileSync(truthFile, `${JSON.stringify(state, null, 1)}\n`);
for (const { agent, files, prompts, calls, tool_calls, tokens } of state.agents) {
  console.log(JSON.stringify({ agent, files, prompts, calls, tool_calls, tokens: tokens.total }));
}
console.log(`${state.bytes} bytes, ${state.lines} lines in ${out}`);
