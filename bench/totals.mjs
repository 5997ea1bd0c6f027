// @ts-check
// Whether what a program counts is what the generator wrote.
import { readFileSync } from 'node:fs';
import path from 'node:path';

const COUNTS = ['files', 'sessions', 'prompts', 'calls', 'tool_calls', 'tokens', 'models'];

/** @param {string} home */
export function truthOf(home) {
  return JSON.parse(readFileSync(path.join(home, 'truth.json'), 'utf8'));
}

/**
 * @param {string} home a generated history
 * @param {string} ledger what `reconcile --json` printed
 * @returns {string[]} each count that is wrong, in words
 */
export function wrongCounts(home, ledger) {
  const { agents } = JSON.parse(ledger);
  /** @type {string[]} */
  const wrong = [];
  for (const truth of truthOf(home).agents) {
    const got = agents.find((/** @type {{ agent: string }} */ each) => each.agent === truth.agent) ?? {};
    for (const key of COUNTS) {
      const [a, b] = [flat(got[key]), flat(truth[key])];
      if (a !== b) wrong.push(`${truth.agent} ${key}: ${a} instead of ${b}`);
    }
  }
  return wrong;
}

/** @param {unknown} value @returns {string} the same text for equal values, whatever the order of keys */
function flat(value) {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'nothing';
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, each]) => `${key}: ${flat(each)}`).join(', ')}}`;
}

/** All tokens of a generated history. @param {string} home */
export function totalTokens(home) {
  return truthOf(home).agents.reduce(
    (/** @type {number} */ sum, /** @type {{ tokens: { total: number } }} */ each) => sum + each.tokens.total,
    0,
  );
}
