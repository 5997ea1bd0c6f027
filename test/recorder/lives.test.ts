import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { EngineName } from '../../src/recorder/events.ts';
import { findEngine } from '../../src/recorder/find-engine.ts';
import { liveRecorder, readBack, unusable } from './live.ts';

const live = liveRecorder();
afterAll(() => live.remove());

describe.each<EngineName>(['bpf', 'strace', 'none'])('what is recorded by %s', engine => {
  const reason = engine === 'none' ? undefined : unusable(engine);
  if (reason !== undefined) {
    it.skip(`is not recorded here: ${reason}`, () => {});
    return;
  }
  const out = (name: string): string => join(live.dir, `${name}-${engine}`);
  const record = (name: string, script: string, input = '') =>
    spawnSync(
      process.execPath,
      [live.program, 'record', '--quiet', '--engine', engine, '--out', out(name), '--', 'bash', '-c', script],
      {
        cwd: live.dir,
        env: live.env,
        encoding: 'utf8',
        input,
        timeout: 60_000,
      },
    );

  it('keeps its streams: nothing is added to either, and input arrives', () => {
    const { stdout, stderr, status } = record('streams', 'cat; echo err >&2; ls /proc/self/fd | wc -l', 'typed\n');
    const plain = spawnSync('bash', ['-c', 'ls /proc/self/fd | wc -l'], { encoding: 'utf8' }).stdout;
    expect([stdout, stderr, status]).toEqual([`typed\n${plain}`, 'err\n', 0]);
  });

  it('ends as it ended: by code and by signal', () => {
    expect(record('code', 'exit 42').status).toBe(42);
    expect(record('signal', 'kill -TERM $$').signal).toBe('SIGTERM');
  });

  it('that cannot be run ends as a shell would say, and one without an interpreter’s name is run as a shell would', () => {
    const work = join(live.dir, `forms-${engine}`);
    mkdirSync(join(work, 'folder'), { recursive: true });
    const made = (name: string, text: string, mode: number): void => writeFileSync(join(work, name), text, { mode });
    made('plain', 'echo ran $1; exit 3\n', 0o755);
    made('empty', '', 0o755);
    made('missing', '#!/no/such/interpreter -x\n', 0o755);
    made('refused', 'echo\n', 0o644);
    const ran = (...command: string[]): unknown[] => {
      const args = ['record', '--quiet', '--engine', engine, '--out', out('forms'), '--', ...command];
      const { status, stdout, stderr } = live.run(args, work, { ...live.env, PATH: `${work}:${process.env.PATH}` });
      return [status, stdout, stderr];
    };
    expect(ran('./plain', 'it')).toEqual([3, 'ran it\n', '']);
    expect(ran('plain', 'it')).toEqual([3, 'ran it\n', '']);
    expect(ran('./empty')).toEqual([0, '', '']);
    const missing = 'agentsight: ./missing: its interpreter /no/such/interpreter is not there\n';
    expect(ran('./missing')).toEqual([127, '', missing]);
    expect(ran('./refused')).toEqual([126, '', 'agentsight: ./refused: permission denied\n']);
    expect(ran('refused')).toEqual([126, '', 'agentsight: refused: permission denied\n']);
    expect(ran('./folder')).toEqual([126, '', 'agentsight: ./folder: is a directory\n']);
    expect(ran('folder')).toEqual([127, '', 'agentsight: folder: command not found\n']);
  });

  it('is not started where its recording cannot be written', () => {
    for (const place of ['/proc/agentsight', '/dev/null/x', '/dev/null']) {
      const args = ['record', '--quiet', '--engine', engine, '--out', place, '--', 'touch', `begun-${engine}`];
      const { status, stderr } = live.run(args);
      expect([status, stderr]).toEqual([
        1,
        expect.stringContaining(`agentsight: --out ${place}: the folder cannot be made or written to (E`),
      ]);
    }
    expect(existsSync(join(live.dir, `begun-${engine}`))).toBe(false);
  });

  it('is written for its owner alone, as whole gzip members', () => {
    record('mode', 'true');
    const names = readdirSync(out('mode'));
    expect(names).toHaveLength(1);
    expect(statSync(join(out('mode'), names[0]!)).mode & 0o777).toBe(0o600);
    expect(statSync(out('mode')).mode & 0o777).toBe(0o700);
  });

  it('is ended by stop, while the program goes on', async () => {
    const mark = join(live.dir, `mark-${engine}`);
    const child = spawn(
      process.execPath,
      [
        live.program,
        'record',
        '--quiet',
        '--engine',
        engine,
        '--out',
        out('stop'),
        '--',
        'bash',
        '-c',
        `touch ${mark}; while [ ! -e ${mark}.go ]; do sleep 0.05; done; touch ${mark}.done; exit 5`,
      ],
      { cwd: live.dir, env: live.env, stdio: 'ignore' },
    );
    const code = new Promise(resolve => child.on('exit', resolve));
    while (!existsSync(mark)) await delay(50);
    expect(live.run(['stop', out('stop')]).stdout).toBe('1 recording stopped\n');
    await delay(500);
    writeFileSync(`${mark}.go`, '');
    expect(await code).toBe(5);
    expect(existsSync(`${mark}.done`)).toBe(true);
    const { summary } = await readBack(out('stop'));
    if (engine !== 'none') {
      expect(summary.gaps.map(gap => gap.reason)).toEqual(['stopped']);
      expect(summary.files.has(mark)).toBe(true);
      expect(summary.files.has(`${mark}.done`)).toBe(false);
    }
    expect(live.run(['stop', out('stop')]).stdout).toContain('no recording is running');
  });

  if (engine === 'bpf')
    it('goes on when the engine is killed, and the recording says so', async () => {
      const { status, stdout } = record('killed', 'kill -9 $(pgrep -P $PPID agentsight); sleep 0.3; echo on; exit 6');
      expect([status, stdout]).toEqual([6, 'on\n']);
      const { summary } = await readBack(out('killed'));
      expect(summary.gaps.map(gap => gap.reason)).toContain('engine_exit');
      expect(summary.roots[0]).toMatchObject({ alive: false, code: 6, signal: 0 });
      const { stdout: report } = live.run(['report', out('killed')]);
      expect(report).toContain('the engine ended early');
      expect(report).not.toContain('the recorder was killed');
    });

  if (engine === 'bpf')
    it('may be refused while it does not wait for a connection: that is none', async () => {
      const script = `require('node:net').connect(1, '127.0.0.1').on('error', () => {})`;
      record('refused', `'${process.execPath}' -e "${script}"`);
      const { summary } = await readBack(out('refused'));
      expect(summary.hosts.get('inet 127.0.0.1 1')).toMatchObject({ connects: 1, failed: 1 });
    });

  if (engine === 'bpf')
    it('is ended by a signal that comes while the engine starts', async () => {
      const mark = join(live.dir, 'slow');
      const wait = `touch ${mark}.waits; while [ ! -e ${mark}.go ]; do sleep 0.05; done`;
      writeFileSync(mark, `#!/bin/sh\n${wait}\nexec '${findEngine(process.env)}' "$@"\n`, { mode: 0o755 });
      const child = spawn(
        process.execPath,
        [
          ...[live.program, 'record', '--quiet', '--engine', 'bpf', '--out', out('early')],
          ...['--', 'touch', `${mark}.begun`],
        ],
        { cwd: live.dir, env: { ...live.env, AGENTSIGHT_ENGINE: mark }, stdio: 'ignore' },
      );
      const ended = new Promise(resolve => child.on('exit', (_, signal) => resolve(signal)));
      while (!existsSync(`${mark}.waits`)) await delay(20);
      child.kill('SIGTERM');
      writeFileSync(`${mark}.go`, '');
      expect(await ended).toBe('SIGTERM');
      expect(existsSync(`${mark}.begun`)).toBe(false);
    });

  if (engine === 'strace')
    it('goes on when strace is killed, and the recording says so', async () => {
      // What is left to bash alone: without its tracer it starts no program.
      const script = `while read -r key value; do [ $key = TracerPid: ] && tracer=$value; done < /proc/$$/status
        echo $tracer; kill -9 $tracer; echo on; exit 6`;
      const { status, stdout } = record('killed', script);
      expect([status, stdout]).toEqual([6, expect.stringMatching(/^[1-9]\d*\non\n$/)]);
      const { summary } = await readBack(out('killed'));
      expect([summary.complete, summary.gaps.map(gap => gap.reason)]).toEqual([false, ['engine_exit']]);
      expect(summary.roots[0]).toMatchObject({ alive: false, code: 6, signal: 0 });
      const { stdout: report } = live.run(['report', out('killed')]);
      expect(report).toContain('the engine ended early');
      expect(report).not.toMatch(/still running at the end|the recorder was killed/);
    });

  if (engine === 'strace')
    it('goes on in peace when the recorder is killed, and nothing of it stays', async () => {
      const scratch = join(live.dir, 'scratch');
      mkdirSync(scratch);
      const ran = spawnSync(
        process.execPath,
        [
          ...[live.program, 'record', '--quiet', '--engine', engine, '--out', out('left'), '--'],
          ...['bash', '-c', 'kill -9 $PPID; for i in 1 2 3; do ls / > /dev/null; done; echo on'],
        ],
        { cwd: live.dir, env: { ...live.env, TMPDIR: scratch }, encoding: 'utf8', timeout: 60_000 },
      );
      expect([ran.signal, ran.stdout, ran.stderr]).toEqual(['SIGKILL', 'on\n', '']);
      for (let left = 400; left > 0 && readdirSync(scratch).length > 0; left--) await delay(50);
      expect(readdirSync(scratch)).toEqual([]);
    });

  it('may leave a child behind, which does its work and is waited for by nobody', async () => {
    const mark = join(live.dir, `behind-${engine}`);
    const script = `(sleep 2; ls / > ${mark}; mv ${mark} ${mark}.done) & exit 2`;
    const args = [
      live.program,
      'record',
      '--quiet',
      '--engine',
      engine,
      '--out',
      out('behind'),
      '--',
      'bash',
      '-c',
      script,
    ];
    const child = spawn(process.execPath, args, { cwd: live.dir, env: live.env, stdio: 'ignore' });
    expect(await new Promise(resolve => child.on('exit', resolve))).toBe(2);
    for (let left = 200; left > 0 && !existsSync(`${mark}.done`); left--) await delay(50);
    expect(statSync(`${mark}.done`).size).toBeGreaterThan(0);
  });

  if (engine === 'bpf')
    it('may be running already: what it and its children do from then on is in it', async () => {
      const mark = join(live.dir, 'late');
      const shell = spawn('bash', ['-c', `while [ ! -e ${mark}.go ]; do sleep 0.05; done; cat ${mark}.go; exit 3`], {
        stdio: 'ignore',
      });
      const collecting = spawn(
        process.execPath,
        [live.program, 'collect', '--pid', String(shell.pid), '--out', out('late')],
        {
          cwd: live.dir,
          env: live.env,
          stdio: ['ignore', 'ignore', 'pipe'],
        },
      );
      const code = new Promise(resolve => collecting.on('exit', resolve));
      await new Promise(resolve => collecting.stderr.once('data', resolve));
      writeFileSync(`${mark}.go`, '');
      expect(await code).toBe(0);
      const { header, summary } = await readBack(out('late'));
      expect(header.root.pid).toBe(shell.pid);
      const root = [...summary.processes.values()].find(({ pid }) => pid === shell.pid)!;
      expect(root).toMatchObject({ code: 3, signal: 0 });
      expect(root.children.some(child => child.images[0]?.argv.join(' ') === `cat ${mark}.go`)).toBe(true);
      expect(summary.files.get(`${mark}.go`)).toMatchObject({ reads: 1 });
    });

  if (engine === 'bpf')
    it('leaves no engine behind when the recorder itself is killed', async () => {
      const { stdout } = record('gone', 'E=$(pgrep -P $PPID agentsight); echo $E; kill -9 $PPID');
      expect(stdout.trim()).toMatch(/^\d+$/);
      // Detaching waits for the kernel, so it takes a moment; that it happens is the point.
      for (let left = 200; left > 0 && existsSync(`/proc/${stdout.trim()}`); left--) await delay(50);
      expect(existsSync(`/proc/${stdout.trim()}`)).toBe(false);
    });

  if (engine !== 'none')
    it('may have paths of 4,095 bytes', async () => {
      const dir = join(out('deep-work'), ...Array.from({ length: 20 }, () => 'd'.repeat(180)));
      mkdirSync(dir, { recursive: true });
      const path = `${dir}/${'f'.repeat(Math.min(250, 4095 - dir.length - 1))}`;
      record('deep', `echo x > '${path}'`);
      const { summary } = await readBack(out('deep'));
      expect(summary.files.get(path)).toMatchObject({ writes: 1, truncatedName: false });
      const shown = live.run(['report', out('deep'), '--all']).stdout;
      expect(Math.max(...shown.split('\n').map(line => line.length))).toBeLessThan(600);
    });
});

describe('a recording', () => {
  it('of a program that is not there is none, with the shell’s code', () => {
    const { status, stderr } = live.run(['record', '--out', join(live.dir, 'none'), '--', 'no-such-program']);
    expect([status, stderr]).toEqual([127, 'agentsight: no-such-program: command not found\n']);
  });

  it('without any engine that works here fails before the program starts, and says why', () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [live.program, 'record', '--engine', 'bpf', '--out', join(live.dir, 'x'), '--', 'touch', 'started'],
      {
        cwd: live.dir,
        env: { ...live.env, AGENTSIGHT_ENGINE: '/no/such/engine' },
        encoding: 'utf8',
      },
    );
    expect(status).toBe(1);
    expect(stderr).toContain('npm run build:recorder');
    expect(existsSync(join(live.dir, 'started'))).toBe(false);
  });

  it.each([
    [['record'], 'no command given'],
    [['record', '--engine', 'dtrace', '--', 'true'], 'one of auto, bpf, strace, none'],
    [['record', '--max-size', '3', '--', 'true'], '--max-size 3'],
    [['record', '--out', '', '--', 'true'], '--out: an empty name'],
    [['collect', '--out', '', '--pid', '1'], '--out: an empty name'],
    [['report', '/no/such/folder'], 'no recording in'],
    [['collect', '--pid', 'x'], '--pid x'],
    [['recrod'], 'unknown command'],
  ])('asked for wrongly (%j) is refused with the way out', (args, words) => {
    const { status, stderr } = live.run(args);
    expect([status, stderr.includes(words)]).toEqual([2, true]);
  });
});
