import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { onPath } from '../../src/recorder/find-engine.ts';
import { liveRecorder, readBack, unusable } from './live.ts';

const live = liveRecorder();
afterAll(() => live.remove());
const reason = unusable('bpf');

const children: ChildProcess[] = [];
afterAll(() => children.forEach(child => void child.kill('SIGKILL')));

/** A shell that waits for a file named `go`, then does what it was told. It is there when this resolves. */
async function waiting(name: string, then: string, shell = 'bash'): Promise<{ pid: number; ended: Promise<unknown> }> {
  const mark = join(live.dir, name);
  const child = spawn(shell, ['-c', `touch ${mark}.there; while [ ! -e ${mark}.go ]; do sleep 0.02; done; ${then}`], {
    stdio: 'ignore',
  });
  children.push(child);
  const ended = new Promise(resolve => child.on('exit', resolve));
  await there(`${mark}.there`);
  return { pid: child.pid!, ended };
}
const go = (name: string): void => writeFileSync(join(live.dir, `${name}.go`), '');
const there = async (path: string): Promise<void> => {
  while (!existsSync(path)) await delay(20);
};

/** The recorder has seen what a process that it follows runs; it looks that up while the process lives. */
const known = async (out: string, pid: number): Promise<void> => {
  for (;;) {
    const roots = await readBack(out).then(
      ({ summary }) => summary.roots,
      () => [],
    );
    if (roots.some(root => root.pid === pid && root.images.length > 0)) return;
    await delay(20);
  }
};

/** A recording of what runs already, live when this resolves. */
async function collecting(args: readonly string[], out: string) {
  const child = spawn(process.execPath, [live.program, ...args, '--out', out], {
    cwd: live.dir,
    env: live.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  children.push(child);
  const ended = new Promise(resolve => child.on('exit', resolve));
  const said = await new Promise<string>(resolve => child.stderr.once('data', data => resolve(String(data))));
  return {
    said,
    ended,
    stop: async () => {
      child.kill('SIGINT');
      return ended;
    },
  };
}

describe.skipIf(reason !== undefined)(`what runs already (${reason ?? 'bpf'})`, () => {
  it.each([
    ['collect', 'one'],
    ['record', 'two'],
  ])('is recorded by %s --pid until it ends', async (command, name) => {
    const out = join(live.dir, `out-${name}`);
    const { pid } = await waiting(name, `cat ${live.dir}/${name}.go; exit 3`);
    const { ended } = await collecting([command, '--pid', String(pid)], out);
    go(name);
    expect(await ended).toBe(0);
    const { header, summary } = await readBack(out);
    expect(header.root.pid).toBe(pid);
    const root = summary.roots.find(each => each.pid === pid);
    expect(root).toMatchObject({ code: 3 });
    expect(root!.images[0]!.argv[0]).toBe('bash');
  });

  it('is recorded by name: who has it now, and who takes it later', async () => {
    const out = join(live.dir, 'out-comm');
    // The name is that of the program's file, as the kernel keeps it: 15 bytes of it.
    const named = join(live.dir, 'agentsight-twin-of-bash');
    copyFileSync(onPath('bash', process.env)!, named, 0);
    const before = await waiting('before', `sleep 0; echo > ${live.dir}/bash.before`, named);
    const stranger = await waiting('stranger', `echo > ${live.dir}/bash.stranger`);
    const collection = await collecting(['collect', '--comm', 'agentsight-twin'], out);
    expect(collection.said).toContain('every process called agentsight-twin');
    const after = await waiting('after', `sleep 0; echo > ${live.dir}/bash.after`, named);
    for (const name of ['before', 'stranger', 'after']) go(name);
    await Promise.all([before.ended, stranger.ended, after.ended]);
    await collection.stop();
    const { header, summary } = await readBack(out);
    expect(header.filters).toEqual({ tree: true, comm: 'agentsight-twin' });
    expect(summary.roots.map(({ pid, code }) => [pid, code]).sort()).toEqual(
      [
        [before.pid, 0],
        [after.pid, 0],
      ].sort(),
    );
    for (const root of summary.roots)
      expect(root.children.some(child => child.images[0]?.argv[0] === 'sleep')).toBe(true);
    expect([...summary.files.keys()].some(path => path.includes('stranger'))).toBe(false);
    for (const root of summary.roots) expect(root.images.map(({ argv }) => argv[0])).toEqual([named]);
    expect(live.run(['report', out]).stdout).toContain('every process called agentsight-twin');
  });

  it('is recorded by control group: who is in it or below it, and who is moved in later', async context => {
    const mount = readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .map(line => line.split(' '))
      .find(fields => fields[2] === 'cgroup2')?.[1];
    if (mount === undefined) return context.skip('no control groups of version 2 here');
    const group = join(mount, `agentsight-test-${process.pid}`);
    const below = join(group, 'below');
    try {
      mkdirSync(group);
      mkdirSync(below);
    } catch (error) {
      return context.skip(`no control group can be made here: ${(error as Error).message}`);
    }
    try {
      const out = join(live.dir, 'out-cgroup');
      const inside = await waiting('inside', `sleep 0; echo > ${live.dir}/bash.inside`);
      const later = await waiting('later', `echo > ${live.dir}/bash.later`);
      const outside = await waiting('outside', `echo > ${live.dir}/bash.outside`);
      writeFileSync(join(below, 'cgroup.procs'), String(inside.pid));
      const collection = await collecting(['record', '--cgroup', group], out);
      expect(collection.said).toContain(`control group ${group}`);
      writeFileSync(join(group, 'cgroup.procs'), String(later.pid));
      await known(out, later.pid);
      for (const name of ['inside', 'later', 'outside']) go(name);
      await Promise.all([inside.ended, later.ended, outside.ended]);
      await collection.stop();
      const { header, summary } = await readBack(out);
      expect(header.filters).toEqual({ tree: true, cgroup: group });
      expect(summary.roots.map(({ pid }) => pid).sort()).toEqual([inside.pid, later.pid].sort());
      for (const root of summary.roots) expect(root.images.map(({ argv }) => argv[0])).toEqual(['bash']);
      const wrote = (name: string) => [...summary.files.values()].find(({ path }) => path.endsWith(`bash.${name}`));
      expect(wrote('inside')).toMatchObject({ writes: 1 });
      expect(wrote('later')).toMatchObject({ writes: 1 });
      expect(wrote('outside')).toBeUndefined();
    } finally {
      rmdirSync(below);
      rmdirSync(group);
    }
  });

  it.each([
    [['collect'], 'one of --pid N, --comm NAME, --cgroup FOLDER'],
    [['collect', '--pid', '1', '--comm', 'x'], 'one of --pid N, --comm NAME, --cgroup FOLDER'],
    [['collect', '--comm', 'a-name-of-16-byt'], 'at most 15 bytes'],
    [['record', '--pid', '1', '--', 'true'], 'either a command'],
    [['record', '--pid', '1', '--engine', 'strace'], 'recorded by bpf alone'],
  ])('asked for wrongly (%j) is refused with the way out', (args, words) => {
    const { status, stderr } = live.run(args);
    expect([status, stderr.includes(words)]).toEqual([2, true]);
  });

  it('is refused where there is no such process or group', () => {
    for (const args of [
      ['--pid', '2147483000'],
      ['--cgroup', '/no/such/group'],
    ]) {
      const { status, stderr } = live.run(['collect', ...args]);
      expect([status, /no process 2147483000|no control group \/no\/such\/group/.test(stderr)]).toEqual([1, true]);
    }
  });
});
