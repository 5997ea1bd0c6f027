import type { RecordedEvent } from './events.ts';
import { isDeed, processKey } from './events.ts';
import type { Correlation, Covers, RecordedCall } from './links.ts';
import { type ProcessRecord, withDescendants } from './summary.ts';

/** The files a call names, whichever way it does. */
const namedBy = ({ path, access, files }: RecordedCall): NonNullable<RecordedCall['files']> => [
  ...(path === undefined ? [] : [{ path, ...(access !== undefined && { access }) }]),
  ...(files ?? []),
];

/** Files the agent opened itself, for tools that run inside it: by path and time, where exactly one call fits. */
export function inProcess(
  events: readonly RecordedEvent[],
  calls: readonly RecordedCall[],
  agent: ProcessRecord | undefined,
  covers: Covers,
  out: Correlation,
  open: Set<string>,
  link: (call: RecordedCall, seqs: number[]) => void,
): void {
  const byPath = new Map<string, { call: RecordedCall; access?: 'r' | 'w' }[]>();
  for (const call of calls)
    for (const { path, access } of namedBy(call)) {
      const known = byPath.get(path) ?? [];
      known.push({ call, ...(access !== undefined && { access }) });
      byPath.set(path, known);
    }
  if (agent === undefined || byPath.size === 0) return;
  const found = new Map<RecordedCall, number[]>();
  const torn = new Map<RecordedCall, Set<string>>();
  for (const event of events) {
    if ((event.type !== 'file.open' && event.type !== 'file.rename') || processKey(event) !== agent.key) continue;
    const path = event.type === 'file.open' ? event.path : event.to;
    const writes = event.type === 'file.rename' || event.access !== 'r';
    const fitting = [
      ...new Set(
        (byPath.get(path) ?? [])
          // An edit reads before it writes; a reader never writes.
          .filter(({ access }) => access === undefined || (access === 'w') === writes || !writes)
          .map(({ call }) => call)
          .filter(call => covers(call, event.t_ns)),
      ),
    ];
    const [owner] = fitting;
    if (fitting.length === 1) found.set(owner!, [...(found.get(owner!) ?? []), event.seq]);
    else
      for (const call of fitting) torn.set(call, new Set([...(torn.get(call) ?? []), ...fitting.map(({ id }) => id)]));
  }
  for (const call of new Set([...found.keys(), ...torn.keys()])) {
    if (!open.delete(call.id)) continue;
    const seqs = found.get(call);
    if (seqs !== undefined && !torn.has(call)) link(call, seqs);
    else out.unattached.push({ call: call.id, reason: 'ambiguous', candidates: [...(torn.get(call) ?? [])] });
  }
}

/**
 * Work of one server of tools: what its processes did while exactly one call to it was open, and the programs it started
 * then. Its own life is nobody's.
 */
export function ofServer(
  events: readonly RecordedEvent[],
  asked: readonly RecordedCall[],
  server: ProcessRecord,
  covers: Covers,
  link: (call: RecordedCall, child: ProcessRecord | undefined, seqs: number[]) => void,
): void {
  const ownerAt = (t_ns: number): RecordedCall | undefined => {
    const fitting = asked.filter(call => covers(call, t_ns));
    return fitting.length === 1 ? fitting[0] : undefined;
  };
  const given = new Set<string>();
  const todo = [...server.children];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const owner = ownerAt(next.began_ns);
    if (owner === undefined) todo.push(...next.children);
    else {
      link(owner, next, []);
      for (const { key } of withDescendants(next)) given.add(key);
    }
  }
  for (const process of withDescendants(server)) {
    if (given.has(process.key)) continue;
    for (const [call, seqs] of ownDeeds(events, process, ownerAt)) link(call, undefined, seqs);
  }
}

/** Sequence numbers of what one process itself did to files and the network, by the call that owns the moment. */
export function ownDeeds(
  events: readonly RecordedEvent[],
  { pid, start_ns }: ProcessRecord,
  ownerAt: (t_ns: number) => RecordedCall | undefined,
): Map<RecordedCall, number[]> {
  const seqs = new Map<RecordedCall, number[]>();
  for (const event of events) {
    // What the recorder made of several events has no number of its own.
    if (!isDeed(event) || event.seq === 0 || event.pid !== pid || event.start_ns !== start_ns) continue;
    const owner = ownerAt(event.t_ns);
    if (owner === undefined) continue;
    const list = seqs.get(owner);
    if (list) list.push(event.seq);
    else seqs.set(owner, [event.seq]);
  }
  return seqs;
}
