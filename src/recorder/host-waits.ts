import { processKey, type RecordedEvent, type RecordingHeader } from './events.ts';

/** How long each process stood still for answers, by host. */
export class HostWaits {
  private readonly byProcess = new Map<string, Map<string, number>>();
  private readonly names = new Map<string, string>();

  take(event: RecordedEvent | RecordingHeader): void {
    if (event.type === 'net.name') for (const address of event.addr) this.names.set(address, event.name);
    if (event.type !== 'net.exchange') return;
    const { blocked_ns, shared, family, addr, port } = event;
    // Shared: the same time stands in another exchange too.
    if (blocked_ns === undefined || blocked_ns === 0 || shared) return;
    const name = this.names.get(addr) ?? (family === 'inet6' ? `[${addr}]` : addr);
    const host = port === undefined ? name : `${name}:${port}`;
    const key = processKey(event);
    const hosts = this.byProcess.get(key) ?? new Map<string, number>();
    hosts.set(host, (hosts.get(host) ?? 0) + blocked_ns);
    this.byProcess.set(key, hosts);
  }

  /** Of several processes together, the longest first. Processes beside each other may wait at once. */
  of(processes: readonly string[]): { host: string; waited_ns: number }[] {
    const sums = new Map<string, number>();
    for (const key of processes)
      for (const [host, waited] of this.byProcess.get(key) ?? []) sums.set(host, (sums.get(host) ?? 0) + waited);
    return [...sums]
      .map(([host, waited_ns]) => ({ host, waited_ns }))
      .sort((a, b) => b.waited_ns - a.waited_ns || (a.host < b.host ? -1 : 1));
  }
}
