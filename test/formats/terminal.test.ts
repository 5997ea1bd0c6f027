import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cellsOf } from '../../src/formats/cells.ts';
import { type TerminalOptions, terminalSummary } from '../../src/formats/terminal.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { MEASURES } from '../../src/trace/measures.ts';
import { parseFoldedLine, profileOf, profileOfRows } from '../support/profiles.ts';
import { randomProfile } from './random-profile.ts';

const summary = (profile: Profile, options?: TerminalOptions) => `\n${terminalSummary(profile, options)}`;

const WEEK = profileOfRows(
  [
    'agent:codex;prompt:debug;tool:Bash 6000 12',
    'agent:codex;prompt:调试登录;tool:Read File 3000 3',
    'agent:codex;prompt:review 900 2',
    'agent:claude-code;prompt:debug 100 1',
  ].map(line => {
    const [, path, tokens, operations] = /^(.*) (\d+) (\d+)$/.exec(line)!;
    const values = MEASURES.map(m => BigInt(m.name === 'tokens' ? tokens! : m.name === 'operations' ? operations! : 0));
    return { stack: parseFoldedLine(`${path} 0`).stack, values };
  }),
);

describe('the summary on a terminal', () => {
  test('shows the total, the other measures, the widest paths with bars and the frames by kind', () => {
    expect(summary(WEEK, { width: 78, subtitle: 'all agents' })).toBe(`
10.0 k tokens
tokens view · all agents
18 operations

Widest paths
  60.0 % 6.0 k ████████████ agent:codex › prompt:debug › tool:Bash
  30.0 % 3.0 k ██████       agent:codex › prompt:调试登录 › tool:Read File
   9.0 %   900 █▊           agent:codex › prompt:review
   1.0 %   100 ▎            agent:claude-code › prompt:debug

Top frames by kind
  agent   codex 99.0 %  claude-code 1.0 %
  prompt  debug 61.0 %  调试登录 30.0 %  review 9.0 %
  tool    Bash 60.0 %  Read File 30.0 %
`);
  });

  test('keeps only values, with the kinds once above, where the names would not fit', () => {
    const profile = profileOf('agent:codex;prompt:debug;tool:a-long-name 3 | agent:codex;prompt:review;tool:b 1');
    expect(summary(profile, { width: 60 })).toBe(`
4 tokens
tokens view

Widest paths  agent › prompt › tool
  75.0 % 3 ████████████ codex › debug › a-long-name
  25.0 % 1 ████         codex › review › b

Top frames by kind
  agent   codex 100 %
  prompt  debug 75.0 %  review 25.0 %
  tool    a-long-name 75.0 %  b 25.0 %
`);
  });

  test('shows as many paths as asked for, and how many there are', () => {
    expect(summary(WEEK, { width: 78, paths: 2 })).toContain('Widest paths (2 of 4)');
  });

  test('shows both directions of a difference by their size', () => {
    expect(summary(profileOf('a:x;b:y 30 | a:x;b:z -50 | a:w 20'))).toBe(`
0 tokens
tokens view

Widest paths
  50.0 % -50 ████████████ a:x › b:z
  30.0 % +30 ███████▎     a:x › b:y
  20.0 % +20 ████▊        a:w

Top frames by kind
  a  x 80.0 %  w 20.0 %
  b  z 50.0 %  y 30.0 %
`);
  });

  test.each([
    ['nothing', profileOf(''), undefined, 'Nothing was selected, so there is nothing to show.'],
    ['no durations', WEEK, 'time', 'The selected history has no duration data: every value is zero.'],
  ])('says in a sentence that there is %s', (_, profile, measure, sentence) => {
    expect(terminalSummary(profile, { measure, width: 100 })).toContain(sentence);
  });

  test('is coloured only when asked to be, with the same text', () => {
    const plain = terminalSummary(WEEK, { width: 78 });
    const coloured = terminalSummary(WEEK, { width: 78, color: true });
    expect(plain).not.toContain('\x1b');
    expect(coloured).toContain('\x1b[1m');
    expect(coloured.replace(/\x1b\[\d+m/g, '')).toBe(plain);
  });

  test('never obeys a name', () => {
    const profile = profileOfRows([
      { stack: [{ kind: 'tool', value: '\x1b[2J\x07\r\nx' }], values: MEASURES.map(() => 1n) },
    ]);
    expect(terminalSummary(profile)).toMatch(/tool:\ufffd\[2J\ufffd x/);
  });

  test.each([
    ['profile', false],
    ['difference', true],
  ])('of any %s has no line wider than the terminal and no control character', (_, signed) => {
    fc.assert(
      fc.property(randomProfile(signed), fc.integer({ min: 40, max: 160 }), fc.boolean(), (profile, width, color) => {
        const text = terminalSummary(profile, { width, color }).replace(/\x1b\[\d+m/g, '');
        for (const line of text.split('\n')) {
          expect(cellsOf(line)).toBeLessThanOrEqual(width);
          expect(line).not.toMatch(/\p{Cc}/u);
        }
      }),
    );
  });

  test('of 3,000 levels is written', () => {
    const path = Array.from({ length: 3000 }, (_, i) => `a:${i}`).join(';');
    expect(terminalSummary(profileOf(`${path} 5`))).toContain('0 › … › 2');
  });
});
