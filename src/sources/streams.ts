import { Flag } from '../trace/flags.ts';
import type { Operations } from '../trace/operations.ts';
import type { FileLedger } from './ledger.ts';

/** Said once for each stream whose session was read from the agent's own file. */
export const TOLD_ELSEWHERE = 'the session of this stream is counted from the agent’s own file';

/**
 * What a client prints while it works (`stream-json`, `exec --json`) repeats what it writes into its own history, with
 * fewer facts and partly under other ids. Where both are there the history counts, for the session and its subagents
 * whole: rows of the stream become copies that win over nothing.
 */
export function settleStreams(out: Operations, agent: string, ledgers: readonly FileLedger[]): void {
  const streamed: number[] = [];
  for (let row = 0; row < out.length; row++) {
    if (out.has(row, Flag.streamed) && out.sessions.all[out.session.get(row)]?.agent === agent) streamed.push(row);
  }
  if (streamed.length === 0) return;
  const told = new Set<number>();
  for (let row = 0; row < out.length; row++) {
    if (!out.has(row, Flag.streamed)) told.add(out.session.get(row));
  }
  const noted = new Set<number>();
  for (const row of streamed) {
    if (!isTold(out, out.session.get(row), told)) continue;
    out.flag(row, Flag.copy | Flag.replayed);
    noted.add(out.file.get(row));
  }
  for (const file of noted) {
    const notes = ledgers[file]?.notes;
    if (notes && !notes.includes(TOLD_ELSEWHERE)) notes.push(TOLD_ELSEWHERE);
  }
}

/** True for a row of a stream whose session is told elsewhere; see `settleStreams`. */
export function isToldElsewhere(out: Operations, row: number): boolean {
  return out.has(row, Flag.streamed) && out.has(row, Flag.replayed);
}

const DEEPEST = 64;

function isTold(out: Operations, session: number, told: ReadonlySet<number>): boolean {
  let at: number | undefined = session;
  for (let steps = 0; at !== undefined && steps < DEEPEST; steps++) {
    if (told.has(at)) return true;
    const here: { agent: string; parent?: string } | undefined = out.sessions.all[at];
    at = here?.parent === undefined ? undefined : out.sessions.find(here.agent, here.parent);
  }
  return false;
}
