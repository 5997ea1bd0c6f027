/** What /proc tells of one process at one moment. */
export interface Usage {
  /** User and system time of all its threads since it began, also those that ended; in steps of one clock tick (10 ms). */
  cpu_ns: number;
  /** Memory that is resident now. */
  rss_kb: number;
  /** The most that was ever resident in this program (VmHWM); a new program in the same process begins anew. */
  peak_rss_kb: number;
  /** When it began, in clock ticks since boot: tells apart two processes that had the same number. */
  start_ticks: number;
}

/** USER_HZ, in which /proc/N/stat counts. 100 on every architecture that the recorder runs on, whatever the kernel's own HZ. */
const TICK_NS = 1e9 / 100;

export const ticksOf = (ns: number): number => Math.floor(ns / TICK_NS);

/**
 * The texts of /proc/N/stat and /proc/N/status as numbers. Undefined when either is not whole, and for a process that has
 * no memory of its own any more: a zombie, or a thread of the kernel.
 */
export function usageOf(stat: string, status: string): Usage | undefined {
  // The name stands in brackets and may itself hold brackets and spaces: only what follows the last one can be counted.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system, start] = [fields[11], fields[12], fields[19]].map(Number);
  const rss = kilobytes(status, 'VmRSS');
  const peak = kilobytes(status, 'VmHWM');
  if (!stat.includes(')') || rss === undefined || peak === undefined) return undefined;
  if (![user, system, start].every(Number.isSafeInteger)) return undefined;
  return { cpu_ns: (user! + system!) * TICK_NS, rss_kb: rss, peak_rss_kb: Math.max(peak, rss), start_ticks: start! };
}

/** A program's name stands on the first line of status, with its newlines escaped, so it cannot look like another line. */
function kilobytes(status: string, key: string): number | undefined {
  const found = new RegExp(`^${key}:[ \\t]*(\\d+) kB$`, 'm').exec(status);
  return found === null ? undefined : Number(found[1]);
}
