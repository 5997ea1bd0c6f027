import { describe, expect, it } from 'vitest';
import { Kind } from '../../../src/trace/kinds.ts';
import { countOf, type Read, readMain, story } from './reading.ts';
import { answers, at, attaches, queues, type Row, returns, says, uses } from './rows.ts';

const yes = (seconds: number, id: string) => answers(seconds, id, 'Yes.', { in: 1, out: 9 });
const CALL = 'call claude-a 1/0/0/0/9/0';

function prompts(got: Read): string[] {
  return [...Array(got.out.length).keys()]
    .filter(row => got.out.kind.get(row) === Kind.prompt)
    .map(row => got.out.texts.get('prompt', row));
}

describe('a prompt is what a person typed', () => {
  it.each<[string, unknown, Row, string[]]>([
    ['a string', 'Fix it', {}, ['Fix it']],
    [
      'text blocks',
      [
        { type: 'text', text: 'Fix' },
        { type: 'text', text: 'it' },
      ],
      {},
      ['Fix\nit'],
    ],
    [
      'with a picture, which is no text',
      [
        { type: 'image', source: {} },
        { type: 'text', text: 'Like this' },
      ],
      {},
      ['Like this'],
    ],
    ['a picture alone', [{ type: 'image', source: {} }], {}, ['']],
    ['typed, and said so', 'Fix it', { promptSource: 'typed', origin: { kind: 'human' } }, ['Fix it']],
    ['given to -p', 'Fix it', { promptSource: 'sdk' }, ['Fix it']],
    [
      'without what the editor put before it',
      '<ide_opened_file>a.ts</ide_opened_file>\n<system-reminder>x</system-reminder>Fix it',
      {},
      ['Fix it'],
    ],
    [
      'without the editor’s block',
      [
        { type: 'text', text: '<ide_selection>lines 1 to 2</ide_selection>' },
        { type: 'text', text: 'Why?' },
      ],
      {},
      ['Why?'],
    ],
    ['that only begins with a tag', '<div> is not closed', {}, ['<div> is not closed']],
    ['whole, however long', 'x'.repeat(300_000), {}, ['x'.repeat(300_000)]],
    ['in any script', '修复这个测试', {}, ['修复这个测试']],
    ['nothing but a reminder is none', '<system-reminder>todo</system-reminder>', {}, []],
    ['an empty text is none', '', {}, []],
    [
      'a remark of the client is none',
      'Base directory for this skill: /x',
      { isMeta: true, sourceToolUseID: 't1' },
      [],
    ],
    ['what only the transcript shows is none', 'Summary', { isVisibleInTranscriptOnly: true }, []],
    ['a notification by its origin is none', 'List files', { origin: { kind: 'task-notification' } }, []],
    ['what the system sent is none', 'tick', { promptSource: 'system' }, []],
    ['what nobody knows the origin of is none', 'tick', { origin: { kind: 'somebody-new' } }, []],
  ])('%s', (_, content, more, expected) => {
    expect(prompts(readMain(says(0, content, more), yes(1, 'm1')))).toEqual(expected);
  });

  it('also beside the result of the call that the person commented on', () => {
    const content = [
      { type: 'tool_result', tool_use_id: 't1', content: 'updated' },
      { type: 'text', text: 'When was this added?' },
    ];
    const got = readMain(
      says(0, 'Go'),
      answers(1, 'm1', [uses('t1', 'Edit')], { in: 1, out: 90 }),
      says(2, content),
      yes(3, 'm2'),
    );
    expect(story(got)).toEqual([
      'prompt "Go"',
      '  call claude-a 1/0/0/0/90/0',
      '    tool Edit ok',
      'prompt "When was this added?"',
      `  ${CALL}`,
    ]);
  });
});

describe('what the client writes opens a turn only if the model answers it', () => {
  it.each<[string, string, unknown, Row]>([
    [
      'notification',
      'the end of a background task',
      '<task-notification>\n<task-id>a1</task-id></task-notification>',
      {},
    ],
    [
      'continuation',
      'the summary of a compaction',
      'This session is being continued from a previous conversation that ran out of context.',
      {},
    ],
    ['continuation', 'a summary told by its flag', 'Summary of what was.', { isCompactSummary: true }],
    ['hook', 'what a stop hook says', 'Stop hook feedback:\n- [x]: tests fail', { isMeta: true }],
    ['command', 'a slash command', '<command-message>init</command-message>\n<command-name>/init</command-name>', {}],
    ['command', 'a command line of the person', '<bash-input>ls</bash-input>', {}],
    ['message', 'a word of another agent', '<teammate-message teammate_id="bob">done</teammate-message>', {}],
    ['meta', 'a remark after the answer', 'Continue from where you left off.', { isMeta: true }],
  ])('%s: %s', (event, _, content, more) => {
    const before = [says(0, 'Go'), yes(1, 'm1')];
    const answered = readMain(...before, says(10, content, more), yes(12, 'm2'));
    expect(story(answered, { times: true })).toEqual([
      'prompt "Go" 0-0',
      `  ${CALL} 0-1`,
      `event ${event} 10-10 +opensTurn`,
      `  ${CALL} 10-12`,
    ]);
    const ignored = readMain(...before, says(10, content, more), says(20, 'And now?'), yes(22, 'm2'));
    expect(story(ignored, { times: true })).toEqual([
      'prompt "Go" 0-0',
      `  ${CALL} 0-1`,
      `  event ${event} 10-10`,
      'prompt "And now?" 20-20',
      `  ${CALL} 20-22`,
    ]);
  });

  it('the text a slash command stands for is no turn of its own', () => {
    const got = readMain(
      says(0, '<command-message>init</command-message><command-name>/init</command-name>'),
      says(0, 'Please analyse this codebase', { isMeta: true }),
      yes(3, 'm1'),
    );
    expect(story(got)).toEqual(['event command +opensTurn', `  ${CALL}`]);
  });

  it('a remark inside a turn opens none', () => {
    const got = readMain(
      says(0, 'Go'),
      answers(1, 'm1', [uses('t1', 'Skill', { skill: 'review' })], { in: 1, out: 90 }),
      returns(2, 't1'),
      says(2, 'Base directory for this skill: /x', { isMeta: true }),
      yes(3, 'm2'),
    );
    expect(story(got)).toEqual([
      'prompt "Go"',
      '  call claude-a 1/0/0/0/90/0',
      '    tool Skill ok skill=review',
      `  ${CALL}`,
    ]);
  });

  it('echoes of local commands are nothing', () => {
    const got = readMain(
      says(0, '<local-command-caveat>Caveat</local-command-caveat>', { isMeta: true }),
      says(0, '<command-name>/mcp</command-name>'),
      says(0, '<local-command-stdout>Reconnected.</local-command-stdout>'),
      says(5, 'Go'),
      yes(6, 'm1'),
    );
    expect(story(got)).toEqual(['event command', 'prompt "Go"', `  ${CALL}`]);
  });

  it('an interruption is an event of its turn', () => {
    const got = readMain(
      says(0, 'Go'),
      yes(1, 'm1'),
      says(2, [{ type: 'text', text: '[Request interrupted by user]' }]),
      says(9, 'No, like this'),
    );
    expect(story(got)).toEqual([
      'prompt "Go"',
      `  ${CALL}`,
      '  event interruption interrupted',
      'prompt "No, like this"',
    ]);
  });
});

describe('what was typed while the model was busy counts once', () => {
  const queued = (text: unknown, more = {}) => ({
    type: 'queued_command',
    prompt: text,
    commandMode: 'prompt',
    ...more,
  });
  const busy = [says(0, 'Go'), answers(1, 'm1', [uses('t1', 'Bash')], { in: 1, out: 90 })];
  const BUSY = ['prompt "Go"', '  call claude-a 1/0/0/0/90/0', '    tool Bash ok'];
  const OTHER = ['prompt "Also that"', `  ${CALL}`];

  it.each<[string, unknown[], string[]]>([
    [
      'a turn of its own: the row that follows counts',
      [queues(2, 'enqueue', 'Also that'), returns(3, 't1'), queues(4, 'dequeue'), says(4, 'Also that'), yes(5, 'm2')],
      OTHER,
    ],
    [
      'given to the running turn, which only the queue tells',
      [queues(2, 'enqueue', 'Also that'), returns(3, 't1'), queues(3, 'remove'), yes(5, 'm2')],
      OTHER,
    ],
    [
      'and an attachment tells it too',
      [
        queues(2, 'enqueue', 'Also that'),
        returns(3, 't1'),
        queues(3, 'remove'),
        attaches(3, queued('Also that')),
        yes(5, 'm2'),
      ],
      OTHER,
    ],
    [
      'in either order',
      [
        queues(2, 'enqueue', 'Also that'),
        returns(3, 't1'),
        attaches(3, queued('Also that')),
        queues(3, 'remove'),
        yes(5, 'm2'),
      ],
      OTHER,
    ],
    [
      'only an attachment tells it',
      [returns(3, 't1'), attaches(3, queued([{ type: 'text', text: 'Also that' }])), yes(5, 'm2')],
      OTHER,
    ],
    [
      'as blocks, with what the editor added',
      [
        queues(2, 'enqueue', [
          { type: 'text', text: '<ide_opened_file>a</ide_opened_file>' },
          { type: 'text', text: 'Also that' },
        ]),
        returns(3, 't1'),
        queues(3, 'remove'),
        yes(5, 'm2'),
      ],
      OTHER,
    ],
    [
      'taken back into the input line and typed again',
      [queues(2, 'enqueue', 'Also'), queues(2, 'popAll'), returns(3, 't1'), says(4, 'Also that'), yes(5, 'm2')],
      OTHER,
    ],
    ['never sent', [queues(2, 'enqueue', 'Also that'), returns(3, 't1'), yes(5, 'm2')], [`  ${CALL}`]],
    [
      'a notification is no prompt, and inside a turn no turn',
      [
        queues(2, 'enqueue', '<task-notification>x</task-notification>'),
        returns(3, 't1'),
        queues(3, 'remove'),
        yes(5, 'm2'),
      ],
      ['  event notification', `  ${CALL}`],
    ],
    [
      'nor is one in an attachment',
      [returns(3, 't1'), attaches(3, queued('x', { commandMode: 'task-notification' })), yes(5, 'm2')],
      ['  event notification', `  ${CALL}`],
    ],
    [
      'a message of another agent is none',
      [returns(3, 't1'), attaches(3, queued('x', { origin: { kind: 'peer' } })), yes(5, 'm2')],
      ['  event message', `  ${CALL}`],
    ],
  ])('%s', (_, rows, expected) => {
    expect(story(readMain(...busy, ...rows))).toEqual([...BUSY, ...expected]);
  });

  it('twice the same words are two prompts', () => {
    const got = readMain(
      ...busy,
      queues(2, 'enqueue', 'ok'),
      queues(2.5, 'enqueue', 'ok'),
      returns(3, 't1'),
      queues(3, 'remove'),
      queues(3, 'remove'),
    );
    // Both were removed; no second record of either came.
    expect(countOf(got, Kind.prompt)).toBe(2 + 1);
  });

  it('the evidence of a delivered prompt is the record that holds its words', () => {
    const { out } = readMain(...busy, queues(2, 'enqueue', 'Also that'), queues(3, 'remove'));
    expect([out.kind.get(3), out.offset.get(3)]).toEqual([Kind.prompt, 22]);
    expect(out.start.get(3) / 1000).toBe(Date.parse(at(3)));
  });
});
