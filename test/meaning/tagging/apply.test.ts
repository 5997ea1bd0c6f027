import { describe, expect, test } from 'vitest';
import { tagOperations, textsFor } from '../../../src/meaning/tagging/apply.ts';
import { loadTagger, readTaggerSources } from '../../../src/meaning/tagging/tagger.ts';
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
      'continue',
      '.',
      'unmatched',
      'notification',
      '.',
      '.',
      'debug',
      expect.any(String),
    ]);
  });

  test('a rule of the person wins over the preset', async () => {
    const { ops, report } = await tagged(['prompt:login=(?i)login']);
    expect(values(ops, report.prompt).slice(0, 6)).toEqual(['login', '.', '.', 'continue', '.', 'unmatched']);
  });

  test('without the preset only the rules speak', async () => {
    const { ops, report } = await tagged(['login=(?i)login'], false);
    expect(values(ops, report.prompt).slice(0, 6)).toEqual(['login', '.', '.', 'unmatched', '.', 'unmatched']);
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

  test('a session has the tag of its first prompt where rules speak of sessions', async () => {
    const { report } = await tagged(['session:access=login']);
    expect(report.session.get(0)).toBe('access');
    expect((await tagged()).report.session.get(0)).toBe('');
  });

  test('coverage counts prompts of people once, copies and machine-made turns not at all', async () => {
    const { report } = await tagged();
    expect(report.coverage.prompts).toBe(4);
    expect(report.coverage.byTag.get('unmatched')).toBeGreaterThanOrEqual(1);
    expect(report.coverage.tagged).toBe(4 - (report.coverage.byTag.get('unmatched') ?? 0));
    expect(report.unmatchedSamples(5).map(sample => sample.text)).toContain('zxqv');
  });

  test('call texts are kept only for a tagger that reads them', async () => {
    expect(textsFor((await tagged()).tagger)).toEqual(['prompt']);
    expect(textsFor((await tagged(['llm:apology=sorry'])).tagger)).toEqual(['prompt', 'call']);
  });
});
