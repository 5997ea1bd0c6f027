import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineName } from '../../src/recorder/events.ts';
import type { RecordingLedger } from '../../src/recorder/ledger.ts';
import { agentpprof } from '../cli/program.ts';
import {
  asks,
  bash,
  environment,
  fed,
  file,
  type Play,
  play,
  playTogether,
  type Stage,
  stageIn,
} from './agent/play.ts';
import { seen } from './agent/seen.ts';
import { liveRecorder, unusable } from './live.ts';

const live = liveRecorder();
const listener = createServer(() => {});
let port = 0;
beforeAll(async () => {
  await new Promise<void>(done => listener.listen(0, '127.0.0.1', done));
  port = (listener.address() as { port: number }).port;
});
afterAll(() => {
  listener.close();
  live.remove();
});

describe.each<EngineName>(['bpf', 'strace'])('tool calls recorded by %s', engine => {
  const reason = unusable(engine);
  if (reason !== undefined) {
    it.skip(`are not recorded here: ${reason}`, () => {});
    return;
  }
  const played = (name: string, script: Play): ReturnType<typeof seen> & { stage: Stage } => {
    const stage = stageIn(live.dir, `${name}-${engine}`);
    const { status, stderr } = play(stage, script, engine, live.program);
    expect([status, stderr.includes('events by')]).toEqual([0, true]);
    return { ...seen(stage), stage };
  };
  // One engine through all of it; the other where the two could differ.
  const thorough = engine === 'bpf' || unusable('bpf') !== undefined;
  const FILES = 'tool,process,file,effect,evidence';
  // strace cannot tell that an open made a file.
  const made = engine === 'bpf' ? 'create' : 'write';

  it('show the files and hosts of a script, which its command line does not tell', () => {
    const { folded } = played('script', {
      files: {
        'gen.sh':
          'cat list.txt > out.txt\ncd sub\nread -r port < ../port.txt\nexec 3<>/dev/tcp/127.0.0.1/$port\nrm gone.txt\n',
        'list.txt': 'a',
        'sub/gone.txt': '',
        'port.txt': `${port}\n`,
      },
      turns: [[bash('bash gen.sh')]],
    });
    expect(folded('files', FILES)).toEqual(
      [
        'Bash bash gen.sh read measured 1',
        `Bash bash out.txt ${made} measured 1`,
        'Bash bash port.txt read measured 1',
        'Bash bash cat list.txt read measured 1',
        'Bash bash rm sub/gone.txt delete measured 1',
      ].sort(),
    );
    expect(folded('files', FILES, '--no-recordings', '--where', 'tool=Bash')).toEqual(
      ['Bash bash gen.sh read parsed 1'].sort(),
    );
    expect(folded('network', 'tool,process,domain,evidence')).toEqual(
      [`Bash bash 127.0.0.1:${port} measured 1`, 'anthropic.com parsed 1'].sort(),
    );
  });

  it('leave out what the login files of the shell around a command do', () => {
    const { folded, ledgers } = played('login', {
      files: {
        '../.bash_profile': '. ~/.settings\ncat ~/.token > ~/.seen\n',
        '../.settings': 'set -h\n',
        '../.token': 'x',
        'a.txt': 'x',
      },
      turns: [[bash('cat a.txt ~/.settings | wc -l > n.txt')]],
    });
    expect(folded('files', 'file,effect,evidence', '--where', 'evidence=measured')).toEqual(
      ['a.txt read measured 1', 'external/tmp read measured 1', `n.txt ${made} measured 1`].sort(),
    );
    const [{ events }] = ledgers() as [RecordingLedger];
    expect(events.without_effect.wrapper).toBeGreaterThanOrEqual(5);
  });

  it.runIf(thorough)('take nothing from any other measure, and what they replace is counted', () => {
    const { totals, ledgers } = played('law', {
      files: { 'a.txt': 'x', 'b.txt': 'y' },
      turns: [[bash('cat a.txt missing.txt; sed -i s/x/z/ a.txt'), bash('sleep 0.2')], [bash('ls; cp b.txt c.txt')]],
      pause: 600,
    });
    const [ledger] = ledgers() as [RecordingLedger];
    const [plain, measured] = [totals('--no-recordings'), totals()];
    const { files, contacts, replaced_files, replaced_contacts } = ledger.effects;
    expect(replaced_files).toBeGreaterThan(0);
    expect(measured).toEqual({
      ...plain,
      files: plain.files! - replaced_files + files,
      network: plain.network! - replaced_contacts + contacts,
    });
    expect(ledger.calls).toMatchObject({ in_time: 3, attached: 3, not_attached: {} });
  });

  it('count every process and event of the recording once', () => {
    const { ledgers } = played('once', {
      files: { 'a.txt': 'x' },
      turns: [[bash('cat a.txt'), bash('cat a.txt')], [bash('mkdir -p d; echo 1 > d/t; rm -r d')]],
      pause: 600,
    });
    const [{ processes, events, calls }] = ledgers() as [RecordingLedger];
    const sum = (counts: object): number => Object.values(counts).reduce((all: number, each) => all + Number(each), 0);
    expect(processes.attached + sum(processes.not_attached)).toBe(processes.recorded);
    expect(events.system + events.effects + sum(events.without_effect) + sum(events.not_attached)).toBe(
      events.recorded,
    );
    expect(calls.attached + sum(calls.not_attached)).toBe(calls.in_time);
    // Two commands that are the same at the same time: neither has the processes of the other.
    expect(calls).toMatchObject({ in_time: 3, attached: 1, not_attached: { twins: 2 } });
    // The shells, the programs in them, and what their login files start.
    expect(processes.not_attached.twins).toBeGreaterThanOrEqual(4);
  });

  it.runIf(thorough)('keep what their children do when they are long over', () => {
    const { folded, ledgers, stage } = played('late', {
      turns: [[bash('(sleep 0.8; echo 1 > late.txt; touch end) > /dev/null 2>&1 &')], [bash('echo 2 > other.txt')]],
      pause: 300,
      wait: [{ until: 'end' }],
    });
    expect(readdirSync(stage.project)).toContain('late.txt');
    expect(ledgers()[0]!.calls).toMatchObject({ attached: 2, outlives_call: 1 });
    expect(folded('files', 'tool,file,evidence')).toContain('Bash late.txt measured 1');
    // CPU of a process that went on is not the call's alone.
    expect(ledgers()[0]!.time).toMatchObject({ not_split: engine === 'bpf' ? 1 : 2 });
  });

  it.runIf(thorough)('find their work below a shell that is fed through its input, by time', () => {
    const { folded, ledgers } = played('fed', {
      files: { 'gen.sh': 'cat a.txt > out.txt', 'a.txt': 'x' },
      turns: [[fed('bash gen.sh')], [fed('echo 1 > own.txt')]],
      pause: 700,
    });
    expect(ledgers()[0]!.calls).toMatchObject({ in_time: 2, attached: 2, not_attached: {} });
    expect(folded('files', FILES)).toEqual(
      expect.arrayContaining([
        'Bash bash cat a.txt read measured 1',
        `Bash bash out.txt ${made} measured 1`,
        `Bash own.txt ${made} measured 1`,
      ]),
    );
  });

  it('find files that the agent opens itself, by path and time', () => {
    const { folded, ledgers } = played('own', {
      files: { 'a.txt': 'one', 'b.txt': 'two' },
      turns: [
        [file('Read', '@/a.txt')],
        [file('Edit', '@/b.txt', { old_string: 'two', new_string: 'three' })],
        [file('Write', '@/c.txt', { content: 'new' })],
        [file('Write', '%/outside.txt', { content: 'outside' })],
      ],
      pause: 700,
    });
    expect(folded('files', FILES)).toEqual(
      [
        'Edit b.txt read measured 1',
        'Edit b.txt write measured 1',
        'Read a.txt read measured 1',
        'Write c.txt create measured 1',
        'Write external/tmp create measured 1',
      ].sort(),
    );
    expect(ledgers()[0]!.calls).toMatchObject({ in_time: 4, attached: 4 });
  });

  it('count each file that was changed outside the project, and what was read there once a place', () => {
    const { folded, ledgers } = played('outside', {
      files: {},
      turns: [[bash('touch ../1.txt ../2.txt; cat ../1.txt ../2.txt')], [bash('rm ../1.txt ../2.txt')]],
    });
    expect(folded('files', FILES)).toEqual(
      [
        'Bash touch external/tmp create measured 2',
        'Bash cat external/tmp read measured 1',
        'Bash rm external/tmp delete measured 2',
      ].sort(),
    );
    expect(folded('files', FILES, '--no-recordings').join('\n')).toContain('Bash rm external/tmp delete parsed 2');
    expect(ledgers()[0]!.calls).toMatchObject({ in_time: 2, attached: 2 });
  });

  it.runIf(thorough)(
    'find the work of a server of tools while one call to it is open, and the rest is the server’s',
    () => {
      const { folded, ledgers } = played('server', {
        files: {
          'db-server.sh':
            'cat start.txt > /dev/null\nwhile read -r q; do echo "$q" >> log.txt; cat data.txt; echo ok; done',
          'start.txt': '',
          'data.txt': 'rows',
        },
        servers: { db: ['bash', 'db-server.sh'] },
        turns: [[bash('sleep 0.5')], [asks('db', 'select 1')]],
        pause: 600,
      });
      expect(folded('files', FILES)).toEqual(
        [`mcp__db__query log.txt ${made} measured 1`, 'mcp__db__query cat data.txt read measured 1'].sort(),
      );
      expect(folded('network', 'tool,domain,evidence')).toContain('mcp__db__query mcp:db parsed 1');
      const { calls, events } = ledgers()[0]!;
      expect(calls).toMatchObject({ in_time: 2, attached: 2 });
      expect(events.not_attached.server).toBeGreaterThan(0);
    },
  );

  it.runIf(thorough)('belong to the agent that wrote the transcript, however many run at once', () => {
    const stage = stageIn(live.dir, `two-${engine}`);
    const turns = [[bash('cat a.txt > same.txt')]];
    const { status } = playTogether(
      stage,
      [
        { session: 'one', turns },
        { session: 'two', turns },
      ],
      engine,
      live.program,
    );
    expect(status).toBe(0);
    const { ledgers } = seen(stage);
    expect(ledgers()[0]).toMatchObject({
      sessions: 2,
      calls: { in_time: 2, attached: 2, not_attached: {} },
      processes: { not_attached: { agent: 2, outside_agent: 1 } },
    });
  });

  it.runIf(thorough)('are found by folder, time and text where the transcript lies elsewhere', () => {
    const { run, stage } = played('moved', { files: { 'a.txt': '' }, turns: [[bash('bash -c "cat a.txt"')]] });
    const copy = join(stage.home, 'elsewhere.jsonl');
    const folder = join(stage.home, '.claude', 'projects');
    copyFileSync(join(folder, readdirSync(folder)[0]!, 'played.jsonl'), copy);
    const { recordings } = JSON.parse(
      run('reconcile', '--json', '-q', '--session-file', copy, '--recordings', stage.recordings),
    );
    expect(recordings.ledgers[0].calls).toMatchObject({ in_time: 1, attached: 1 });
  });

  if (engine === 'bpf') {
    it('are read again only when they or the history of their time have changed', () => {
      const { run, stage } = played('kept', { files: { 'a.txt': '' }, turns: [[bash('bash -c "cat a.txt"')]] });
      const bytes = (...args: string[]): string => run('-q', '--view', 'files', '-o', '-', '--format', 'json', ...args);
      const first = bytes();
      const folder = join(stage.home, '.cache', 'agentpprof', 'recordings');
      const kept = join(folder, readdirSync(folder)[0]!);
      expect(readFileSync(kept, 'utf8')).not.toContain(stage.home);
      expect(statSync(kept).mode & 0o777).toBe(0o600);
      expect(bytes()).toBe(first);
      expect(bytes('--no-cache')).toBe(first);
      // What is kept is what is used: a mark in it shows.
      writeFileSync(kept, readFileSync(kept, 'utf8').replaceAll('a.txt', 'marked.txt'));
      expect(bytes()).toContain('marked.txt');
      const projects = join(stage.home, '.claude', 'projects');
      const transcript = join(projects, readdirSync(projects)[0]!, 'played.jsonl');
      const lines = readFileSync(transcript, 'utf8').trim().split('\n');
      const again = lines
        .at(-2)!
        .replaceAll('played-tool-1', 'played-tool-9')
        .replace(/"uuid":"[^"]*"/, '"uuid":"new"');
      writeFileSync(transcript, `${lines.join('\n')}\n${again}\n`);
      expect(bytes()).not.toContain('marked.txt');
      writeFileSync(kept, '{');
      expect(bytes()).toBe(bytes('--no-cache'));
    });

    it('spread their time over computing and waiting, and none is lost', () => {
      const { folded, ledgers, totals } = played('time', {
        turns: [[bash('sleep 0.4')], [bash("node -e 'const t = Date.now(); while (Date.now() - t < 400);'")]],
        pause: 600,
      });
      const { time } = ledgers()[0]!;
      expect(time).toMatchObject({ split: 2, not_split: 0 });
      const parts = Object.fromEntries(
        folded('time', 'command,wait', '--where', 'tool=Bash').map(line => {
          const [, command, wait, value] = /^(.*) (\w+) (\d+)$/.exec(line)!;
          return [`${command} ${wait}`, Number(value)];
        }),
      );
      expect(parts['sleep waiting']).toBeGreaterThan(parts['sleep cpu']!);
      expect(parts['node cpu']).toBeGreaterThan(parts['sleep cpu']!);
      const all = Object.values(parts).reduce((sum, each) => sum + each, 0);
      expect(time.cpu_ns + time.waiting_ns).toBe(all);
      expect(totals('--where', 'tool=Bash').time).toBe(all);
      expect(totals('--where', 'tool=Bash', '--no-recordings').time).toBe(all);
      // A condition on time still means the whole call.
      expect(totals('--where', 'tool=Bash', '--where', 'time>300000000').time).toBe(all);
    });

    it('are incomplete where a gap lies in them: then what was parsed stays beside what was measured', () => {
      const { folded, ledgers } = played('gap', {
        files: { 'a.txt': 'x' },
        turns: [
          [bash('cat a.txt; kill -9 $(pgrep -P $(ps -o ppid= -p $PPID) agentsight); sleep 0.3; cp a.txt unseen.txt')],
        ],
      });
      expect(ledgers()[0]).toMatchObject({ whole: false, calls: { attached: 1, incomplete: 1 } });
      expect(folded('files', 'file,effect,evidence')).toEqual(['a.txt read measured 1', 'unseen.txt write parsed 1']);
    });
  }
});

it('without recordings a profile is the same to the byte, whatever the folder for them holds', () => {
  const stage = stageIn(live.dir, 'none');
  const folder = join(stage.home, '.claude', 'projects', 'shop');
  mkdirSync(folder, { recursive: true });
  copyFileSync('test/fixtures/claude-code/projects/-inline/sidechain.jsonl', join(folder, 'a.jsonl'));
  const bytes = (...args: string[]) =>
    agentpprof(['-o', '-', '--format', 'json', '-q', '--view', 'files', ...args], {
      cwd: stage.project,
      env: environment(stage) as Record<string, string>,
    }).out;
  const before = bytes('--no-recordings');
  expect(before.length).toBeGreaterThan(500);
  expect(bytes()).toBe(before);
  mkdirSync(stage.recordings, { recursive: true });
  writeFileSync(join(stage.recordings, 'notes.txt'), '');
  expect(bytes()).toBe(before);
});
