import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { onPath } from '../../src/recorder/find-engine.ts';
import { liveRecorder, type Read, readBack, unusable } from './live.ts';

const live = liveRecorder();
afterAll(() => live.remove());

const reason = unusable('bpf');
const bpftool = onPath('bpftool', { PATH: `${process.env.PATH}:/usr/sbin` });

/** Records a script of bash under bpf and reads it back. */
async function recorded(name: string, script: string): Promise<Read> {
  const work = join(live.dir, name);
  mkdirSync(work);
  const out = join(work, 'out');
  live.run(['record', '--engine', 'bpf', '--out', out, '--', 'bash', '-c', script], work);
  return readBack(out);
}

describe.skipIf(reason !== undefined)(`under load (${reason ?? 'bpf'})`, () => {
  it('100,000 opens at 50,000 a second are all there', async () => {
    const OPENS = `
      const fs = require('node:fs');
      fs.writeFileSync('f', '');
      const from = process.hrtime.bigint();
      for (let done = 0; done < 100000; ) {
        const due = Math.min(100000, Number(process.hrtime.bigint() - from) / 1e9 * 50000);
        for (; done < due; done++) fs.closeSync(fs.openSync('f', 'r'));
      }`;
    writeFileSync(join(live.dir, 'opens.cjs'), OPENS);
    const { summary } = await recorded('opens', `exec ${process.execPath} ${join(live.dir, 'opens.cjs')}`);
    expect(summary.gaps).toEqual([]);
    expect(summary.files.get(join(live.dir, 'opens', 'f'))).toMatchObject({ reads: 100_000, created: 1 });
  }, 120_000);

  it('10,000 processes in a second or two are all there, each with its ending and its place', async context => {
    const compiler = ['cc', 'gcc', 'clang'].find(name => onPath(name, process.env) !== undefined);
    if (compiler === undefined) return context.skip('no C compiler');
    // vfork, because copying a shell's memory 10,000 times takes longer than all the rest.
    const FORKS = `
      #include <sys/wait.h>
      #include <unistd.h>
      int main(void) {
        for (int i = 0; i < 100; i++) {
          int child = vfork();
          if (child == 0) {
            for (int j = 0; j < 99; j++) { int grandchild = vfork(); if (grandchild == 0) _exit(j % 3); waitpid(grandchild, 0, 0); }
            _exit(7);
          }
          waitpid(child, 0, 0);
        }
        return 0;
      }`;
    const program = join(live.dir, 'forks');
    writeFileSync(`${program}.c`, FORKS);
    spawnSync(compiler, ['-w', '-O0', '-o', program, `${program}.c`], { stdio: 'inherit' });
    const { summary } = await recorded('many', `exec ${program}`);
    const [root] = summary.roots;
    expect([summary.processes.size, summary.roots.length, root!.children.length]).toEqual([10_001, 1, 100]);
    for (const child of root!.children) {
      expect([child.code, child.children.length]).toEqual([7, 99]);
      expect(child.children.map(({ code }) => code)).toEqual(Array.from({ length: 99 }, (_, j) => j % 3));
    }
    expect(summary.gaps).toEqual([]);
  }, 120_000);

  it('a process number that comes round again is another process', async context => {
    // Where the kernel lets one say which number was given last, the next process gets the one after it.
    const LAST = '/proc/sys/kernel/ns_last_pid';
    if (!existsSync(LAST)) return context.skip(`no ${LAST}`);
    const { summary } = await recorded(
      'again',
      `echo one > one & first=$!; wait $first
       for ((i = 0; i < 2000; i++)); do
         { echo $((first - 1)) > ${LAST}; } 2> /dev/null || exit 9
         (echo two > two; exit 4) & again=$!; wait $again
         [ $again = $first ] && exit 0
       done; exit 8`,
    );
    const status = summary.roots[0]!.code;
    if (status === 9) return context.skip(`${LAST} may not be written here`);
    expect(status).toBe(0);
    const byPid = new Map<number, string[]>();
    for (const { pid, key } of summary.processes.values()) byPid.set(pid, [...(byPid.get(pid) ?? []), key]);
    const twice = [...byPid.values()].filter(keys => keys.length > 1);
    expect(twice.map(keys => keys.length)).toEqual([2]);
    const [first, again] = twice[0]!.map(key => summary.processes.get(key)!);
    expect([first!.code, again!.code]).toEqual([0, 4]);
    const touched = (name: string) => summary.files.get(join(live.dir, 'again', name))!.processes;
    expect(touched('one')).toEqual([first!.key]);
    expect(touched('two')).toContain(again!.key);
    expect(touched('two')).not.toContain(first!.key);
  }, 120_000);
});

describe.skipIf(reason !== undefined || bpftool === undefined)(
  `nothing stays in the kernel (${reason ?? bpftool ?? 'no bpftool'})`,
  () => {
    /** What a process holds in the kernel: a link, a program or a map, by number. */
    const heldBy = (pid: number): string[] => {
      const held: string[] = [];
      for (const fd of readdirSync(`/proc/${pid}/fdinfo`)) {
        const text = readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8');
        const link = /^link_id:\s*(\d+)/m.exec(text);
        const program = /^prog_id:\s*(\d+)/m.exec(text);
        const map = /^map_id:\s*(\d+)/m.exec(text);
        if (link) held.push(`link ${link[1]}`);
        else if (program) held.push(`prog ${program[1]}`);
        else if (map) held.push(`map ${map[1]}`);
      }
      return held;
    };
    const isThere = (what: string): boolean => {
      const [kind, id] = what.split(' ');
      return spawnSync(bpftool!, [kind!, 'show', 'id', id!], { stdio: 'ignore' }).status === 0;
    };

    it.each(['the recorder', 'the engine'])(
      'when %s is killed',
      async who => {
        const out = join(live.dir, who.replace(' ', '-'));
        const started = join(live.dir, `${who.replace(' ', '-')}.started`);
        const recorder = spawn(
          process.execPath,
          [
            ...[live.program, 'record', '--io', '--engine', 'bpf', '--out', out, '--quiet', '--'],
            ...['bash', '-c', `pgrep -P $PPID agentsight > ${started}; exec sleep 60`],
          ],
          { env: live.env, stdio: 'ignore' },
        );
        const ended = new Promise(resolve => recorder.on('exit', resolve));
        while (!existsSync(started) || readFileSync(started, 'utf8') === '') await delay(20);
        const engine = Number(readFileSync(started, 'utf8'));
        const held = heldBy(engine);
        expect(held.map(what => what.split(' ')[0])).toEqual(expect.arrayContaining(['link', 'prog', 'map']));
        expect(held.filter(isThere)).toEqual(held);
        const target = Number(spawnSync('pgrep', ['-P', String(recorder.pid), 'sleep'], { encoding: 'utf8' }).stdout);
        // Number 0 would be everyone in this process group.
        expect(target).toBeGreaterThan(1);
        process.kill(who === 'the engine' ? engine : recorder.pid!, 'SIGKILL');
        // The kernel takes them down a moment after their last holder is gone.
        let left = held;
        for (let tries = 0; tries < 400 && left.length > 0; tries++) {
          await delay(25);
          left = left.filter(isThere);
        }
        expect(left).toEqual([]);
        process.kill(target, 'SIGKILL');
        await ended;
      },
      60_000,
    );
  },
);
