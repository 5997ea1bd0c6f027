import { describe, expect, test } from 'vitest';
import { checkRules } from '../../../src/meaning/tagging/check.ts';
import { parseRulesFile } from '../../../src/meaning/tagging/rules-file.ts';

async function check(rules: string, prompts: readonly string[] = []) {
  const parsed = await parseRulesFile(`version: 1\nrules:\n${rules}`, 'rules.yaml');
  const { findings, ...rest } = await checkRules(parsed, new Map(prompts.map(text => [text, 1])));
  return { ...rest, findings: findings.map(({ severity, what, place }) => `${severity} ${what} ${place}`) };
}

describe('a rule file is tested', () => {
  test('against its own examples', async () => {
    const rules = `
  - { tag: a, words: [alpha], examples: { match: [alpha one, beta], not: [alphabet, the alpha] } }`;
    expect(await check(rules)).toMatchObject({
      examples: 4,
      findings: ['error example rules.yaml:4: rule 1 (a)', 'error example rules.yaml:4: rule 1 (a)'],
    });
  });

  test('for examples that an earlier rule takes', async () => {
    const rules = `
  - { tag: wide, words: [alpha] }
  - { tag: narrow, words: [alpha beta], examples: { match: [alpha beta] } }`;
    expect((await check(rules)).findings).toEqual(['error conflict rules.yaml:5: rule 2 (narrow)']);
  });

  test('against a history: dead rules, shadowed rules, and what each takes', async () => {
    const rules = `
  - { tag: wide, words: [alpha] }
  - { tag: narrow, words: [alpha beta] }
  - { tag: dead, words: [gamma] }`;
    const found = await check(rules, ['alpha', 'alpha beta', 'delta']);
    expect(found.findings).toEqual([
      'warning shadowed rules.yaml:5: rule 2 (narrow)',
      'warning dead rules.yaml:6: rule 3 (dead)',
    ]);
    expect(found.uses.map(({ takes, matches }) => [takes, matches])).toEqual([
      [2, 2],
      [0, 1],
      [0, 0],
    ]);
  });

  test('for a boundary beside Chinese, and for a pattern that stands twice', async () => {
    const rules = `
  - { tag: a, patterns: ['\\b修复\\b'] }
  - { tag: b, patterns: ['x'] }
  - { tag: c, patterns: ['x'] }`;
    expect((await check(rules)).findings).toEqual([
      'warning boundary rules.yaml:4: rule 1 (a)',
      'warning repeated rules.yaml:6: rule 3 (c)',
    ]);
  });

  test('and refused where it is not linear', async () => {
    await expect(check("\n  - { tag: a, patterns: ['(a)\\1'] }")).rejects.toThrow(/linear time/);
    await expect(check("\n  - { tag: a, patterns: ['a(?=b)'] }")).rejects.toThrow(/linear time/);
  });

  test('a pattern that backtracking engines never finish ends', async () => {
    const found = await check("\n  - { tag: a, patterns: ['(a+)+$', '(x|xx)*y'] }", [
      `${'a'.repeat(50_000)}b`,
      'x'.repeat(50_000),
    ]);
    expect(found.uses[0]?.takes).toBe(0);
  });
});
