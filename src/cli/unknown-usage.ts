import { counted, grouped } from '../trace/counted.ts';
import { Flag } from '../trace/flags.ts';
import { Kind } from '../trace/kinds.ts';
import type { History } from './history.ts';

/** Of the selected calls those whose usage was not recorded: tables show 0 for them, which is not what they cost. */
export function unknownUsage({ trace, rows }: History): { calls: number; all: number } {
  const { kind, flags } = trace.ops;
  let [calls, all] = [0, 0];
  for (const row of rows) {
    if (kind.get(row) !== Kind.call) continue;
    all++;
    if ((flags.get(row) & Flag.unknownUsage) !== 0) calls++;
  }
  return { calls, all };
}

/** One line about them; '' if there are none. */
export function unknownUsageLine(history: History): string {
  const { calls, all } = unknownUsage(history);
  if (calls === 0) return '';
  const n = grouped;
  return `usage unknown for ${n(calls)} of ${counted(all, 'call')}: they count 0 tokens and no cost`;
}
