import { describe, expect, test } from 'vitest';
import { NO_ROW } from '../../src/trace/kinds.ts';
import { Trace } from '../../src/trace/trace.ts';
import { drawn, foldBy } from '../support/folding.ts';
import { operationsOf } from '../support/operations.ts';

const traceOf = (text: string) => new Trace(operationsOf(text));

describe('the global dedupe', () => {
  test('counts a call once when a resumed file repeats it, at its earliest time', () => {
    const trace = traceOf(`
      session new at=0
        call 100-101 opus in=10 out=5 #m1
      session old at=1
        call 0-1 opus in=10 out=5 #m1
    `);
    expect(drawn(foldBy(trace, ['session', 'model', 'token'], 'tokens'))).toEqual([
      'session:old;model:opus;token:input 10',
      'session:old;model:opus;token:output 5',
    ]);
  });

  test('keeps the largest output of the copies, because a killed original lacks the final usage', () => {
    const trace = traceOf(`
      session a at=0
        call 0-1 opus in=10 out=1 lowerBound #m1
      session b at=1
        call 0-2 opus in=10 out=40 #m1
    `);
    expect(drawn(foldBy(trace, ['model', 'token'], 'tokens'))).toEqual([
      'model:opus;token:input 10',
      'model:opus;token:output 40',
    ]);
  });

  test('never merges equal ids of two agents or of two kinds', () => {
    const trace = traceOf(`
      session a agent=codex
        call 0-1 m in=1 #x
      session a agent=claude-code
        call 0-1 m in=1 #x
        tool 1-2 Bash #x
    `);
    expect(drawn(foldBy(trace, ['agent']))).toEqual(['agent:claude-code 2', 'agent:codex 1']);
  });

  test('gives a tool whose call is a copy to the call that survives', () => {
    const trace = traceOf(`
      session fork at=0
        call 5-6 opus in=1 #m1
        tool 6-7 Bash #t2
      session main at=1
        call 0-1 opus in=1 #m1
        tool 1-2 Bash #t1
    `);
    expect(trace.ops.parentOf(1)).toBe(2);
    expect(drawn(foldBy(trace, ['session', 'model', 'tool']))).toContain('session:fork;model:opus;tool:Bash 1');
  });

  test('a replayed row never wins over a true one, whatever its time says', () => {
    const trace = traceOf(`
      session child at=0
        call 0-0 gpt in=7 replayed #x
      session parent at=1
        call 50-51 gpt in=7 #x
    `);
    expect(drawn(foldBy(trace, ['session'], 'input_tokens'))).toEqual(['session:parent 7']);
  });
});

describe('subagents', () => {
  const main = `
    session main
      prompt 0 "look around" #p
      call 0-2 opus in=1 #m1
      tool 2-9 Task spawned=a1 task=look #t1
  `;
  test.each([
    ['the id of the tool call', 'spawn=t1'],
    ['the id that the result told', ''],
  ])('stand under the call that spawned them, linked by %s', (_, how) => {
    const trace = traceOf(`${main}
      session a1 parent=main sub=Explore ${how}
        call 3-8 haiku in=5 #m2
    `);
    expect(drawn(foldBy(trace, ['agent', 'prompt', 'call', 'model', 'token'], 'tokens'))).toContain(
      'agent:claude-code;prompt:none;tool:Task;subagent:Explore;model:haiku;token:input 5',
    );
    expect(trace.links.prompt[3]).toBe(0);
  });

  test('are linked by the prompt they were given when nothing else tells', () => {
    const trace = traceOf(`${main}
      session zz parent=main task=look
        call 3-8 haiku in=5 #m2
    `);
    expect(trace.links.spawn[1]).toBe(2);
  });

  test('without any link stay under their parent session and the turn open at their start', () => {
    const trace = traceOf(`
      session main
        prompt 0 "first" #p1
        call 0-2 opus in=1 #m1
        prompt 100 "second" #p2
        call 100-102 opus in=1 #m3
      session lost parent=main
        call 101-105 haiku in=5 #m2
    `);
    expect(trace.links.spawn[1]).toBe(NO_ROW);
    expect(trace.links.prompt[4]).toBe(2);
  });

  test('whose parent is gone are counted, not lost', () => {
    const trace = traceOf(`
      session lost parent=gone
        call 101-105 haiku in=5 #m2
    `);
    expect(trace.links.orphans).toBe(1);
    expect(drawn(foldBy(trace, ['model'], 'input_tokens'))).toEqual(['model:haiku 5']);
  });

  test('nest to any depth, and a cycle of parents ends', () => {
    const trace = traceOf(`${main}
      session a1 parent=main
        call 3-4 haiku in=1 #m2
        tool 4-8 Task spawned=a2 #t2
      session a2 parent=a1
        call 5-7 haiku in=1 #m3
      session x parent=y
        call 5-7 haiku in=1 #m4
      session y parent=x
        call 5-7 haiku in=1 #m5
    `);
    expect(drawn(foldBy(trace, ['tool', 'model'], 'input_tokens'))).toEqual([
      'model:haiku 2',
      'model:opus 1',
      'tool:Task;subagent:subagent;model:haiku 1',
      'tool:Task;subagent:subagent;tool:Task;subagent:subagent;model:haiku 1',
    ]);
  });
});

test('machine-made turns open their own turn and are not what the person asked before', () => {
  const trace = traceOf(`
    session s
      prompt 0 "do it" #p
      call 0-1 opus in=1 #a
      event 5 notification opens
      call 5-6 opus in=1 #b
  `);
  expect([...trace.links.turn]).toEqual([0, 0, 2, 2]);
});
