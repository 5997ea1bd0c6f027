import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NetExchange, NetIo, RecordedEvent } from '../../src/recorder/events.ts';
import { IoMeter, type SocketCall } from '../../src/recorder/io-meter.ts';
import { addIo, ioText, noIo, spreadOf } from '../../src/recorder/io-summary.ts';

interface Step {
  thread: number;
  /** A call on a socket, or a wait (epoll) on none. */
  op: SocketCall['op'] | 'wait' | 'hello' | 'exit';
  conn?: string;
  bytes?: number;
  from: number;
  to: number;
  blocked?: boolean;
}

/** `1 send A 100 @2-3`: thread 1 sent 100 bytes on connection A from 2 to 3. `blocked`: it stood still meanwhile, as in a wait. */
function stepsOf(text: string): Step[] {
  return text
    .trim()
    .split('\n')
    .map(line => {
      const [, thread, op, conn, bytes, from, to, blocked] =
        /^(\d) (\w+)(?: ([A-Z]))?(?: (\d+))? @(\d+)-(\d+)( blocked)?$/.exec(line.trim())!;
      return {
        thread: Number(thread),
        op: op as Step['op'],
        ...(conn && { conn }),
        bytes: Number(bytes ?? 0),
        from: Number(from),
        to: Number(to),
        blocked: blocked !== undefined || op === 'wait',
      };
    });
}

function measured(steps: readonly Step[]) {
  const events: (NetExchange | NetIo)[] = [];
  const meter = new IoMeter(event => events.push(event as NetExchange & RecordedEvent));
  const waited = new Map<number, number>();
  for (const [at, { thread, op, conn = 'A', bytes = 0, from, to, blocked }] of steps.entries()) {
    const blocked_ns = blocked ? to - from : 0;
    const waited_ns = (waited.get(thread) ?? 0) + blocked_ns;
    waited.set(thread, waited_ns);
    const process = { pid: 1, start_ns: 1 };
    if (op === 'hello') meter.hello(conn.charCodeAt(0));
    if (op === 'exit') meter.processEnded(process, to);
    if (op === 'wait' || op === 'hello' || op === 'exit') continue;
    meter.take({
      ...process,
      ...{ op, seq: at + 1, exec_id: 1, tid: thread, conn: conn.charCodeAt(0), bytes, waited_ns, blocked_ns },
      ...{
        peer: { family: 'inet', addr: `10.0.0.${conn.charCodeAt(0)}`, port: 5432 },
        socket: 'stream',
        last: true,
      },
      ...{ from_ns: from, to_ns: to },
    });
  }
  meter.end(1000);
  return { events, waited };
}

/** One line an event; what is absent is not said. */
const told = (text: string): string[] =>
  measured(stepsOf(text)).events.map(event => {
    const name = String.fromCharCode(event.conn);
    if (event.type === 'net.exchange') {
      const { n, sent, received, asked_ns, first_ns, blocked_ns, shared, handshake } = event;
      const answer = first_ns === undefined ? ' unanswered' : ` first +${first_ns - asked_ns}`;
      const blocked = blocked_ns === undefined ? '' : ` blocked ${blocked_ns}`;
      return `${name}${n} ${sent}>${received}${answer}${blocked}${shared ? ' shared' : ''}${handshake ? ' handshake' : ''}`;
    }
    const { role, connect_ns, sent, received, exchanges, blocked_ns, shared_ns, failed, ended } = event;
    const connect = connect_ns === undefined ? '' : ` connect ${connect_ns}`;
    return `${name} ${role}${connect} ${sent}>${received} in ${exchanges} blocked ${blocked_ns} shared ${shared_ns} ${failed ? 'failed' : ended}`;
  });

describe('calls on sockets become exchanges', () => {
  it.each<[string, string, string[]]>([
    [
      'a database that answers after 120, in three parts',
      `1 stood A @0-2
       1 connect A @0-2
       1 send A 40 @3-4
       1 receive A 10 @5-124 blocked
       1 wait @125-130
       1 receive A 90 @130-131
       1 receive A 5 @131-132
       1 close A @140-140`,
      ['A1 40>105 first +120 blocked 119', 'A client connect 2 40>105 in 1 blocked 124 shared 0 closed'],
    ],
    [
      'a second question ends the first exchange, and a question may go out in pieces',
      `1 send A 1 @1-2
       1 send A 2 @2-3
       1 receive A 7 @4-5
       1 send A 3 @6-7
       1 close A @9-9`,
      ['A1 3>7 first +2 blocked 0', 'A2 3>0 unanswered', 'A client 6>7 in 2 blocked 0 shared 0 closed'],
    ],
    [
      'a server that speaks first answers the connecting',
      `1 stood A @1-5
       1 connect A @1-5
       1 receive A 9 @5-9 blocked
       1 send A 2 @9-10
       1 receive A 2 @11-12
       1 exit @20-20`,
      [
        'A1 0>9 first +4 blocked 4',
        'A2 2>2 first +2 blocked 0',
        'A client connect 4 2>11 in 2 blocked 4 shared 0 exit',
      ],
    ],
    [
      'waits of an event loop between question and answer count, whoever woke it up',
      `1 send A 1 @1-2
       1 wait @3-10
       1 wait @11-20
       1 receive A 4 @21-22
       1 close A @30-30`,
      ['A1 1>4 first +20 blocked 16', 'A client 1>4 in 1 blocked 16 shared 0 closed'],
    ],
    [
      'two answers waited for at once share their waiting, and it adds up to what was waited',
      `1 send A 1 @1-2
       1 send B 1 @2-3
       1 wait @3-13
       1 receive A 4 @14-15
       1 wait @15-25
       1 receive B 4 @25-26
       1 close A @30-30
       1 close B @31-31`,
      [
        'A1 1>4 first +13 blocked 10 shared',
        'A client 1>4 in 1 blocked 10 shared 0 closed',
        'B1 1>4 first +23 blocked 20 shared',
        'B client 1>4 in 1 blocked 20 shared 10 closed',
      ],
    ],
    [
      'an answer that another thread takes: known is only how long it stood in its own receive',
      `1 send A 1 @1-2
       1 wait @3-90
       2 receive A 4 @4-10 blocked
       1 send A 1 @91-92
       2 receive A 4 @99-100
       1 close A @101-101`,
      ['A1 1>4 first +8 blocked 6', 'A2 1>4 first +8', 'A client 2>8 in 2 blocked 6 shared 0 closed'],
    ],
    [
      'waiting for an end of file is waiting for nobody',
      `1 send A 1 @1-2
       1 receive A 4 @3-4
       1 receive A 0 @5-900 blocked
       1 close A @901-901`,
      ['A1 1>4 first +2 blocked 0', 'A client 1>4 in 1 blocked 0 shared 0 closed'],
    ],
    [
      'who accepted, or was spoken to first, is a server: no exchanges',
      `1 accept A @0-1
       1 receive A 5 @1-2
       1 send A 50 @3-4
       1 receive B 1 @5-6
       1 close A @7-7`,
      ['A server 50>5 in 0 blocked 0 shared 0 closed', 'B server 0>1 in 0 blocked 0 shared 0 recording'],
    ],
    [
      'the greeting of TLS is no question to the service',
      `1 hello A @1-1
       1 connect A @0-1
       1 hello A @1-1
       1 send A 300 @1-2
       1 receive A 900 @3-4
       1 send A 80 @5-6
       1 receive A 20 @30-31
       1 close A @32-32`,
      [
        'A1 300>900 first +2 blocked 0 handshake',
        'A2 80>20 first +25 blocked 0',
        'A client 380>920 in 2 blocked 0 shared 0 closed',
      ],
    ],
    [
      'connecting in the background may fail; at once it is the call that says so',
      `1 connect A @0-1
       1 failed A @0-50
       1 failed B @0-1`,
      ['A client 0>0 in 0 blocked 0 shared 0 failed'],
    ],
  ])('%s', (_, text, expected) => {
    expect(told(text)).toEqual(expected);
  });

  it('loses no byte, claims no more waiting than there was, and gives no number twice', () => {
    const step = fc.record({
      thread: fc.integer({ min: 1, max: 2 }),
      op: fc.constantFrom<Step['op']>('send', 'receive', 'wait', 'wait', 'close', 'connect', 'exit'),
      conn: fc.constantFrom('A', 'B', 'C'),
      bytes: fc.integer({ min: 1, max: 9 }),
      took: fc.integer({ min: 0, max: 9 }),
      blocks: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), drawn => {
        let clock = 0;
        const steps = drawn.map(({ took, blocks, ...rest }): Step => {
          const from = ++clock;
          clock += took;
          return { ...rest, from, to: clock, blocked: rest.op === 'wait' || (blocks && rest.op === 'receive') };
        });
        const { events, waited } = measured(steps);
        const ios = events.filter(event => event.type === 'net.io');
        const exchanges = events.filter(event => event.type === 'net.exchange');
        const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);
        const carried = (op: Step['op']): number =>
          sum(steps.filter(each => each.op === op).map(each => each.bytes ?? 0));
        expect([sum(ios.map(io => io.sent)), sum(ios.map(io => io.received))]).toEqual([
          carried('send'),
          carried('receive'),
        ]);
        expect(sum(ios.map(io => io.blocked_ns - io.shared_ns))).toBeLessThanOrEqual(sum([...waited.values()]));
        const clients = ios.filter(io => io.role === 'client');
        expect(sum(exchanges.map(each => each.sent))).toBe(sum(clients.map(io => io.sent)));
        for (const { asked_ns, first_ns, blocked_ns = 0 } of exchanges)
          expect(blocked_ns).toBeLessThanOrEqual((first_ns ?? asked_ns) - asked_ns);
        const numbers = events.map(event => event.seq).filter(seq => seq > 0);
        expect(new Set(numbers).size).toBe(numbers.length);
      }),
    );
  });
});

describe('an address in the report', () => {
  it('says how long answers took, in the middle and at most, and how much waiting others claim too', () => {
    const io = noIo();
    const { events } = measured(
      stepsOf(`1 send A 40 @0-1000000
        1 receive A 10 @1000000-121000000 blocked
        1 send A 400 @122000000-122000000
        1 receive A 4000000 @122000000-129000000 blocked
        1 send A 1 @130000000-130000000`),
    );
    for (const event of events) addIo(io, event);
    expect(ioText(io)).toBe(
      '2 exchanges, 1 unanswered, sent 441 B, received 4.0 MB, first byte after 7.0 ms (most 120.0 ms), waited 127.0 ms',
    );
    expect(spreadOf([3, 1, 2])).toEqual({ median: 2, max: 3 });
    expect(spreadOf([])).toBeUndefined();
  });
});
