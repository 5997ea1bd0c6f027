import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, describe, expect, it } from 'vitest';
import { callsText } from '../../src/recorder/call-report.ts';
import { type CallTime, toolTimes } from '../../src/recorder/call-times.ts';
import type { RecordedEvent } from '../../src/recorder/events.ts';
import { HostWaits } from '../../src/recorder/host-waits.ts';
import type { RecordingLedger } from '../../src/recorder/ledger.ts';
import { bash, environment, file, play, stageIn } from './agent/play.ts';
import { liveRecorder, unusable } from './live.ts';

const S = 1e9;
const call = (tool: string, seconds: number | undefined, more: Partial<CallTime> = {}): CallTime => ({
  row: 0,
  tool,
  command: '',
  status: seconds === undefined ? 'unanswered' : 'ok',
  ...(seconds !== undefined && { wall_ns: seconds * S }),
  attached: true,
  hosts: [],
  processes: 1,
  outlives: false,
  ...more,
});
const split = (tool: string, seconds: number, cpu: number): CallTime =>
  call(tool, seconds, { cpu_ns: cpu * S, waiting_ns: Math.max(0, seconds - cpu) * S });

describe('tools of a recording', () => {
  it('have mean, p95 by nearest rank and failures of the answered calls, the longest first', () => {
    const calls = [
      ...Array.from({ length: 19 }, () => call('Read', 1)),
      call('Read', 11, { status: 'error' }),
      call('Read', undefined),
      call('Bash', 100),
    ];
    expect(toolTimes(calls)).toMatchObject([
      { tool: 'Bash', calls: 1, mean_ns: 100 * S, p95_ns: 100 * S, failed: 0 },
      { tool: 'Read', calls: 21, answered: 20, mean_ns: 1.5 * S, p95_ns: S, failed: 1 },
    ]);
  });

  it('have a share of waiting only of calls of which it was measured', () => {
    const [bash, read] = toolTimes([split('Bash', 3, 1), split('Bash', 1, 4), call('Bash', 50), call('Read', 1)]);
    expect(bash).toMatchObject({ split: 2, waiting_share: 0.5 });
    expect(read).not.toHaveProperty('waiting_share');
  });
});

describe('where the time of a slow call went', () => {
  const ledger = { sessions: 1, calls: { in_time: 1, attached: 1 } } as unknown as RecordingLedger;
  const lineOf = (of: CallTime): string => {
    const lines = callsText({ calls: [of], tools: [], models: [], ledger, programs: [] }, text => text);
    return lines[lines.indexOf('slowest tool calls') + 1]!.trim();
  };
  it.each<[string, CallTime, string]>([
    [
      'CPU, waiting and the host it waited for',
      { ...split('Bash', 2, 0.5), hosts: [{ host: 'db:5432', waited_ns: 1.2 * S }] },
      '2.00 s  Bash: CPU 500 ms, waiting 1.50 s; for answers of db:5432 1.20 s',
    ],
    [
      'more CPU than time, of processes side by side',
      split('Bash', 2, 6),
      '2.00 s  Bash: CPU 6.00 s of several processes at once, waiting 0 ms',
    ],
    [
      'before its first program',
      { ...split('Bash', 9, 1), before_ns: 7 * S },
      '9.00 s  Bash: CPU 1.00 s, waiting 8.00 s; its first program began after 7.00 s',
    ],
    [
      'not known, with the reason',
      call('Bash', 1, { attached: false, reason: 'twins' }),
      '1.00 s  Bash: not measured (the same command ran twice at the same time)',
    ],
    [
      'a child that went on',
      call('Bash', 1, { outlives: true }),
      '1.00 s  Bash: CPU and waiting not told apart, a process went on after it',
    ],
    ['the agent itself', call('Read', 1, { processes: 0 }), '1.00 s  Read: inside the agent'],
    [
      'names that would act on a terminal',
      call('Ba\u001b[2Jsh', 1, { command: 'x\ny' }),
      '1.00 s  Ba\\x1b[2Jsh x\\ny: CPU and waiting not told apart',
    ],
  ])('%s', (_, of, expected) => {
    expect(lineOf(of)).toBe(expected);
  });

  it('is added up by host, and time that two connections claim counts once', () => {
    const waits = new HostWaits();
    const exchange = (addr: string, blocked_ns: number, more = {}): RecordedEvent =>
      ({ type: 'net.exchange', pid: 2, start_ns: 2, family: 'inet', addr, port: 443, blocked_ns, ...more }) as never;
    for (const event of [
      { type: 'net.name', name: 'registry.example', addr: ['10.0.0.1'] } as never,
      exchange('10.0.0.1', 5),
      exchange('10.0.0.2', 7),
      exchange('10.0.0.1', 4),
      exchange('10.0.0.2', 9, { shared: true }),
      exchange('10.0.0.3', 1, { pid: 3 }),
    ])
      waits.take(event);
    expect(waits.of(['2:2'])).toEqual([
      { host: 'registry.example:443', waited_ns: 9 },
      { host: '10.0.0.2:443', waited_ns: 7 },
    ]);
  });
});

const live = liveRecorder();
afterAll(() => live.remove());
const reason = unusable('bpf') === undefined ? undefined : unusable('strace');

it.skipIf(reason !== undefined)('the report tells the tool calls of a recorded agent, and what belongs to none', () => {
  const engine = unusable('bpf') === undefined ? 'bpf' : 'strace';
  const stage = stageIn(live.dir, 'report');
  play(
    stage,
    {
      files: { 'a.txt': 'x' },
      turns: [
        [bash('sleep 0.3')],
        [bash('cat missing.txt')],
        [file('Read', '@/a.txt')],
        [bash('cat a.txt'), bash('cat a.txt')],
      ],
      pause: 600,
    },
    engine,
    live.program,
  );
  const report = (...args: string[]): string => {
    const { stdout, status } = live.run(['report', ...args], stage.project, environment(stage));
    expect(status).toBe(0);
    return stdout;
  };
  const { histories } = JSON.parse(report('--json'));
  expect(histories).toMatchObject({ sessions: 1, models: [{ model: 'claude-sonnet-4-5', calls: 5, total: 75 }] });
  const tools = Object.fromEntries(histories.tools.map((tool: { tool: string }) => [tool.tool, tool]));
  expect(tools.Bash).toMatchObject({ calls: 4, answered: 4, failed: 1, split: engine === 'bpf' ? 2 : 0 });
  expect(tools.Read).toMatchObject({ calls: 1, failed: 0, split: 0 });
  if (engine === 'bpf') expect(tools.Bash.waiting_share).toBeGreaterThan(0);
  expect(histories.slowest_calls).toHaveLength(5);
  expect(histories.not_attached.calls.map((each: { reason: string }) => each.reason)).toEqual(['twins', 'twins']);
  expect(new Set(histories.not_attached.programs.map((each: { reason: string }) => each.reason))).toEqual(
    new Set(['twins']),
  );
  const words = report();
  expect(words).toContain('slowest tool calls');
  expect(words).toContain('tool calls not attached: 2\n  Bash cat: the same command ran twice at the same time\n');
  expect(JSON.parse(report('--json', '--no-histories')).histories).toBeNull();
});

it.skipIf(reason !== undefined)('with --io a slow call names the host that it waited for', async () => {
  const engine = unusable('bpf') === undefined ? 'bpf' : 'strace';
  const stage = stageIn(live.dir, 'io');
  // A process of its own, for this one stands still while the recorder runs.
  const server = spawn(
    process.execPath,
    [
      '-e',
      'const s = require("node:net").createServer(c => c.once("data", () => setTimeout(() => c.end("late"), 1500))).listen(0, "127.0.0.1", () => console.log(s.address().port));',
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  try {
    const port = Number(String((await once(server.stdout, 'data'))[0]));
    const ask = `node -e 'const c = require("node:net").connect(${port}, "127.0.0.1", () => c.write("?")); c.resume()'`;
    play(stage, { turns: [[bash(ask)]] }, engine, live.program, ['--io']);
    const { stdout } = live.run(['report', '--json'], stage.project, environment(stage));
    const [slowest] = JSON.parse(stdout).histories.slowest_calls;
    expect(slowest.hosts).toHaveLength(1);
    expect(slowest.hosts[0].host).toBe(`127.0.0.1:${port}`);
    expect(slowest.hosts[0].waited_ns).toBeGreaterThan(0);
    expect(slowest.hosts[0].waited_ns).toBeLessThanOrEqual(slowest.wall_ns);
  } finally {
    server.kill();
  }
});
