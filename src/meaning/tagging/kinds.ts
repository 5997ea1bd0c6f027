import { Flag } from '../../trace/flags.ts';
import { Kind } from '../../trace/kinds.ts';
import type { Operations } from '../../trace/operations.ts';

/**
 * The tag of a row that opens a turn without a person: its kind of event (`notification`, `continuation`, `hook`,
 * `command`, `task`, ...), whatever its text says and without any rule. '' for every other row.
 */
export function kindTag(ops: Operations, row: number): string {
  if (ops.kind.get(row) !== Kind.event || !ops.has(row, Flag.opensTurn)) return '';
  return ops.field.event.get(row) || 'event';
}
