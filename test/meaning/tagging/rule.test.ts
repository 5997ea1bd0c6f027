import { describe, expect, test } from 'vitest';
import { parseTagRule, tagOf } from '../../../src/meaning/tagging/rule.ts';

describe('--tag-rule KIND:TAG=REGEX', () => {
  test.each([
    ['prompt:debug=(?i)fix|error|bug|broken|为啥', 'prompt', 'debug', '(?i)fix|error|bug|broken|为啥'],
    ['debug=fix', 'prompt', 'debug', 'fix'],
    ['llm:apology=(?i)sorry', 'llm', 'apology', '(?i)sorry'],
    ['session:release=v\\d', 'session', 'release', 'v\\d'],
    ['all:secret=key', 'all', 'secret', 'key'],
    ['prompt:assign=a=b:c', 'prompt', 'assign', 'a=b:c'],
    ['plain=https://x', 'prompt', 'plain', 'https://x'],
    ['prompt:修复=修一下', 'prompt', '修复', '修一下'],
    ['prompt: Bug  Fix =x', 'prompt', 'Bug Fix', 'x'],
    ['llm:llm/apology=x', 'llm', 'llm/apology', 'x'],
    ['debug= leading space counts', 'prompt', 'debug', ' leading space counts'],
  ])('%s', (text, kind, tag, pattern) => {
    expect(parseTagRule(text, 2)).toEqual({
      kind,
      tag,
      patterns: [pattern],
      origin: { source: '--tag-rule', number: 2 },
    });
  });

  test.each([
    ['debug', /no "=".*KIND:TAG=REGEX/],
    ['prompts:debug=x', /unknown kind "prompts"; the kinds are prompt, llm, session, all/],
    [':debug=x', /unknown kind ""/],
    ['prompt:=x', /at least one character/],
    ['prompt:debug=', /empty.*match every text/],
    ['prompt:a:b=x', /":" is not allowed/],
    ['prompt:a;b=x', /";" is not allowed/],
    ['prompt:a\nb=x', /"\\n" is not allowed/],
    ['prompt:unmatched=x', /reserved/],
    ['prompt:none=x', /reserved/],
  ])('%j is refused with the way out', (text, message) => {
    expect(() => parseTagRule(text, 1)).toThrow(message);
  });
});

describe('a tag is one string however it was written', () => {
  test.each([
    ['  debug ', 'debug'],
    ['e\u0301tude', 'étude'],
    ['Fix', 'Fix'],
    ['a   b', 'a b'],
    ['__proto__', '__proto__'],
  ])('%j', (text, tag) => expect(tagOf(text)).toEqual({ tag }));

  test('of at most 64 characters, counted as people count', () => {
    expect(tagOf('界'.repeat(64))).toHaveProperty('tag');
    expect(tagOf('𠮷'.repeat(64))).toHaveProperty('tag');
    expect(tagOf('界'.repeat(65))).toHaveProperty('wrong');
  });
});
