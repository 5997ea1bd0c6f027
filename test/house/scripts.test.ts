import { describe, expect, it } from 'vitest';
import { difference } from '../../scripts/house/install.mjs';
import { complaint, OLDEST } from '../../scripts/house/node-version.mjs';
import { closingCounts, Tally, vitestCounts } from '../../scripts/house/tally.mjs';
import { text } from './source.ts';

describe('npm start and npm test work from a fresh clone', () => {
  it.each([
    ['20.19.0', ''],
    ['20.20.2', ''],
    ['22.1.0', ''],
    ['20.18.3', 'agentpprof needs Node 20.19.0 or newer, this is Node 20.18.3.'],
    ['18.20.8', 'agentpprof needs Node 20.19.0 or newer, this is Node 18.20.8.'],
  ])('Node %s hears %j', (version, words) => {
    expect(complaint(version)).toBe(words);
  });

  it('the floor is the one package.json states', () => {
    expect(`>=${OLDEST}`).toBe(`${JSON.parse(text('package.json')).engines.node}.0`);
  });

  const lock = { '': {}, 'node_modules/a': { version: '1.0.0', integrity: 'x' }, 'node_modules/b': { optional: true } };
  it.each([
    ['everything as locked', lock, { 'node_modules/a': { version: '1.0.0', integrity: 'x' } }, ''],
    ['no node_modules', lock, undefined, 'nothing is installed yet'],
    ['no lock file', undefined, {}, 'package-lock.json cannot be read'],
    ['a package less', lock, {}, 'node_modules/a is missing'],
    [
      'another version',
      lock,
      { 'node_modules/a': { version: '1.0.1', integrity: 'x' } },
      'node_modules/a is not the locked one',
    ],
    [
      'other contents',
      lock,
      { 'node_modules/a': { version: '1.0.0', integrity: 'y' } },
      'node_modules/a is not the locked one',
    ],
  ])('with %s the need to install is judged rightly', (_, wanted, present, why) => {
    expect(difference(wanted, present)).toBe(why);
  });
});

describe('the closing line counts everything once', () => {
  it('sums checks and tests, and is written in one form', () => {
    const tally = new Tally();
    tally.check(true);
    tally.check(false);
    tally.add({ passed: 40, failed: 2, skipped: 3 });
    expect(tally.line).toBe('41 passed, 3 failed');
    expect(tally.skipped).toBe(3);
  });

  it('is read back from an output, the last one if there are several', () => {
    expect(closingCounts('x\n1 passed, 0 failed\n3 skipped\n2 passed, 5 failed\n')).toEqual({ passed: 2, failed: 5 });
    expect(closingCounts('7 passed, 0 failed, as they say')).toBeUndefined();
  });

  it('a test file that broke before its first test is a failure', () => {
    const testResults = [
      { status: 'failed', assertionResults: [] },
      { status: 'failed', assertionResults: [{}] },
      { status: 'passed', assertionResults: [{}] },
    ];
    const report = { numPassedTests: 1, numFailedTests: 1, numPendingTests: 4, numTodoTests: 1, testResults };
    expect(vitestCounts(report)).toEqual({ passed: 1, failed: 2, skipped: 5 });
  });
});
