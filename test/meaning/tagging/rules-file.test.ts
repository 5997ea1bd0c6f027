import { describe, expect, test } from 'vitest';
import { parseRulesFile } from '../../../src/meaning/tagging/rules-file.ts';
import { UsageError } from '../../../src/trace/usage-error.ts';

const parse = (text: string) => parseRulesFile(text, 'rules.yaml');

describe('a rule file', () => {
  test('gives its rules in order, with their lines', async () => {
    const rules = await parse(`version: 1
rules:
  - tag: debug
    description: something is broken
    patterns: ['(?i)\\bfix(es|ed)?\\b', 报错]
    examples:
      match: [fix it]
      not: [prefix]
  - { tag: apology, kind: llm, words: [sorry] }
`);
    expect(rules).toEqual([
      {
        kind: 'prompt',
        tag: 'debug',
        description: 'something is broken',
        patterns: ['(?i)\\bfix(es|ed)?\\b', '报错'],
        examples: { match: ['fix it'], not: ['prefix'] },
        origin: { source: 'rules.yaml', number: 1, line: 3 },
      },
      {
        kind: 'llm',
        tag: 'apology',
        patterns: ['(?i)(?:\\bsorry\\b)'],
        origin: { source: 'rules.yaml', number: 2, line: 9 },
      },
    ]);
  });

  test('without rules is no error', async () => {
    expect(await parse('version: 1\nrules: []\n')).toEqual([]);
  });

  test.each([
    ['rules: []', 'rules.yaml:1: the version of the rule file must be 1; write "version: 1"'],
    ['version: 2\nrules: []', 'rules.yaml:1: the version of the rule file must be 1; write "version: 1"'],
    ['', 'rules.yaml:1: a rule file is a map with the keys version and rules; begin it with "version: 1"'],
    ['- tag: x', 'rules.yaml:1: a rule file is a map with the keys version and rules; begin it with "version: 1"'],
    ['version: 1\nrule: []\nrules: []', 'rules.yaml:2: unknown key "rule"; the keys here are version, rules'],
    ['version: 1\nrules: {}', 'rules.yaml:2: "rules" must be a list of rules'],
    ['version: 1\nrules:\n  - debug', 'rules.yaml:3: rule 1: a rule is a map with a tag and patterns'],
    [
      "version: 1\nrules:\n  - tag: a\n    patterns: [a]\n  - tag: b\n    pattern: 'x'",
      'rules.yaml:6: rule 2 (b): unknown key "pattern"; the keys here are tag, kind, patterns, words, description, examples',
    ],
    [
      'version: 1\nrules:\n  - tag: a\n    patterns: [a]\n    examples: { must: [x] }',
      'rules.yaml:5: rule 1 (a): unknown key "must"; the keys here are match, not',
    ],
    [
      'version: 1\nrules:\n  - tag: a\n    kind: calls\n    patterns: [a]',
      'rules.yaml:4: rule 1 (a): unknown kind; the kinds are prompt, llm, session, all',
    ],
    [
      'version: 1\nrules:\n  - tag: a',
      'rules.yaml:3: rule 1 (a): there is nothing to match; add "patterns" or "words"',
    ],
    [
      'version: 1\nrules:\n  - tag: a\n    patterns: []',
      'rules.yaml:4: rule 1 (a): "patterns" is empty, and an empty pattern would match every text',
    ],
    [
      "version: 1\nrules:\n  - tag: a\n    patterns: ['']",
      'rules.yaml:4: rule 1 (a): "patterns" is empty, and an empty pattern would match every text',
    ],
    ['version: 1\nrules:\n  - patterns: [x]', 'rules.yaml:3: rule 1: a rule needs a "tag"'],
    [
      'version: 1\nrules:\n  - tag: 404\n    patterns: [x]',
      'rules.yaml:3: rule 1: "tag" must be text; put a number in quotes',
    ],
    [
      'version: 1\nrules:\n  - patterns: [x]\n    tag: "a:b"',
      'rules.yaml:4: rule 1 (a:b): ":" is not allowed in a tag; use letters of any script, digits, "-", "/" or spaces',
    ],
    [
      'version: 1\nrules:\n  - tag: a\n    patterns: ["\\bfix"]',
      'rules.yaml:4: rule 1 (a): a pattern holds a backspace, because YAML reads "\\b" so in double quotes; use single quotes',
    ],
  ])('is refused with file, line, rule and the way out: %j', async (text, message) => {
    await expect(parse(text)).rejects.toThrow(new UsageError(message));
  });

  test.each([
    ['version: 1\nrules:\n  - tag: [a\n', /^rules\.yaml:\d+: not valid YAML: /],
    ['version: 1\nversion: 1\nrules: []\n', /^rules\.yaml:2: not valid YAML: Map keys must be unique/],
    [`a: &a [x]\nb: [${'*a,'.repeat(200)}]`, /^rules\.yaml: not usable YAML: /],
    ['version: 1\nrules: []\n__proto__: {}\n', /^rules\.yaml:3: unknown key "__proto__"/],
  ])('that is broken or hostile says so: %j', async (text, message) => {
    await expect(parse(text)).rejects.toThrow(message);
  });
});
