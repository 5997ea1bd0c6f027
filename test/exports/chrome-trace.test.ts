import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ChromeEvent, chromeTrace } from '../../src/exports/chrome-trace.ts';
import { timelinesOf } from '../../src/profile/timelines.ts';
import { Flag } from '../../src/trace/flags.ts';
import { Kind } from '../../src/trace/kinds.ts';
import { activeEnd } from '../../src/trace/time.ts';
import type { Trace } from '../../src/trace/trace.ts';
import { allRows } from '../support/folding.ts';
import { histories, tracedOf } from '../support/histories.ts';
import { EPOCH } from '../support/operations.ts';

const plain = (_: string, value: string) => value;
const eventsOf = (trace: Trace) => chromeTrace(timelinesOf(trace, allRows(trace), plain)).traceEvents;
const complete = (events: readonly ChromeEvent[]) => events.filter(event => event.ph === 'X');

/** `thread: name from-to` in seconds, in the order of the file. */
function said(events: readonly ChromeEvent[]): string[] {
  const threads = new Map(
    events.filter(event => event.name === 'thread_name').map(event => [event.tid, event.args.name]),
  );
  return complete(events).map(({ tid, name, ts, dur }) => {
    const from = ((ts as number) - EPOCH) / 1e6;
    return `${threads.get(tid)} ${tid}: ${name} ${from}-${from + (dur as number) / 1e6}`;
  });
}

describe('a session as a Chrome trace', () => {
  test('turns hold calls and tool calls, parallel tool calls have threads of their own, a subagent its own', () => {
    const trace = tracedOf(`
      session s1 agent=claude-code project=shop
        prompt 0 "fix it" #p1
        call   0-30 opus in=10 out=3 #c1
        tool   30-60 Bash status=error #t1
        tool   40-80 Read #t2
        tool   80-200 Task spawned=s2 #t3
      session s2 agent=claude-code project=shop parent=s1 sub=Explore
        call   90-110 haiku in=5 out=7 #c2
        tool   110-120 Grep #t4`);
    expect(said(eventsOf(trace))).toEqual([
      'session 1: none 0-200',
      'session 1: call 0-30',
      'session 1: Bash 30-60',
      'session 2: Read 40-80',
      'session 1: Task 80-200',
      'subagent Explore 3: Explore 90-120',
      'subagent Explore 3: call 90-110',
      'subagent Explore 3: Grep 110-120',
    ]);
  });

  test('an event says model, tokens, status and where its record is', () => {
    const trace = tracedOf('session s1\n call 0-3 opus in=10 out=2 #c1\n tool 3-4 Bash status=error #t1');
    const [call, tool] = complete(eventsOf(trace));
    expect(call?.args).toMatchObject({ session: 's1', model: 'opus', tokens: 12, file: 0 });
    expect(tool?.args).toMatchObject({ status: 'error' });
  });

  test('every call and tool call with a time is one event with its own duration, whatever the history', () => {
    fc.assert(
      fc.property(histories, text => {
        const trace = tracedOf(text);
        const { ops } = trace;
        const wanted: number[] = [];
        for (let row = 0; row < ops.length; row++) {
          const kind = ops.kind.get(row);
          if ((kind === Kind.call || kind === Kind.tool) && ops.start.get(row) > 0 && !ops.has(row, Flag.copy))
            wanted.push(Math.max(activeEnd(ops, row) - ops.start.get(row), 0));
        }
        const got = complete(eventsOf(trace))
          .filter(event => event.cat === 'call' || event.cat === 'tool')
          .map(event => event.dur as number);
        expect(got.sort((a, b) => a - b)).toEqual(wanted.sort((a, b) => a - b));
      }),
    );
  });

  test('two events of a thread are apart, or one is inside the other, whatever the history', () => {
    fc.assert(
      fc.property(histories, text => {
        const byThread = new Map<string, ChromeEvent[]>();
        for (const event of complete(eventsOf(tracedOf(text)))) {
          const thread = `${event.pid} ${event.tid}`;
          byThread.set(thread, [...(byThread.get(thread) ?? []), event]);
        }
        for (const events of byThread.values())
          for (const a of events)
            for (const b of events) {
              const [from, to] = [a.ts as number, (a.ts as number) + (a.dur as number)];
              const [other, end] = [b.ts as number, (b.ts as number) + (b.dur as number)];
              expect(end <= from || to <= other || (from <= other && end <= to) || (other <= from && to <= end)).toBe(
                true,
              );
            }
      }),
    );
  });
});
