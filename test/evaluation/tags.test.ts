import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { accuracy, cohenKappa } from '../../src/evaluation/labels.ts';
import { evaluateTags } from '../../src/evaluation/tags.ts';
import { presetTag } from '../../src/meaning/tagging/preset.ts';

test('a tagger stands beside its controls, in all and by script', () => {
  const prompts = [
    { text: 'fix it', gold: 'debug', given: 'debug' },
    { text: 'why', gold: 'explain', given: 'unmatched' },
    { text: '修一下', gold: 'debug', given: 'debug' },
    { text: '画图', gold: 'ui', given: 'data' },
  ];
  const { scores, byScript, labels } = evaluateTags('mine', prompts);
  expect(scores.map(({ name }) => name)).toEqual(['mine', 'majority', 'random by shares']);
  expect(scores[0]).toMatchObject({ coverage: 0.75, accuracy: 0.5, accuracyOfTagged: 2 / 3, largest: 0.5 });
  expect(scores[1]).toMatchObject({ accuracy: 0.5, v: 0 });
  expect(byScript.map(({ name, prompts: n, accuracy: share }) => [name, n, share])).toEqual([
    ['with Chinese', 2, 0.5],
    ['without Chinese', 2, 0.5],
  ]);
  expect(labels.map(({ label, f1 }) => [label, f1])).toEqual([
    ['debug', 1],
    ['explain', 0],
    ['ui', 0],
  ]);
});

describe('the bilingual set', () => {
  const rows = readFileSync(new URL('../fixtures/meaning/bilingual-prompts.tsv', import.meta.url), 'utf8')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => line.split('\t') as [string, string, string]);
  const tuned = readFileSync(new URL('../fixtures/meaning/preset-prompts.tsv', import.meta.url), 'utf8');

  test('has 400 prompts and more in two languages, labelled twice, and the passes agree', () => {
    expect(rows.length).toBeGreaterThanOrEqual(400);
    expect(rows.filter(([, , text]) => /\p{sc=Han}/u.test(text)).length).toBeGreaterThan(120);
    const [first, second] = [rows.map(row => row[0]), rows.map(row => row[1])];
    expect(cohenKappa(first, second)).toBeCloseTo(0.938, 3);
  });

  test('is not what the rules were made on, but for the shortest of prompts', () => {
    const known = new Set(tuned.split('\n').map(line => line.split('\t')[2]));
    expect(rows.filter(([, , text]) => known.has(text) && text.length > 12)).toEqual([]);
  });

  test('the built-in rules do on it what docs/tagging.md says', () => {
    const agreed = rows.filter(([one, other]) => one === other);
    const given = agreed.map(([, , text]) => presetTag(text.replaceAll('\\n', '\n')) || 'unmatched');
    expect(
      accuracy(
        agreed.map(([tag]) => tag),
        given,
      ),
    ).toBeCloseTo(0.577, 2);
  });
});
