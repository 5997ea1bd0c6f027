import { Flag } from '../../trace/flags.ts';
import type { Operations } from '../../trace/operations.ts';
import { AGENT } from './context.ts';

/**
 * A fork repeats its parent's rows with the same ids and times, so that nothing in two equal rows tells which was
 * first. The fork's are marked as replayed where the other is there too: the parent keeps what it spent. Also fills in
 * whose history it was, where the file did not say (`forkedFrom` is empty).
 */
export function settleForks(out: Operations): void {
  const { all } = out.sessions;
  const forks = new Set<number>();
  all.forEach((session, at) => {
    if (session.agent === AGENT && session.forkedFrom !== undefined) forks.add(at);
  });
  if (forks.size === 0) return;
  const repeated = new Map<string, number[]>();
  for (let row = 0; row < out.length; row++) {
    if (!forks.has(out.session.get(row)) || !out.key.has(row)) continue;
    const name = nameOf(out, row);
    const rows = repeated.get(name);
    if (rows) rows.push(row);
    else repeated.set(name, [row]);
  }
  for (let row = 0; row < out.length; row++) {
    const session = out.session.get(row);
    if (!out.key.has(row) || all[session]?.agent !== AGENT) continue;
    for (const copy of repeated.get(nameOf(out, row)) ?? []) {
      const fork = all[out.session.get(copy)];
      // Of two forks of one parent only one gives way to the other.
      if (!fork || out.session.get(copy) === session || out.has(row, Flag.replayed)) continue;
      if (all[session]?.forkedFrom === fork.id || out.start.get(row) > out.start.get(copy)) continue;
      if (fork.forkedFrom === '') fork.forkedFrom = all[session]?.id ?? '';
      out.flag(copy, Flag.replayed);
    }
  }
}

function nameOf(out: Operations, row: number): string {
  return `${out.kind.get(row)} ${out.key.high[row]} ${out.key.low[row]}`;
}
