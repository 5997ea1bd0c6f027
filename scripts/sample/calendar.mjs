// @ts-check
// Four weeks of work: who sat down when, with which agent, on what.
import { PROJECTS } from './projects.mjs';

/**
 * @typedef {object} Sitting one session of work
 * @property {'claude-code' | 'codex'} agent
 * @property {import('./projects.mjs').Project} project
 * @property {number} start ms since the epoch
 * @property {string} version
 * @property {string} model
 * @property {string} branch
 * @property {readonly string[]} kinds of its prompts, one after the other
 * @property {number} area which part of the project
 * @property {'compaction' | 'fork' | 'retry' | 'refused' | 'interrupted' | 'switch' | ''} special
 */

const OPUS = 'claude-opus-4-5-20251101';
const SONNET = 'claude-sonnet-4-5-20250929';
const CODEX = 'gpt-5.1-codex';
const MINI = 'gpt-5.1-codex-mini';
export const HELPERS = { 'claude-code': 'claude-haiku-4-5-20251001', codex: MINI };

const MONDAY = Date.UTC(2026, 9, 19, 8, 30);
const MINUTE = 60_000;

/** What a sitting is about, as the kinds of its prompts. `+` marks that somebody only says to go on. */
const STORIES = {
  login: ['debug', 'debug', 'continue', 'debug', 'test', 'commit'],
  hunt: ['debug', 'debug', 'debug', 'continue', 'other'],
  quick: ['debug', 'commit'],
  feature: ['research', 'implement', 'test', 'continue', 'docs', 'commit'],
  tidy: ['refactor', 'refactor', 'continue', 'test', 'review'],
  rework: ['refactor', 'test', 'refactor', 'debug', 'commit'],
  tests: ['test', 'test', 'debug', 'continue'],
  ship: ['review', 'docs', 'release'],
  tune: ['performance', 'review'],
  safe: ['security', 'implement', 'commit'],
  read: ['research', 'research', 'docs'],
  small: ['implement', 'test', 'commit'],
};

/**
 * One line a sitting: day from the first Monday (0 to 25, no weekends), hour of that day in quarters, agent (c Claude
 * Code, x Codex), project, story, area, and what is special about it.
 *
 * @type {readonly [number, number, 'c' | 'x', keyof typeof PROJECTS, keyof typeof STORIES, number, Sitting['special']?][]}
 */
const SITTINGS = [
  [0, 1, 'c', 'shopfront', 'login', 0],
  [0, 20, 'x', 'tidyparse', 'small', 0],
  [1, 3, 'c', 'shopfront', 'hunt', 0, 'retry'],
  [1, 22, 'x', 'fieldnotes', 'quick', 0],
  [2, 2, 'c', 'tidyparse', 'tidy', 1],
  [2, 24, 'x', 'fieldnotes', 'tests', 0],
  [3, 5, 'c', 'shopfront', 'feature', 3],
  [4, 4, 'x', 'tidyparse', 'read', 1],
  [4, 18, 'c', 'shopfront', 'ship', 0],
  [7, 0, 'c', 'tidyparse', 'rework', 1, 'compaction'],
  [7, 21, 'x', 'shopfront', 'login', 2],
  [8, 6, 'x', 'fieldnotes', 'feature', 1],
  [8, 19, 'c', 'shopfront', 'hunt', 2],
  [9, 2, 'c', 'fieldnotes', 'small', 1],
  [9, 16, 'x', 'tidyparse', 'tune', 0],
  [10, 3, 'c', 'shopfront', 'tests', 1, 'interrupted'],
  [10, 25, 'x', 'fieldnotes', 'read', 2],
  [11, 4, 'c', 'tidyparse', 'tidy', 2],
  [11, 22, 'x', 'shopfront', 'safe', 0],
  [14, 1, 'c', 'shopfront', 'login', 1],
  [14, 20, 'x', 'tidyparse', 'tests', 2],
  [15, 2, 'c', 'fieldnotes', 'feature', 2],
  [15, 18, 'c', 'fieldnotes', 'quick', 2, 'fork'],
  [16, 5, 'x', 'shopfront', 'hunt', 3, 'compaction'],
  [16, 23, 'c', 'tidyparse', 'ship', 1],
  [17, 3, 'c', 'shopfront', 'tune', 3, 'refused'],
  [17, 21, 'x', 'fieldnotes', 'tidy', 0, 'switch'],
  [18, 2, 'c', 'tidyparse', 'rework', 1],
  [21, 1, 'c', 'shopfront', 'safe', 0],
  [21, 17, 'x', 'tidyparse', 'rework', 2],
  [22, 4, 'c', 'shopfront', 'login', 2],
  [22, 22, 'x', 'fieldnotes', 'small', 1],
  [23, 3, 'c', 'tidyparse', 'hunt', 1],
  [24, 2, 'c', 'fieldnotes', 'ship', 1],
  [25, 5, 'x', 'shopfront', 'small', 2],
];

/** @returns {Sitting[]} */
export function sittings() {
  return SITTINGS.map(([day, quarter, who, name, story, area, special = '']) => {
    const project = PROJECTS[name];
    const claude = who === 'c';
    const heavy = story === 'tidy' || story === 'rework' || story === 'tune';
    const model = claude ? (heavy ? OPUS : SONNET) : story === 'read' || story === 'small' ? MINI : CODEX;
    return {
      agent: claude ? 'claude-code' : 'codex',
      project,
      start: MONDAY + day * 24 * 60 * MINUTE + quarter * 15 * MINUTE,
      version: claude
        ? special === 'compaction' || day >= 21
          ? '2.1.332'
          : '2.1.197'
        : day < 3
          ? '0.98.0'
          : '0.171.0',
      model,
      branch: /** @type {string} */ (
        project.branches[story === 'ship' ? project.branches.indexOf('main') : area % project.branches.length]
      ),
      kinds: STORIES[story],
      area,
      special,
    };
  });
}
