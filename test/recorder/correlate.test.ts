import { describe, expect, it } from 'vitest';
import { correlate } from '../../src/recorder/correlate.ts';
import type { RecordedEvent } from '../../src/recorder/events.ts';
import type { RecordedCall } from '../../src/recorder/links.ts';

const MS = 1e6;
let seq = 0;
const doer = (pid: number, ms: number, exec_id = 1) => ({ seq: ++seq, t_ns: ms * MS, pid, start_ns: pid, exec_id });
const fork = (parent: number, child: number, ms: number): RecordedEvent => ({
  type: 'proc.fork',
  ...doer(parent, ms),
  child_pid: child,
  child_start_ns: child,
});
const exec = (pid: number, ms: number, argv: string[], more: { cwd?: string; cut?: boolean } = {}): RecordedEvent => ({
  type: 'proc.exec',
  ...doer(pid, ms),
  exe: `/usr/bin/${argv[0]}`,
  argv,
  cwd: more.cwd ?? '/w',
  argv_source: 'bpf',
  ...(more.cut && { argv_truncated: true }),
});
const exit = (pid: number, ms: number): RecordedEvent => ({
  type: 'proc.exit',
  ...doer(pid, ms),
  code: 0,
  signal: 0,
  cpu_ns: MS,
});
const open = (pid: number, ms: number, path: string, access: 'r' | 'w' = 'r'): RecordedEvent => ({
  type: 'file.open',
  ...doer(pid, ms),
  path,
  path_state: 'kernel',
  access,
  creat: false,
  trunc: false,
  ret: 3,
});
/** The agent is process 1; `sh(pid, ms, text)` is a shell it starts, gone 10 ms later unless told. */
const agent = exec(1, 0, ['claude']);
const sh = (pid: number, ms: number, text: string, ends = ms + 10): RecordedEvent[] => [
  fork(1, pid, ms),
  exec(pid, ms, ['bash', '-c', text]),
  exit(pid, ends),
];
const call = (
  id: string,
  from: number,
  to: number | undefined,
  command: string,
  more: Partial<RecordedCall> = {},
): RecordedCall => ({
  id,
  start_ns: from * MS,
  ...(to !== undefined && { end_ns: to * MS }),
  command,
  ...more,
});
const shown = (events: RecordedEvent[], calls: RecordedCall[], options = {}): string[] => {
  const { links, unattached } = correlate(events, calls, options);
  return [
    ...links.map(
      link =>
        `${link.call} = ${link.process ?? `events ${link.events.length}`} by ${link.method}, ${link.confidence}${link.outlives_call ? ', outlives' : ''}`,
    ),
    ...unattached.map(
      each => `${each.call} ? ${each.reason}${each.candidates.length > 0 ? ` [${each.candidates.join(' ')}]` : ''}`,
    ),
  ].sort();
};

describe('a recorded process finds its tool call', () => {
  it.each<[string, RecordedEvent[], RecordedCall[], string[]]>([
    [
      'when an argument is the command',
      [agent, ...sh(2, 100, 'npm test')],
      [call('a', 90, 200, 'npm test')],
      ['a = 2:2 by command, exact'],
    ],
    [
      'through the wrapper of a snapshot, eval and pwd',
      [agent, ...sh(2, 100, "source /s.sh && eval 'echo '\\''hi there'\\''' \\< /dev/null && pwd -P >| /tmp/x")],
      [call('a', 90, 200, "echo 'hi there'")],
      ['a = 2:2 by command, exact'],
    ],
    [
      'inside a longer script, between word ends',
      [agent, ...sh(2, 100, 'cd /x && make all; true')],
      [call('a', 90, 200, 'make all')],
      ['a = 2:2 by command, contained'],
    ],
    ['but not as part of a word', [agent, ...sh(2, 100, 'false')], [call('a', 90, 200, 'al')], ['a ? no process']],
    ['never by time alone', [agent, ...sh(2, 100, 'make')], [call('a', 90, 200, 'npm test')], ['a ? no process']],
    ['never by text alone', [agent, ...sh(2, 5000, 'make')], [call('a', 90, 200, 'make')], ['a ? no process']],
    [
      'by its beginning where the argument was cut, from 64 characters on',
      [agent, fork(1, 2, 100), exec(2, 100, ['bash', '-c', `eval ${'x'.repeat(70)}`], { cut: true })],
      [call('a', 90, 200, 'x'.repeat(500))],
      ['a = 2:2 by command, prefix, outlives'],
    ],
    [
      'and a shorter cut proves nothing',
      [agent, fork(1, 2, 100), exec(2, 100, ['bash', '-c', 'x'.repeat(63)], { cut: true })],
      [call('a', 90, 200, 'x'.repeat(500))],
      ['a ? no process'],
    ],
    [
      'twins that run at the same time stay unattached, with both candidates',
      [agent, ...sh(2, 100, 'make'), ...sh(3, 101, 'make')],
      [call('a', 90, 200, 'make'), call('b', 91, 200, 'make')],
      ['a ? twins [2:2 3:3]', 'b ? twins [2:2 3:3]'],
    ],
    [
      'twins in two folders are told apart by the folder',
      [
        agent,
        fork(1, 2, 100),
        exec(2, 100, ['bash', '-c', 'make'], { cwd: '/p' }),
        exit(2, 110),
        fork(1, 3, 101),
        exec(3, 101, ['bash', '-c', 'make'], { cwd: '/q' }),
        exit(3, 111),
      ],
      [call('a', 90, 200, 'make', { cwd: '/q' }), call('b', 91, 200, 'make', { cwd: '/p' })],
      ['a = 3:3 by command, exact', 'b = 2:2 by command, exact'],
    ],
    [
      'the same command one after the other links in order',
      [agent, ...sh(2, 100, 'make'), ...sh(3, 220, 'make')],
      [call('a', 90, 200, 'make'), call('b', 210, 300, 'make')],
      ['a = 2:2 by order, exact', 'b = 3:3 by order, exact'],
    ],
    [
      'a process that nobody asked for twice leaves its call open: nearest never wins',
      [agent, ...sh(2, 100, 'make'), ...sh(3, 150, 'make')],
      [call('a', 90, 200, 'make')],
      ['a ? ambiguous [2:2 3:3]'],
    ],
    [
      'a child in the background belongs to the call that began it, and outlives it',
      [
        agent,
        fork(1, 2, 100),
        exec(2, 100, ['bash', '-c', 'serve &']),
        fork(2, 3, 105),
        exec(3, 106, ['serve']),
        exit(2, 110),
        exit(3, 9000),
      ],
      [call('a', 90, 200, 'serve &'), call('b', 5000, 6000, 'ls')],
      ['a = 2:2 by command, exact, outlives', 'b ? no process'],
    ],
    [
      'a persistent shell: by the window, where one call alone was open',
      [agent, fork(1, 2, 10), exec(2, 10, ['bash', '-i']), fork(2, 3, 100), exec(3, 101, ['make']), exit(3, 150)],
      [call('a', 90, 200, 'make')],
      ['a = 3:3 by window, window'],
    ],
    [
      'a persistent shell with two calls open stays unattached',
      [agent, fork(1, 2, 10), exec(2, 10, ['bash', '-i']), fork(2, 3, 100), exec(3, 101, ['make']), exit(3, 150)],
      [call('a', 90, 200, 'make'), call('b', 120, 300, 'ls')],
      ['a ? no process', 'b ? no process'],
    ],
    [
      'a descendant is never a candidate of its own',
      [
        agent,
        fork(1, 2, 100),
        exec(2, 100, ['bash', '-c', './all.sh']),
        fork(2, 3, 110),
        exec(3, 110, ['bash', '-c', 'make']),
        exit(3, 120),
        exit(2, 130),
      ],
      [call('a', 90, 200, './all.sh'), call('b', 95, 200, 'make')],
      ['a = 2:2 by command, exact', 'b ? no process'],
    ],
    [
      'a call without an answer is open to the end',
      [agent, ...sh(2, 5000, 'make')],
      [call('a', 90, undefined, 'make')],
      ['a = 2:2 by command, exact'],
    ],
  ])('%s', (_, events, calls, expected) => {
    expect(shown(events, calls)).toEqual(expected);
  });

  it('links files the agent opens itself by path and time, and leaves two readers of one path apart', () => {
    const events = [agent, open(1, 100, '/w/a'), open(1, 101, '/w/b', 'w'), open(1, 102, '/w/c')];
    const calls: RecordedCall[] = [
      { id: 'read', start_ns: 90 * MS, end_ns: 120 * MS, path: '/w/a', access: 'r' },
      { id: 'edit', start_ns: 90 * MS, end_ns: 120 * MS, path: '/w/b', access: 'w' },
      { id: 'one', start_ns: 90 * MS, end_ns: 120 * MS, path: '/w/c', access: 'r' },
      { id: 'two', start_ns: 90 * MS, end_ns: 120 * MS, path: '/w/c', access: 'r' },
    ];
    expect(shown(events, calls)).toEqual([
      'edit = events 1 by path, exact',
      'one ? ambiguous [one two]',
      'read = events 1 by path, exact',
      'two ? ambiguous [one two]',
    ]);
  });

  it('gives children of an MCP server to a call only where no other call to that server was open', () => {
    const events = [
      agent,
      fork(1, 2, 1),
      exec(2, 1, ['server']),
      fork(2, 3, 100),
      exec(3, 100, ['curl']),
      exit(3, 110),
    ];
    const one = { id: 'a', start_ns: 90 * MS, end_ns: 200 * MS, server: 'db' };
    const servers = new Map([['db', '2:2']]);
    expect(shown(events, [one], { servers })).toEqual(['a = 3:3 by server, window']);
    expect(shown(events, [one, { ...one, id: 'b' }], { servers })).toEqual(['a ? no process', 'b ? no process']);
  });

  it('says incomplete where a gap lies in the call, and not where it lies elsewhere', () => {
    const gap = (from: number, to: number): RecordedEvent => ({
      type: 'gap',
      seq: 0,
      t_ns: to * MS,
      reason: 'lost',
      count: 5,
      from_ns: from * MS,
      to_ns: to * MS,
    });
    const events = [agent, ...sh(2, 100, 'make')];
    expect(shown([...events, gap(150, 160)], [call('a', 90, 200, 'make')])).toEqual(['a = 2:2 by command, incomplete']);
    expect(shown([...events, gap(300, 310)], [call('a', 90, 200, 'make')])).toEqual(['a = 2:2 by command, exact']);
  });

  it('carries processor time of the whole tree and flags work handed to a daemon', () => {
    const events = [
      agent,
      fork(1, 2, 100),
      exec(2, 100, ['bash', '-c', 'docker ps']),
      fork(2, 3, 101),
      exec(3, 101, ['docker', 'ps']),
      exit(3, 102),
      exit(2, 103),
    ];
    const [link] = correlate(events, [call('a', 90, 200, 'docker ps')]).links;
    expect(link).toMatchObject({ cpu_ns: 2 * MS, outside_recording: true, processes: ['2:2', '3:3'], delta_ms: 10 });
  });
});
