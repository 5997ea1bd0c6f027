import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { machineKind, ownWords } from '../../../src/meaning/tagging/intent.ts';
import { presetTag } from '../../../src/meaning/tagging/preset.ts';

const TRACE = `TypeError: x is undefined
    at render (src/app.js:3:9)
    at async main (src/main.js:1:1)`;
const PYTHON = `Traceback (most recent call last):
  File "app.py", line 3, in <module>`;
const LOG = `2026-11-01 12:00:00 INFO add feature flag to cache
[12:00:01] deploy finished
ERROR: refactor failed`;

describe('own words', () => {
  test.each([
    ['a log', `explain this\n${LOG}`, 'explain this'],
    ['a stack trace', `write a test for that\n${TRACE.split('\n').slice(1).join('\n')}`, 'write a test for that'],
    ['Python', `${PYTHON}\n帮我看看`, '帮我看看'],
    ['fenced code', 'what is this?\n```js\nfix()\n```', 'what is this?'],
    ['an open fence', 'rename it\n```\nfix the bug', 'rename it'],
    ['quoted lines', '> please fix the bug\n> soon\nwho wrote this?', 'who wrote this?'],
    ['a diff', 'review\ndiff --git a/x b/x\n@@ -1 +1 @@\n-fix\n+add', 'review'],
    ['compiler output', 'src/a.ts(3,1): error TS2304: no\nerror[E0277]: no\n  --> src/a.rs:1\n   | x\nhelp', 'help'],
    ['a shell', '$ npm test\nnpm ERR! code 1\nwhy?', 'why?'],
    ['nothing', 'fix the bug\n- in a list\n- of things', 'fix the bug\n- in a list\n- of things'],
  ])('are told from %s', (_, text, own) => expect(ownWords(text).trim()).toBe(own));

  test('material alone leaves none', () => {
    for (const text of [LOG, PYTHON, '```\ncode\n```']) expect(ownWords(text)).toBe('');
  });

  test('decide before what was pasted, in either order', () => {
    for (const said of ['write a unit test for this', '给这个写个单元测试']) {
      expect(presetTag(`${said}\n${LOG}`)).toBe('test');
      expect(presetTag(`${LOG}\n${said}`)).toBe('test');
    }
    expect(presetTag(TRACE)).toBe('debug');
  });

  test('property: are lines of the text, and telling them twice changes nothing', () => {
    const line = fc.constantFrom(
      'fix it',
      '',
      '修一下',
      ...TRACE.split('\n'),
      ...LOG.split('\n'),
      '> quoted',
      '```',
      '+a',
      '@@ -1',
    );
    fc.assert(
      fc.property(fc.array(line), lines => {
        const own = ownWords(lines.join('\n'));
        for (const each of own.split('\n')) expect(['', ...lines.map(l => l.trim())]).toContain(each.trim());
        expect(ownWords(own)).toBe(own);
      }),
    );
  });

  test.each(['at ', 'File "', ' ', '> ', '```', '1: a::', '[12:00:00'])('100 KB of %j end', text => {
    expect(typeof ownWords(`a\n${text.repeat(100_000 / text.length)}`)).toBe('string');
  });
});

describe('what machines write in the place of a prompt', () => {
  test.each([
    ['This session is being continued from a previous conversation that ran out of context.', 'continuation'],
    ['<state_snapshot><goal>fix</goal></state_snapshot>', 'continuation'],
    ['[Request interrupted by user for tool use]', 'interruption'],
    ['<system-reminder>be kind</system-reminder>', 'system'],
    [
      '<environment_context>\n<cwd>/x</cwd>\n</environment_context>\n<user_instructions>y</user_instructions>',
      'system',
    ],
    ['<system-reminder>be kind</system-reminder> fix the bug', ''],
    ['<div>why is this broken</div>', ''],
    ['fix the bug', ''],
    ['', ''],
  ])('%j: %s', (text, kind) => expect(machineKind(text)).toBe(kind));
});
