import { describe, expect, test } from 'vitest';
import { joinLabels, parseLabels } from '../../src/trace/labels.ts';
import { Trace } from '../../src/trace/trace.ts';
import { drawn, foldBy } from '../support/folding.ts';
import { operationsOf } from '../support/operations.ts';

const facts = [
  { session: 's1', field: 'outcome', value: 'failed' },
  { session: 's2', field: 'outcome', value: 'a, "quoted" one' },
];

describe('labels from outside', () => {
  test.each([
    ['CSV', 'session,field,value\ns1,outcome,failed\ns2,outcome,"a, ""quoted"" one"\n'],
    [
      'CSV with other columns, CRLF and a byte order mark',
      '\uFEFFnote,value,session,field\r\n,failed,s1,outcome\r\nx,"a, ""quoted"" one",s2,outcome',
    ],
    [
      'JSONL',
      '{"session":"s1","field":"outcome","value":"failed"}\n\n{"session":"s2","field":"outcome","value":"a, \\"quoted\\" one"}',
    ],
  ])('are read from %s', (_, text) => expect(parseLabels(text, 'x')).toEqual(facts));

  test.each([
    ['session,value\ns1,x', /^--labels: f.csv:1: the header must name session, field and value/],
    ['session,field,value\ns1,outcome', /^--labels: f.csv:2: wants a session/],
    ['session,field,value\ns1,a b,x', /f.csv:2/],
    ['{"session":"s1"}', /f.csv:1/],
    ['{"session":', /f.csv:1: this line is not JSON/],
  ])('that cannot be used are refused with file and line: %j', (text, message) => {
    expect(() => parseLabels(text, 'f.csv')).toThrow(message);
  });

  test('that another flag or command named are refused in its name', () => {
    const bad = ['session,value\ns1,x', 'session,field,value\ns1,outcome', '{"session":'];
    for (const text of bad) expect(() => parseLabels(text, 'f.csv', 'cluster map')).toThrow(/^cluster map: f.csv:\d: /);
  });

  test('become frames of a session and of its subagents', () => {
    const ops = operationsOf(`
      session s1
        call 0-1 opus in=5 #a
        tool 1-2 Task #t
      session sub parent=s1 spawn=t
        call 1-2 opus in=7 #b
      session s3
        call 0-1 opus in=11 #c
    `);
    expect(
      joinLabels(
        ops.sessions,
        [facts[0]!, { session: 'nobody', field: 'outcome', value: 'x' }],
        (selector, id) => selector === id,
      ),
    ).toEqual(['nobody']);
    expect(drawn(foldBy(new Trace(ops), ['outcome'], 'input_tokens'))).toEqual([' 11', 'outcome:failed 12']);
  });
});
