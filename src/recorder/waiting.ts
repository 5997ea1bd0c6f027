import type { RecordedToolCall } from './parts.ts';

export interface CpuTime {
  /** Of all processes of the call. */
  readonly cpu_ns: number;
  /** Of the time that went by; above 1 where several computed at once. */
  readonly share: number;
}

/**
 * CPU time of a call that lasted `wall_ns`; undefined where it is not known for the call alone: the engine does not tell, a
 * process went on after the call, or the work was done by processes that were not started for it.
 */
export function cpuOf({ links, processes }: RecordedToolCall, wall_ns: number): CpuTime | undefined {
  if (wall_ns <= 0 || processes.length === 0) return undefined;
  const started = links.every(
    ({ method, confidence, outlives_call }) =>
      (method === 'command' || method === 'order') && confidence !== 'incomplete' && !outlives_call,
  );
  if (!started) return undefined;
  let cpu_ns = 0;
  for (const process of processes) {
    if (process.cpu_ns === undefined) return undefined;
    cpu_ns += process.cpu_ns;
  }
  return { cpu_ns, share: cpu_ns / wall_ns };
}
