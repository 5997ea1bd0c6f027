// @ts-check
// Actions of the trajectories of the ASE 2025 study as an operation file: each action is the text of a prompt, with the
// category that people gave it. Usage: node bench/ase-operations.mjs trajectories.jsonl.gz > actions.jsonl
//
// Steps that the study's text does not give one by one are cut out of its raw text by its own marks; a trajectory whose
// actions and categories are not equally many is left out and counted on standard error.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const [path] = process.argv.slice(2);
if (!path) throw new Error('name the file of trajectories');
const LONGEST = 2000;
let [written, left] = [0, 0];
for (const line of gunzipSync(readFileSync(path)).toString().split('\n')) {
  if (line === '') continue;
  /** @type {{ agent: string, id: string, categories: string[], steps?: { action: string, category: string }[], raw_thoughts_actions?: string }} */
  const { agent, id, categories, steps, raw_thoughts_actions: raw } = JSON.parse(line);
  const actions = steps ? steps.map(step => step.action) : actionsIn(raw ?? '');
  const given = steps ? steps.map(step => step.category) : categories;
  if (actions.length !== given.length) {
    left += categories.length;
    continue;
  }
  actions.forEach((action, at) => {
    const text = String(action).slice(0, LONGEST).trim();
    if (text === '') {
      left++;
      return;
    }
    written++;
    const session = `${agent}/${id}`;
    process.stdout.write(
      `${JSON.stringify({ value: 1, fields: { session, kind: 'prompt', text, category: given[at], study: agent, step: String(at) } })}\n`,
    );
  });
}
process.stderr.write(`${written} actions written, ${left} without a text of their own left out\n`);

/** @param {string} raw @returns {string[]} */
function actionsIn(raw) {
  return [...raw.matchAll(/^Action at Iteration \d+:([\s\S]*?)(?=^Thought at Iteration \d+:|(?![\s\S]))/gm)].map(
    found => found[1] ?? '',
  );
}
