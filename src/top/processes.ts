import { padToCells } from '../formats/cells.ts';
import { clock, memory } from './amounts.ts';
import type { Line } from './line.ts';
import type { TopProcess, TopState } from './state.ts';

/** The recordings under way, and below each its processes, the busiest first. */
export function processLines({ recordings, now }: TopState, width: number): Line[] {
  return recordings.flatMap((recording): Line[] => {
    const { command, began, engine, processes, started, failed, gaps } = recording;
    const facts = [
      `recording ${clock(now - began)} by ${engine}`,
      `${processes.length} of ${started} processes run`,
      ...(failed > 0 ? [`${failed} failed`] : []),
      ...(gaps > 0 ? [`gaps ${gaps}`] : []),
      command,
    ];
    const wide = width >= 100;
    const row = (pid: string, cpu: string, rss: string, age: string, hosts: string, text: string) =>
      ` ${pid.padStart(8)} ${cpu.padStart(6)} ${rss.padStart(6)} ${age.padStart(8)} ${padToCells(hosts, wide ? 32 : 16)} ${text}`;
    return [
      { text: facts.join('  '), style: 'head' },
      { text: row('PID', 'CPU%', 'MEM', 'AGE', 'HOSTS', 'COMMAND'), style: 'head' },
      ...processes.toSorted(busiest).map(({ pid, cpu, rssBytes, hosts, began: since, command: text }): Line => {
        const share = cpu === undefined ? '' : (100 * cpu).toFixed(cpu < 0.0995 ? 1 : 0);
        const [first = '', ...others] = hosts;
        const more = others.length > 0 ? ` +${others.length}` : '';
        return { text: row(String(pid), share, memory(rssBytes), clock(now - since), first + more, text), style: '' };
      }),
    ];
  });
}

function busiest(a: TopProcess, b: TopProcess): number {
  return (b.cpu ?? 0) - (a.cpu ?? 0) || b.rssBytes - a.rssBytes || a.pid - b.pid;
}
