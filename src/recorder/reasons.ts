import type { NotAttached } from './ledger.ts';
import type { Parts } from './parts.ts';
import { type ProcessRecord, withDescendants } from './summary.ts';

/** Why each process that is of no call is of none; those of calls are not among them. */
export function reasonsOf(
  processes: ReadonlyMap<string, ProcessRecord>,
  { agents, calls, unattached, remaining }: Parts,
): Map<string, NotAttached> {
  const reasons = new Map<string, NotAttached>();
  for (const key of processes.keys()) reasons.set(key, agents.size === 0 ? 'no_session' : 'outside_agent');
  for (const agent of remaining.agents) {
    for (const { key } of withDescendants(agent)) reasons.set(key, 'no_call');
  }
  for (const server of remaining.servers) for (const { key } of withDescendants(server)) reasons.set(key, 'server');
  for (const { reason, candidates } of unattached) {
    if (reason === 'no process') continue;
    for (const candidate of candidates) {
      const process = processes.get(candidate);
      for (const { key } of process ? withDescendants(process) : []) reasons.set(key, reason);
    }
  }
  for (const { key } of remaining.agents) reasons.set(key, 'agent');
  for (const call of calls) for (const { key } of call.processes) reasons.delete(key);
  return reasons;
}
