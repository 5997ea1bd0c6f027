// @ts-check
// Writes sample/: four weeks of invented work with Claude Code and Codex, in the shapes the two agents write, and
// truth.json with what a right reader must find. The same seed gives the same bytes.
//
//   node scripts/make-sample.mjs [--out DIR] [--seed N]
import './house/node-version.mjs';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from './house/paths.mjs';
import { HELPERS, sittings } from './sample/calendar.mjs';
import { Chance } from './sample/chance.mjs';
import { ClaudeSession } from './sample/claude.mjs';
import { CodexSession } from './sample/codex.mjs';
import { fill, PROMPTS } from './sample/prompts.mjs';
import { Truth } from './sample/truth.mjs';
import { Work } from './sample/work.mjs';

const { values } = parseArgs({
  options: { out: { type: 'string', default: path.join(ROOT, 'sample') }, seed: { type: 'string', default: '2026' } },
});
const chance = new Chance(Number(values.seed));
const truth = { 'claude-code': new Truth('claude-code'), codex: new Truth('codex') };

/** Path below the home and text. @type {Map<string, string>} */
const written = new Map();

/** @typedef {import('./sample/calendar.mjs').Sitting} Sitting */
/** @typedef {ClaudeSession | CodexSession} Session */

/** Templates not used yet, by kind and language. @type {Map<string, string[]>} */
const unused = new Map();

/** A text for a prompt; none comes again before all of its kind were used. @param {string} kind */
function template(kind) {
  const language = chance.happens(0.35) ? 'zh' : 'en';
  const all = /** @type {Record<'en' | 'zh', readonly string[]>} */ (PROMPTS[kind])[language];
  const key = `${kind} ${language}`;
  const left = unused.get(key) ?? [];
  if (left.length === 0) left.push(...all);
  unused.set(key, left);
  return /** @type {string} */ (left.splice(chance.between(0, left.length - 1), 1)[0]);
}

/** One prompt and all that follows from it. @param {Session} session @param {Sitting} sitting @param {string} kind */
function turn(session, sitting, kind) {
  const { areas } = sitting.project;
  const area = /** @type {import('./sample/projects.mjs').Area} */ (areas[sitting.area % areas.length]);
  session.prompt(fill(template(kind), area));
  const calls = new Work(chance, sitting.project, area).turn(kind);
  for (const call of calls) session.call(call);
  if (session instanceof CodexSession) session.done(calls.at(-1)?.says ?? '');
}

/** The person reads what was done and thinks. @param {Session} session */
function pause(session) {
  session.now += chance.around(4 * 60_000, 0.9);
}

/** @param {Sitting} sitting */
function open({ agent, project, branch, version, model, start }) {
  const of = { chance, cwd: project.cwd, branch, model, start, helper: HELPERS[agent], truth: truth[agent] };
  if (agent === 'codex') return new CodexSession({ ...of, version: version === '0.98.0' ? version : '0.171.0' });
  return new ClaudeSession({ ...of, version, keepsAnHour: project.name === 'fieldnotes' });
}

/** @param {ClaudeSession} session @param {Sitting['special']} special what happens in the middle of a session */
function happenstance(session, special) {
  if (special === 'compaction') session.compact();
  else if (special === 'retry') session.retry();
  else if (special === 'refused') session.refused();
  else if (special === 'interrupted') session.interrupted();
}

/** @param {Session} session */
function keep(session) {
  if (session instanceof CodexSession) {
    for (const each of [session, ...session.children]) written.set(`.codex/${each.name}`, each.text);
    return;
  }
  if (session.of.version === '2.1.332') session.costState();
  written.set(`.claude/${session.name}.jsonl`, session.text);
  for (const [name, text] of session.beside) written.set(`.claude/${session.name}/${name}`, text);
}

for (const sitting of sittings()) {
  const session = open(sitting);
  sitting.kinds.forEach((kind, at) => {
    turn(session, sitting, kind);
    if (at === 1) {
      if (session instanceof ClaudeSession) happenstance(session, sitting.special);
      else if (sitting.special === 'compaction') session.compact();
      else if (sitting.special === 'switch') session.model = HELPERS.codex;
    }
    pause(session);
  });
  keep(session);
  if (sitting.special === 'fork' && session instanceof ClaudeSession) {
    const fork = session.fork(session.now);
    turn(fork, sitting, 'debug');
    keep(fork);
  }
}

const home = path.join(values.out, 'home');
rmSync(home, { recursive: true, force: true });
for (const [name, text] of written) {
  const file = path.join(home, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
const agents = Object.values(truth);
writeFileSync(path.join(values.out, 'truth.json'), `${JSON.stringify({ agents }, null, 1)}\n`);
const bytes = [...written.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
const prompts = agents.reduce((sum, agent) => sum + agent.prompts, 0);
console.log(`${written.size} files, ${bytes} bytes, ${prompts} prompts in ${values.out}`);
