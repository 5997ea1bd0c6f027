import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cellsOf } from '../../src/formats/cells.ts';
import { brief, clock, dollars, memory } from '../../src/top/amounts.ts';
import { layout, listing } from '../../src/top/layout.ts';
import { FIRST_VIEW, type View } from '../../src/top/state.ts';
import { NOW, RECORDING, session, stateOf } from './states.ts';

const zone = process.env.TZ;
beforeAll(() => void (process.env.TZ = 'UTC'));
afterAll(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

const MARKS = { head: '# ', marked: '@ ', quiet: '. ', bad: '! ', '': '  ' };
/** Lines, each behind a mark of how it looks. */
const drawn = (...args: Parameters<typeof layout>) =>
  `\n${layout(...args)
    .map(({ text, style }) => `${MARKS[style]}${text}`.trimEnd())
    .join('\n')}\n`;

const SESSIONS = [
  session('s-1', {
    doing: 'tool',
    running: [
      { tool: 'Task', command: '', since: NOW - 90e6 },
      { tool: 'Bash', command: 'npm test -- --run', since: NOW - 63e6 },
    ],
    since: NOW - 63e6,
    last: NOW - 1e6,
    failures: 2,
  }),
  session('s-2', {
    agent: 'codex',
    project: '仓库',
    model: 'gpt-5.1-codex-max',
    doing: 'model',
    since: NOW - 12e6,
    nanoDollars: 0,
  }),
  session('s-3', {
    doing: 'idle',
    since: NOW - 9000e6,
    tokensPerMinute: 0,
    context: 999_600,
    nanoDollars: 123e9,
    calls: 10_000,
  }),
];
const STATE = stateOf(SESSIONS, [RECORDING]);
const small = { width: 80, height: 24 };

describe('the screen', () => {
  test('of 80 by 24 cells has sessions first, and below them the processes of recordings', () => {
    expect(drawn(STATE, FIRST_VIEW, small)).toMatchInlineSnapshot(`
      "
      # agentsight top  14:03:22  3 sessions, 2 at work  8.6k tokens/min  $124  2 failed
      #  PROJECT    AGENT       MODEL       TOK/MIN   COST CALLS FAIL   CTX NOW
      @ >web        claude-code claude-opu…    4.3k  $1.32    12    2   81k Bash 1:03 +…
         仓库       codex       gpt-5.1-co…    4.3k     $0    12    0   81k thinks 0:12
      .  web        claude-code claude-opu…       0   $123   10k    0  1.0M idle 2:30:00

      # recording 12:03 by bpf  2 of 15 processes run  3 failed  claude
      #       PID   CPU%    MEM      AGE HOSTS            COMMAND
          4194304    140    86M     0:05                  node build.js --all
              100    3.4   286M    12:03 api.anthropic.c… claude













      . q quit  s sort: activity  / filter  up/down  enter details
      "
    `);
  });

  test('shows more of names and commands where there is room', () => {
    expect(drawn(STATE, FIRST_VIEW, { width: 140, height: 12 })).toMatchInlineSnapshot(`
      "
      # agentsight top  14:03:22  3 sessions, 2 at work  8.6k tokens/min  $124  2 failed
      #  PROJECT                  AGENT        MODEL                      TOK/MIN    COST CALLS FAIL   CTX NOW
      @ >web                      claude-code  claude-opus-4-1               4.3k   $1.32    12    2   81k Bash 1:03 +1  npm test -- --run
         仓库                     codex        gpt-5.1-codex-max             4.3k      $0    12    0   81k thinks 0:12
      .  web                      claude-code  claude-opus-4-1                  0    $123   10k    0  1.0M idle 2:30:00

      # recording 12:03 by bpf  2 of 15 processes run  3 failed  claude
      #       PID   CPU%    MEM      AGE HOSTS                            COMMAND
          4194304    140    86M     0:05                                  node build.js --all
              100    3.4   286M    12:03 api.anthropic.com +1             claude

      . q quit  s sort: activity  / filter  up/down  enter details
      "
    `);
  });

  test('shows one session whole', () => {
    expect(drawn(STATE, { ...FIRST_VIEW, details: true }, small)).toMatchInlineSnapshot(`
      "
      # agentsight top  14:03:22  3 sessions, 2 at work  8.6k tokens/min  $124  2 failed
      # s-1  claude-code  web
          model       claude-opus-4-1
          began       1:00:00 ago, last heard of 0:01 ago
          tokens      1.2M, 4.3k a minute of late
          cost        $1.32
          calls       12, tool calls 30, failures 2
          context     81k
          subagents   0

      # running
          Task  1:30
          Bash  1:03  npm test -- --run

      # models
          claude-opus-4-1  12 calls  1.2M tokens  $1.32

      # tools
          Bash  30 calls




      . q quit  s sort: activity  / filter  up/down  enter back
      "
    `);
  });

  test('says when nothing is there, and how to filter', () => {
    const view: View = { ...FIRST_VIEW, typing: true, filter: 'nobody' };
    expect(drawn(STATE, view, { width: 80, height: 6 })).toMatchInlineSnapshot(`
      "
      # agentsight top  14:03:22  0 sessions, 0 at work  0 tokens/min  $0  0 failed
      . no session matches the filter

      # recording 12:03 by bpf  2 of 15 processes run  3 failed  claude
      #       PID   CPU%    MEM      AGE HOSTS            COMMAND
      . filter: nobody_   enter keeps it, escape drops it
      "
    `);
  });

  test('of many sessions shows those around the mark', () => {
    const many = stateOf(
      Array.from({ length: 40 }, (_, at) => session(`s-${at + 10}`, { project: `p${at + 10}` })),
      [RECORDING],
    );
    const lines = layout(many, { ...FIRST_VIEW, selected: 's-35' }, small);
    expect(lines.length).toBe(24);
    expect(lines.filter(({ style }) => style === 'marked').map(({ text }) => text.slice(0, 4))).toEqual(['>p35']);
    expect(lines.some(({ text }) => text.includes('node build.js'))).toBe(true);
  });

  test('fits any size, whatever is in it', () => {
    const name = fc.string({ unit: 'grapheme', maxLength: 30 });
    const any = fc.record({ project: name, model: name, agent: name, context: fc.nat(), tokensPerMinute: fc.nat() });
    fc.assert(
      fc.property(
        fc.array(any, { maxLength: 30 }),
        fc.nat({ max: 200 }),
        fc.nat({ max: 60 }),
        fc.boolean(),
        (all, width, height, details) => {
          const state = stateOf(
            all.map((each, at) => session(`s${at}`, each)),
            [RECORDING, RECORDING],
          );
          const lines = layout(state, { ...FIRST_VIEW, details }, { width: width + 1, height: height + 1 });
          expect(lines.length).toBe(height + 1);
          for (const { text } of lines) expect(cellsOf(text)).toBeLessThanOrEqual(width + 1);
        },
      ),
      { numRuns: 200 },
    );
  });
});

test('a listing leaves nothing out and has no marks', () => {
  const many = stateOf(
    Array.from({ length: 200 }, (_, at) => session(`s-${at}`)),
    [RECORDING],
  );
  const lines = listing(many, FIRST_VIEW, 100).trimEnd().split('\n');
  expect(lines.length).toBe(1 + 1 + 200 + 1 + 2 + 2);
  expect(lines.filter(line => line.startsWith('>'))).toEqual([]);
});

describe('amounts in few cells', () => {
  test.each([
    [0, '0'],
    [999, '999'],
    [1234, '1.2k'],
    [9999, '10k'],
    [999_600, '1.0M'],
    [12_345_678, '12M'],
    [4.2e15, '4200T'],
  ])('%d is %s', (count, text) => expect(brief(count)).toBe(text));
  test.each([
    [0, '$0'],
    [1e6, '$0.00'],
    [1.32e9, '$1.32'],
    [123.4e9, '$123'],
    [12_345e9, '$12k'],
  ])('%d nano-dollars are %s', (nano, text) => expect(dollars(nano)).toBe(text));
  test.each([
    [-5, '0:00'],
    [5e6, '0:05'],
    [723e6, '12:03'],
    [3723e6, '1:02:03'],
    [76 * 3600e6, '3d 4h'],
  ])('%d µs are %s', (micros, text) => expect(clock(micros)).toBe(text));
  test.each([
    [0, '0.0K'],
    [4096, '4.0K'],
    [300e6, '286M'],
    [2 ** 34, '16G'],
  ])('%d bytes are %s', (bytes, text) => expect(memory(bytes)).toBe(text));
});
