import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileRules, fingerprint } from '../../../src/meaning/tagging/engine.ts';
import type { Rule, RuleKind } from '../../../src/meaning/tagging/rule.ts';
import { wordsPattern } from '../../../src/meaning/tagging/words.ts';

function rule(tag: string, patterns: string | string[], kind: RuleKind = 'prompt', number = 1): Rule {
  return { kind, tag, patterns: [patterns].flat(), origin: { source: '--tag-rule', number } };
}

async function tagger(...rules: Rule[]): Promise<(text: string) => string> {
  const engine = await compileRules(rules, 'prompt');
  return text => engine.rules[engine.match(text)]?.tag ?? '';
}

describe('the first rule that matches gives the tag', () => {
  test('whatever stands first in the text', async () => {
    const tag = await tagger(rule('b', 'second'), rule('a', 'first'));
    expect(tag('first, then second')).toBe('b');
    expect(tag('first')).toBe('a');
    expect(tag('third')).toBe('');
  });

  test('with any of its patterns', async () => {
    const tag = await tagger(rule('a', ['x', 'y']), rule('b', ['z', 'x']));
    expect([tag('z y'), tag('z'), tag('x')]).toEqual(['a', 'b', 'a']);
  });

  test('and only rules of the subject, or of all, count', async () => {
    const rules = [rule('call', 'x', 'llm'), rule('every', 'y', 'all'), rule('ask', 'x', 'prompt')];
    const tags = async (subject: 'prompt' | 'llm' | 'session') => {
      const engine = await compileRules(rules, subject);
      return ['x', 'y'].map(text => engine.rules[engine.match(text)]?.tag ?? '');
    };
    expect(await tags('prompt')).toEqual(['ask', 'every']);
    expect(await tags('llm')).toEqual(['call', 'every']);
    expect(await tags('session')).toEqual(['', 'every']);
  });

  test('no rules match nothing', async () => expect((await tagger())('anything')).toBe(''));

  test.each([
    ['(?i)fix|error|bug|broken|为啥', 'FIX it', true],
    ['(?i)fix|error|bug|broken|为啥', '这个接口为啥慢', true],
    ['(?i)fix|error|bug|broken|为啥', 'nothing here', false],
    ['(?i)ÉTUDE', 'une étude', true],
    ['étude', 'une e\u0301tude', true],
    ['^\\p{Han}+$', '只有中文', true],
    ['\\b修复\\b', '请修复它', false],
    ['修复', '请修复它', true],
    ['😀', 'ok 😀', true],
    ['^a.c$', 'a\nc', false],
    ['(?s)^a.c$', 'a\nc', true],
  ])('%s on %j: %s', async (pattern, text, matches) => {
    expect((await tagger(rule('t', pattern)))(text)).toBe(matches ? 't' : '');
  });

  test('found at the end of a prompt of 100 KB', async () => {
    const tag = await tagger(rule('debug', '(?i)\\bbroken\\b'));
    expect(tag(`${'lorem ipsum '.repeat(9000)} it is broken`)).toBe('debug');
  });

  // Plain pieces that mean the same to RE2 and to JavaScript, so that RegExp can be the oracle.
  const piece = fc.constantFrom(
    'a',
    'b',
    'ab',
    'ba+',
    '[ab]c',
    'c?d',
    '^a',
    'd$',
    '(?:ab|cd)',
    '修',
    '修复',
    '.b',
    '\\bc',
  );
  const pattern = fc.array(piece, { minLength: 1, maxLength: 3 }).map(pieces => pieces.join(''));
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd', ' ', '修', '复'), maxLength: 12 });

  test('property: as trying the rules one by one', async () => {
    const lists = fc.array(fc.array(pattern, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(lists, fc.array(text, { maxLength: 20 }), async (patterns, texts) => {
        const engine = await compileRules(
          patterns.map((each, at) => rule(`t${at}`, each)),
          'prompt',
        );
        for (const each of texts) {
          const expected = patterns.findIndex(list => list.some(source => new RegExp(source).test(each)));
          expect(engine.match(each), JSON.stringify([patterns, each])).toBe(expected);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('property: rules after the first match change nothing, and asking twice gives the same', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(pattern, { minLength: 1, maxLength: 6 }),
        fc.array(pattern),
        text,
        async (own, more, each) => {
          const few = await compileRules(
            own.map(source => rule('t', source)),
            'prompt',
          );
          const many = await compileRules(
            [...own, ...more].map(source => rule('t', source)),
            'prompt',
          );
          const found = few.match(each);
          expect(few.match(each)).toBe(found);
          if (found >= 0) expect(many.match(each)).toBe(found);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('time is linear', () => {
  test.each(['(a+)+$', '(a|aa)+$', '(a*)*b', '(.*)*=(.*)*', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
    '%s ends on 100 KB that a backtracking engine would never finish',
    async pattern => {
      const tag = await tagger(rule('never', 'zzz'), rule('t', pattern));
      expect(['', 't']).toContain(tag(`${'a'.repeat(100_000)}!`));
    },
  );
});

describe('a pattern that RE2 refuses names the rule, the pattern and the way out', () => {
  test.each([
    ['(?=x)y', /^--tag-rule 3 \(t\): pattern "\(\?=x\)y": .*lookahead and lookbehind are not possible in linear time/],
    ['(?<!x)y', /lookahead and lookbehind/],
    ['(a)\\1', /backreferences are not possible/],
    ['(?<n>a)\\k<n>', /backreferences are not possible/],
    ['(?>a)', /atomic groups/],
    ['\\u4e00', /write the character itself, or \\x\{4E00\}/],
    ['a{5000}', /counts to 1000 at most/],
    ['(', /missing closing \).*RE2 syntax/],
    ['[z-a]', /invalid character class range/],
    ['*a', /missing argument to repetition operator/],
  ])('%s', async (pattern, message) => {
    await expect(compileRules([rule('t', ['fine', pattern], 'prompt', 3)], 'prompt')).rejects.toThrow(message);
  });

  test('with the line of its file', async () => {
    const broken: Rule = { ...rule('t', '('), origin: { source: 'rules.yaml', number: 4, line: 12 } };
    await expect(compileRules([broken], 'prompt')).rejects.toThrow(/^rules\.yaml:12: rule 4 \(t\): pattern "\("/);
  });
});

describe('a fingerprint', () => {
  const rules = [rule('a', 'x'), rule('b', 'y')];

  test('changes with kind, tag, pattern and order, and with nothing else', () => {
    const own = fingerprint(rules);
    expect(own).toMatch(/^[0-9a-f]{16}$/);
    expect(fingerprint(rules.map(each => ({ ...each, description: 'd', origin: { source: 'f', number: 9 } })))).toBe(
      own,
    );
    const others = [
      [...rules].reverse(),
      [rules[0]!],
      [rule('a', 'x', 'llm'), rules[1]!],
      [rule('c', 'x'), rules[1]!],
      [rule('a', 'x2'), rules[1]!],
      [rule('a', ['x', 'y']), rules[1]!],
    ].map(fingerprint);
    expect(new Set([own, ...others]).size).toBe(others.length + 1);
  });
});

describe('words become patterns', () => {
  test.each([
    [['fix'], 'please fix it', true],
    [['fix'], 'PLEASE FIX', true],
    [['fix'], 'prefix, suffix, fixture', false],
    [['fix'], '帮我fix一下', true],
    [['deploy*'], 'deployed yesterday', true],
    [['deploy*'], 'redeployed', false],
    [['修复'], '请修复它', true],
    [['修bug'], '帮我修bug吧', true],
    [['修bug'], '帮我修bugs', false],
    [['c++'], 'in C++ please', true],
    [['a.b'], 'axb', false],
    [['pull request'], 'a pull\n request', true],
    [['x', '中'], '中文', true],
  ])('%j on %j: %s', async (words, text, matches) => {
    expect((await tagger(rule('t', wordsPattern(words))))(text)).toBe(matches ? 't' : '');
  });
});
