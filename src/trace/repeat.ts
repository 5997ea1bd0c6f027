import { StringColumn } from './columns.ts';
import { Flag } from './flags.ts';
import { Kind } from './kinds.ts';
import type { Links } from './link.ts';
import type { Operations } from './operations.ts';

/**
 * `repeat` of tool calls: the same tool with the same arguments in one turn. `first`; `again`; `again-after-failure`
 * when the last time before failed. Loops show as a tall `again`.
 */
export function repeats(ops: Operations, links: Links): StringColumn {
  const column = new StringColumn();
  const first = column.code('first');
  const again = column.code('again');
  const afterFailure = column.code('again-after-failure');
  const failed = new Map<number, boolean>();
  for (let row = 0; row < ops.length; row++) {
    if (ops.kind.get(row) !== Kind.tool || !ops.argsKey.has(row) || ops.has(row, Flag.copy)) continue;
    const turn = (links.turn[row] as number) + 1;
    const high = ((ops.argsKey.high[row] as number) ^ Math.imul(turn, 0x9e3779b1)) >>> 0;
    const low = ((ops.argsKey.low[row] as number) ^ Math.imul(ops.field.tool.codeAt(row), 0x85ebca6b)) >>> 0;
    const key = high * 0x200000 + (low >>> 11);
    const before = failed.get(key);
    column.setCode(row, before === undefined ? first : before ? afterFailure : again);
    failed.set(key, ops.field.status.get(row) === 'error');
  }
  return column;
}
