import { Kind } from '../trace/kinds.ts';
import type { Trace } from '../trace/trace.ts';

/**
 * Where to look first. What is wrong with an operation by itself counts before what is known of its like: a failure
 * before a try again after one, before everything else; then how surely operations of its group fail.
 */
export interface Ranked {
  readonly row: number;
  /** 2 failed, 1 the same call again after a failure, 0 neither. */
  readonly direct: 0 | 1 | 2;
  readonly group: GroupEvidence;
}

/** Operations with equal values of the group's fields. */
export interface GroupEvidence {
  readonly values: readonly string[];
  readonly operations: number;
  readonly failed: number;
  /** Lower end of the 95 % interval of the share that failed: few operations prove little. */
  readonly bound: number;
  readonly rows: readonly number[];
}

const Z = 1.959963984540054;

/** Lower end of Wilson's 95 % interval for `failed` of `all`; 0 for none. */
export function wilsonLower(failed: number, all: number): number {
  if (all === 0) return 0;
  const share = failed / all;
  const z2 = Z * Z;
  const centre = share + z2 / (2 * all);
  const half = Z * Math.sqrt((share * (1 - share)) / all + z2 / (4 * all * all));
  return Math.max(0, (centre - half) / (1 + z2 / all));
}

/** Groups of the operations (prompts, calls, tool calls) among the rows, the surest to fail first. */
export function groupsOf(trace: Trace, rows: Iterable<number>, fields: readonly string[]): GroupEvidence[] {
  const groups = new Map<string, { readonly values: string[]; failed: number; readonly rows: number[] }>();
  for (const row of rows) {
    if (!RANKED.has(trace.ops.kind.get(row))) continue;
    const values = fields.map(name => trace.value(name, row));
    const key = values.join('\u0000');
    let group = groups.get(key);
    if (!group) groups.set(key, (group = { values, failed: 0, rows: [] }));
    group.rows.push(row);
    if (trace.ops.field.status.get(row) === 'error') group.failed++;
  }
  return [...groups.values()]
    .map(({ values, failed, rows: own }) => ({
      values,
      operations: own.length,
      failed,
      bound: wilsonLower(failed, own.length),
      rows: own,
    }))
    .sort((a, b) => b.bound - a.bound || b.failed - a.failed || compare(a.values, b.values));
}

const RANKED: ReadonlySet<number> = new Set([Kind.prompt, Kind.call, Kind.tool]);

function compare(a: readonly string[], b: readonly string[]): number {
  const [one, other] = [a.join('\u0000'), b.join('\u0000')];
  return one < other ? -1 : one > other ? 1 : 0;
}

/** All operations of the groups in order; equals stay in the order of their rows. */
export function rank(trace: Trace, groups: readonly GroupEvidence[]): Ranked[] {
  const all = groups.flatMap(group =>
    group.rows.map((row): Ranked => ({ row, direct: directSignal(trace, row), group })),
  );
  return all.sort((a, b) => b.direct - a.direct || b.group.bound - a.group.bound || a.row - b.row);
}

function directSignal(trace: Trace, row: number): 0 | 1 | 2 {
  if (trace.ops.field.status.get(row) === 'error') return 2;
  return trace.value('repeat', row) === 'again-after-failure' ? 1 : 0;
}
