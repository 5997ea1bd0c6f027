import { readFileSync } from 'node:fs';
import type { LiveProcess } from './live.ts';
import { ticksOf, type Usage, usageOf } from './proc-sample.ts';

/** Ticks by which a start may differ: the kernel engine's is exact; strace hears of it a while later. */
const SLACK: Readonly<Record<string, number>> = { bpf: 1, strace: 300 };

/** What the system says of a recorded process now; undefined where it is gone, or another one has its number. */
export function usageNow({ pid, start_ns }: Pick<LiveProcess, 'pid' | 'start_ns'>, engine: string): Usage | undefined {
  try {
    const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'latin1');
    const usage = usageOf(read('stat'), read('status'));
    if (usage === undefined || start_ns === 0) return usage;
    return Math.abs(usage.start_ticks - ticksOf(start_ns)) <= (SLACK[engine] ?? 1) ? usage : undefined;
  } catch {
    return undefined;
  }
}
