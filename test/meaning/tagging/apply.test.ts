import { describe, expect, test } from 'vitest';
import { coverageOf, tagOperations, textsFor } from '../../../src/meaning/tagging/apply.ts';
import { loadTagger } from '../../../src/meaning/tagging/tagger.ts';
import { readTaggerSources } from '../../../src/meaning/tagging/tagger-sources.ts';
import { unmatchedSamples } from '../../../src/meaning/tagging/unmatched.ts';
import type { Operations } from '../../../src/trace/operations.ts';
import { Trace } from '../../../src/trace/trace.ts';
import { operationsOf } from '../../support/operations.ts';

const HISTORY = `
  session main
    prompt 0  "Why does the login fail?" #p1
    call   1-2  opus in=1 "I am sorry, let me look." #m1
    tool   2-3  Bash command=pytest #t1
    prompt 10 "继续" #p2
    call   11-12 opus in=1 "Done." #m2
    prompt 20 "zxqv" #p3
    event  30 notification opens
    call   31-32 opus in=1 #m3
    call   33-34 opus in=1 compaction #m4
  session resumed
    prompt 0  "Why does the login fail?" #p1 copy
    prompt 40 "no, that is wrong" #p4
`;

async function tagged(tagRules: readonly string[] = [], preset = true) {
  const ops = operationsOf(HISTORY);
  const tagger = await loadTagger(await readTaggerSources({ tagRules, preset }));
  new Trace(ops);
  return { ops, tagger, report: tagOperations(ops, tagger) };
}

/** Values of a column in row order, '.' where a row has none. */
const values = (ops: Operations, column: { get(row: number): string }) =>
  Array.from({ length: ops.length }, (_, row) => column.get(row) || '.');

describe('tags of a history', () => {
  test('prompts get the tag of the preset, machine-made turns that of their kind, other rows none', async () => {
    const { ops, report } = await tagged();
    expect(values(ops, report.prompt)).toEqual([
      'debug',
      '.',
      '.',
      'debug',
      '.',
      'unmatched',
      'notification',
      '.',
      '.',
      'debug',
      expect.any(String),
    ]);
    expect([0, 3, 5, 6].map(row => report.by.get(row))).toEqual(['preset', 'turn', '', '']);
  });

  test('a rule of the person wins over the preset, and what goes on inherits it', async () => {
    const { ops, report } = await tagged(['prompt:login=(?i)login']);
    expect(values(ops, report.prompt).slice(0, 6)).toEqual(['login', '.', '.', 'login', '.', 'unmatched']);
    expect(report.by.get(0)).toBe('rule');
  });

  test('a rule of the person for "继续" wins over what it continues', async () => {
    const { report } = await tagged(['prompt:onwards=继续']);
    expect([report.prompt.get(3), report.by.get(3)]).toEqual(['onwards', 'rule']);
  });

  test('without the preset only the rules speak', async () => {
    const { ops, report } = await tagged(['login=(?i)login'], false);
    expect(values(ops, report.prompt).slice(0, 6)).toEqual(['login', '.', '.', 'login', '.', 'unmatched']);
  });

  test('calls have the kind of what they did, unless a rule for their text says more', async () => {
    const { ops, report } = await tagged();
    expect([1, 4, 8].map(row => report.call.get(row))).toEqual(['llm/test', 'llm/analysis', 'llm/compact']);
    expect(report.call.get(2)).toBe('');
    const own = await tagged(['llm:apology=(?i)sorry']);
    expect(values(ops, own.report.call)[1]).toBe('apology');
    expect(own.report.call.get(4)).toBe('llm/analysis');
  });

  test('turns tell the first prompt of a session from going on and correcting', async () => {
    const { report } = await tagged();
    expect([0, 3, 10].map(row => report.turn.get(row))).toEqual(['first', 'continue', 'first']);
  });

  test('a session has the tag of the rule for sessions, else that of most of its prompts', async () => {
    const { report } = await tagged(['session:access=login']);
    expect(report.session.get(0)).toBe('access');
    expect((await tagged()).report.session.get(0)).toBe('debug');
  });

  test('coverage counts prompts of people once, copies and machine-made turns not at all', async () => {
    const { ops, report } = await tagged();
    const coverage = coverageOf(ops, report.prompt, report.by);
    expect(coverage.prompts).toBe(4);
    expect(coverage.byTag.get('unmatched')).toBeGreaterThanOrEqual(1);
    expect(coverage.tagged).toBe(4 - (coverage.byTag.get('unmatched') ?? 0));
    expect(Object.values(coverage.byStep).reduce((sum, n) => sum + n, 0)).toBe(coverage.tagged);
    expect(unmatchedSamples(ops, report.prompt, 5).map(sample => sample.text)).toContain('zxqv');
  });

  test('call texts are kept only for a tagger that reads them', async () => {
    expect(textsFor((await tagged()).tagger)).toEqual(['prompt']);
    expect(textsFor((await tagged(['llm:apology=sorry'])).tagger)).toEqual(['prompt', 'call']);
  });
});

describe('what only goes on', () => {
  const chain = async (lines: string, inherit = true) => {
    const ops = operationsOf(lines);
    const tagger = await loadTagger(await readTaggerSources({ preset: true }));
    new Trace(ops);
    const { prompt, turn } = tagOperations(ops, tagger, { inherit });
    return values(ops, prompt).map((tag, row) => `${tag}/${turn.get(row)}`);
  };
  const CHAIN = `
    session a
      prompt 0 "fix the crash"
      prompt 1 "ok"
      event  2 notification opens
      prompt 3 "嗯"
      prompt 4 "write a unit test for it"
      prompt 5 "great work"
      prompt 6 "yes, do that"
    session b
      prompt 7 "继续"
      prompt 8 "zxqv"
      prompt 9 "next"
  `;

  test('has the tag of what it continues, over machine-made turns and praise, never of another session', async () => {
    expect(await chain(CHAIN)).toEqual([
      ...['debug/first', 'debug/continue', 'notification/', 'debug/continue', 'test/', 'test/approve', 'test/continue'],
      ...['continue/first', 'unmatched/', 'unmatched/continue'],
    ]);
  });

  test('keeps the tag continue when nothing is to be inherited', async () => {
    const tags = (await chain(CHAIN, false)).map(each => each.split('/')[0]);
    expect(tags).toEqual([
      ...['debug', 'continue', 'notification', 'continue', 'test', 'continue', 'continue'],
      ...['continue', 'unmatched', 'continue'],
    ]);
  });

  test('what a machine wrote in the place of a prompt is no prompt of a person', async () => {
    const lines = `
      session a
        prompt 0 "This session is being continued from a previous conversation that ran out of context. Fix the bug."
        prompt 1 "<system-reminder>fix it</system-reminder>"
        prompt 2 "ok"
    `;
    expect(await chain(lines)).toEqual(['continuation/', 'system/', 'continue/continue']);
  });
});
