import type { StringColumn } from '../../trace/columns.ts';
import { Kind } from '../../trace/kinds.ts';
import type { Operations } from '../../trace/operations.ts';
import { rowsOf } from '../../trace/rows-of-kind.ts';
import { CONTINUE } from './decision.ts';

/**
 * Gives prompts that only go on ("ok", "继续") the tag of what they continue: of the last prompt of their session that
 * says something, whoever decided it, `unmatched` too. `by` tells which only go on (`turn`). One with nothing before it keeps
 * `continue`: its session was begun elsewhere. What machines put between does not break the chain, and neither does a
 * person's praise.
 */
export function inheritTags(ops: Operations, prompt: StringColumn, by: StringColumn): void {
  const last = new Map<number, number>();
  const turn = by.find('turn');
  if (turn === undefined) return;
  for (const row of rowsOf(ops, Kind.prompt)) {
    if (prompt.codeAt(row) === 0) continue;
    const session = ops.session.get(row);
    if (by.codeAt(row) !== turn) {
      if (by.get(row) !== MACHINE) last.set(session, prompt.codeAt(row));
      continue;
    }
    const before = last.get(session);
    if (before !== undefined) prompt.setCode(row, before);
    else prompt.set(row, CONTINUE);
  }
}

/** What `by` says of a text that a machine wrote in the place of a prompt. */
export const MACHINE = 'machine';
