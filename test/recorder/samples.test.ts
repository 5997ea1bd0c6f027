import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../src/recorder/events.ts';
import { type Usage, usageOf } from '../../src/recorder/proc-sample.ts';
import { Sampler } from '../../src/recorder/sampler.ts';
import { liveRecorder, readBack, unusable } from './live.ts';

const stat = (name: string, user: number, system: number, start: number): string =>
  `42 (${name}) S 1 42 42 0 -1 4194560 100 0 0 0 ${user} ${system} 7 7 20 0 1 0 ${start} 1000 20 18446744073709551615 1`;
const status = (rss: string): string => `Name:\tx\nVmPeak:\t    9000 kB\nVmHWM:\t    2000 kB\n${rss}VmData:\t 1 kB\n`;

describe('what /proc tells of a process', () => {
  it.each<[string, string, string, Usage | undefined]>([
    [
      'is CPU time in ticks of 10 ms and memory in kB',
      stat('bash', 3, 4, 99),
      status('VmRSS:\t    1500 kB\n'),
      { cpu_ns: 70_000_000, rss_kb: 1500, peak_rss_kb: 2000, start_ticks: 99 },
    ],
    [
      'is read behind a name that looks like fields',
      stat(') R 1 2 3) (', 1, 0, 5),
      status('VmRSS:\t 5 kB\n'),
      { cpu_ns: 10_000_000, rss_kb: 5, peak_rss_kb: 2000, start_ticks: 5 },
    ],
    [
      'never has a peak below what is there now',
      stat('a', 0, 0, 1),
      status('VmRSS:\t 2100 kB\n'),
      { cpu_ns: 0, rss_kb: 2100, peak_rss_kb: 2100, start_ticks: 1 },
    ],
    ['is nothing for a zombie, which has no memory', stat('a', 0, 0, 1), status(''), undefined],
    ['is nothing when the text was cut', '42 (bash) S 1 42', status('VmRSS:\t 5 kB\n'), undefined],
    ['is nothing when there is no text', '', '', undefined],
  ])('%s', (_, a, b, expected) => {
    expect(usageOf(a, b)).toEqual(expected);
  });

  it('is what was written, whatever the name', () => {
    const ticks = fc.nat({ max: 1e9 });
    fc.assert(
      fc.property(fc.string(), ticks, ticks, ticks, (name, user, system, start) => {
        const usage = usageOf(stat(name, user, system, start), status('VmRSS:\t 1 kB\n'));
        return usage?.cpu_ns === (user + system) * 1e7 && usage.start_ticks === start;
      }),
    );
  });
});

describe('a round of samples', () => {
  const SECOND = 1e9;
  const doer = (pid: number, start_ns: number, exec_id = 0) => ({ seq: 1, t_ns: 1, pid, start_ns, exec_id });
  const usage = (start_ticks: number): Usage => ({ cpu_ns: 1, rss_kb: 2, peak_rss_kb: 3, start_ticks });

  function sampled(engine: 'bpf' | 'strace', events: object[], procs: Record<number, Usage>): string[] {
    const out: RecordedEvent[] = [];
    let take = (_: string): void => {};
    const recording = {
      engine,
      line: (line: string) => void out.push(JSON.parse(line)),
      listen: (to: (line: string) => void) => {
        take = to;
      },
    };
    const sampler = new Sampler(recording, 3_600_000, pid => procs[pid]);
    for (const event of events) take(JSON.stringify(event));
    sampler.round();
    sampler.round();
    sampler.stop();
    expect(new Set(out.map(event => 't_ns' in event && event.t_ns)).size).toBeLessThanOrEqual(2);
    return out.map(event => ('pid' in event ? `${event.pid} exec ${(event as { exec_id: number }).exec_id}` : '?'));
  }

  const root = { type: 'proc.seen', ...doer(1, SECOND), parent_pid: 0 };
  const fork = { type: 'proc.fork', ...doer(1, SECOND), child_pid: 2, child_start_ns: 2 * SECOND };

  it('holds the root and its children, with the program each is now', () => {
    const exec = { type: 'proc.exec', ...doer(2, 2 * SECOND, 1) };
    expect(sampled('bpf', [root, fork, exec], { 1: usage(100), 2: usage(200) })).toEqual([
      '1 exec 0',
      '2 exec 1',
      '1 exec 0',
      '2 exec 1',
    ]);
  });

  it('leaves out who has ended, and who is another process with the same number', () => {
    const exit = { type: 'proc.exit', ...doer(2, 2 * SECOND), code: 0, signal: 0 };
    expect(sampled('bpf', [root, fork, exit], { 1: usage(100), 2: usage(200) })).toEqual(['1 exec 0', '1 exec 0']);
    expect(sampled('bpf', [root, fork], { 1: usage(100), 2: usage(201) })).toEqual(['1 exec 0', '1 exec 0']);
  });

  it('keeps a number that came round again before the end of its first holder was told', () => {
    const again = { type: 'proc.fork', ...doer(1, SECOND), child_pid: 2, child_start_ns: 3 * SECOND };
    const exit = { type: 'proc.exit', ...doer(2, 2 * SECOND), code: 0, signal: 0 };
    expect(sampled('bpf', [root, fork, again, exit], { 2: usage(300) })).toEqual(['2 exec 0', '2 exec 0']);
  });

  it('under strace, which knows no exact start, holds to the process it saw first', () => {
    const procs = { 1: usage(777) };
    expect(sampled('strace', [{ type: 'proc.exec', ...doer(1, 0, 1) }], procs)).toEqual(['1 exec 1', '1 exec 1']);
  });
});

const live = liveRecorder();
afterAll(() => live.remove());

describe.each(['bpf', 'strace'] as const)('--cpu-mem with %s', engine => {
  const reason = unusable(engine);
  it.skipIf(reason)(`sees the memory and CPU of a program that holds 64 MB${reason ? `: ${reason}` : ''}`, async () => {
    const out = join(live.dir, `memory-${engine}`);
    // Ends when a sample of it with all of that is on the disk; earlier ones may be of before.
    const program = `const held = Buffer.alloc(64 << 20, 1);
      const look = \`cat \${process.argv[1]}/*.gz | gzip -dc 2>/dev/null | grep -qE '"type":"sample".*"pid":\${process.pid},.*"rss_kb":([7-9][0-9]{4}|[0-9]{6})'\`;
      while (require('child_process').spawnSync('sh', ['-c', look]).status !== 0);
      process.exit(held.length > 0 ? 0 : 1);`;
    const { status, stderr } = spawnSync(
      process.execPath,
      [
        ...[live.program, 'record', '--quiet', '--engine', engine, '--cpu-mem-interval', '50ms', '--out', out, '--'],
        ...[process.execPath, '-e', program, out],
      ],
      { env: live.env, encoding: 'utf8', timeout: 60_000 },
    );
    expect([status, stderr]).toEqual([0, '']);
    const { header, summary } = await readBack(out);
    expect(header.caps.cpu_mem_ms).toBe(50);
    expect(summary.roots[0]!.max_rss_kb).toBeGreaterThan(64 << 10);
    expect(summary.roots[0]!.cpu_ns).toBeGreaterThan(0);
    expect(summary.peak.rss_kb).toBeGreaterThan(64 << 10);
    expect(live.run(['report', out]).stdout).toMatch(/at most \d+(\.\d)? MB resident at once/);
  });
});

it.each([
  ['1', 'a time of 10ms to 3600s'],
  ['5ms', 'a time of 10ms to 3600s'],
  ['2h', 'a time of 10ms to 3600s'],
])('--cpu-mem-interval %s is refused with the form it wants', (text, why) => {
  const { status, stderr } = live.run(['record', '--cpu-mem-interval', text, '--', 'true']);
  expect([status, stderr]).toEqual([2, expect.stringContaining(why)]);
});
