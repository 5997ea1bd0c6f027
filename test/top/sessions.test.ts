import { describe, expect, test } from 'vitest';
import { type TopSession, topSessions } from '../../src/top/sessions.ts';
import { Trace } from '../../src/trace/trace.ts';
import { EPOCH, operationsOf } from '../support/operations.ts';

/** Sessions as they stand so many seconds after the start of the story. */
function at(seconds: number, story: string): TopSession[] {
  const trace = new Trace(operationsOf(story));
  return topSessions(trace, { now: EPOCH + seconds * 1e6, shown: (_, value) => value, words: text => text });
}

/** What a session does, since when, and what runs in it. */
const doing = (seconds: number, story: string) =>
  at(seconds, `session s1\n${story}`).map(
    ({ doing, since, running }) =>
      `${doing} ${Math.round((EPOCH + seconds * 1e6 - since) / 1e6)}${running.map(({ tool }) => ` ${tool}`).join('')}`,
  )[0];

describe('what a session does', () => {
  test.each<[string, number, string, string]>([
    ['a prompt without an answer: the model', 5, 'prompt 0 "a" #p', 'model 5'],
    ['an answer that asks for nothing: the person', 9, 'prompt 0 "a" #p\ncall 0-3 opus #m', 'person 6'],
    [
      'a tool call without a result',
      9,
      'prompt 0 "a" #p\ncall 0-3 opus #m\ntool 3 Bash status=unanswered #t',
      'tool 6 Bash',
    ],
    [
      'two of them: the latest last',
      9,
      'call 0-3 opus #m\ntool 3 Bash status=unanswered #t\ntool 4 Read status=unanswered #u',
      'tool 5 Bash Read',
    ],
    ['a result: the model again', 9, 'call 0-3 opus #m\ntool 3-7 Bash #t', 'model 2'],
    [
      'a tool call that was left behind runs no more',
      9,
      'call 0-3 opus #m\ntool 3 Bash status=unanswered #t\ncall 4-6 opus #n',
      'person 3',
    ],
    ['a refused tool call: the person', 9, 'call 0-3 opus #m\ntool 3-4 Bash status=denied #t', 'person 5'],
    ['no answer for ten minutes: nothing', 700, 'prompt 0 "a" #p', 'idle 700'],
    ['nobody for an hour: nothing', 3700, 'call 0-3 opus #m', 'idle 3697'],
    [
      'a tool call runs as long as it runs',
      9000,
      'call 0-3 opus #m\ntool 3 Bash status=unanswered #t',
      'tool 8997 Bash',
    ],
  ])('%s', (_, seconds, story, expected) => expect(doing(seconds, story)).toBe(expected));
});

const STORY = `
  session s1 project=web
    prompt 0 "a" #p1
    call 0-10 opus in=10 cr=200 cw=5 out=7 #m1
    tool 10-20 Bash status=error error=exit-1 #t1
    tool 10-21 Read #t2
    tool 10 Task status=unanswered #t3
  session s2 parent=s1 spawn=t3 sub=Explore
    event 11 task opens
    call 400-410 haiku in=1000 out=4 #m3
    tool 410 Grep status=unanswered #t4
  session s3 agent=codex
    prompt 100 "b" #p2
`;

describe('a session with its subagents', () => {
  const [first, second] = at(420, STORY);
  test('sums over all of them; the context is its own', () => {
    expect(first).toMatchObject({
      id: 's1',
      agent: 'claude-code',
      project: 'web',
      model: 'haiku',
      calls: 2,
      tools: 4,
      failures: 1,
      tokens: 1226,
      context: 215,
      subagents: 1,
      doing: 'tool',
    });
    expect(first?.running.map(({ tool }) => tool)).toEqual(['Task', 'Grep']);
    expect(first?.byTool.find(({ tool }) => tool === 'Bash')).toEqual({ tool: 'Bash', calls: 1, failed: 1 });
    expect(first?.byModel.map(({ model, calls, tokens }) => [model, calls, tokens])).toEqual([
      ['haiku', 1, 1004],
      ['opus', 1, 222],
    ]);
  });

  test('tokens a minute are those of the last five', () => {
    expect(first?.tokensPerMinute).toBe(Math.round(1004 / 5));
    expect(at(9000, STORY)[0]?.tokensPerMinute).toBe(0);
  });

  test('the one that was heard of last comes first', () => {
    expect([first?.id, second?.id, second?.agent]).toEqual(['s1', 's3', 'codex']);
  });
});

test('nothing gives nothing', () => expect(at(0, '')).toEqual([]));
