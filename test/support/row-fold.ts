import { type FrameColumn, LIST } from '../../src/profile/columns.ts';
import type { FoldOptions } from '../../src/profile/fold.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { OUTER_FRAMES } from '../../src/profile/views.ts';
import { type Amounts, amountsOf } from '../../src/trace/amounts.ts';
import { NO_ROW } from '../../src/trace/kinds.ts';
import type { Trace } from '../../src/trace/trace.ts';

/**
 * The twin of fold.ts: one operation after the other, stacks as texts, sums as BigInts. A line a sample, sorted:
 * `frames | labels | values`.
 */
export function foldByRow(trace: Trace, rows: Uint32Array, options: FoldOptions): string[] {
  const { columns, splits, labels, shown } = options;
  const amounts = amountsOf(trace);
  const samples = new Map<string, bigint[]>();
  const firstInner = columns.findIndex(column => !OUTER_FRAMES.has(column.name));
  const inner = firstInner < 0 ? columns.length : firstInner;
  const framesOf = (column: FrameColumn, row: number): string[] =>
    (column.values[column.code(row)] as string)
      .split(LIST)
      .filter(part => part !== '')
      .map(part => `${column.name}:${shown(column.name, part)}`);
  const stackOf = (row: number, amount: Amounts): string => {
    const frames: string[] = [];
    for (let at = 0; at <= columns.length; at++) {
      if (at === inner) frames.push(...chainOf(trace, trace.ops.session.get(row), columns, framesOf, shown));
      if (at === splits.token && amount.token) frames.push(`token:${amount.token}`);
      if (at === splits.domain?.at && amount.domain) frames.push(...framesOf(splits.domain.column, row));
      const column = columns[at];
      if (column) frames.push(...framesOf(column, row));
    }
    return frames.join(';');
  };
  for (const row of rows) {
    const set = labels.flatMap(column => {
      const text = column.values[column.code(row)] as string;
      return text === '' ? [] : [`${column.name}=${shown(column.name, text.replaceAll(LIST, ' > '))}`];
    });
    amounts(row, (amount, values) => {
      const name = `${stackOf(row, amount)} | ${set.join(',')}`;
      const sums = samples.get(name) ?? Array.from(values, () => 0n);
      samples.set(
        name,
        sums.map((sum, m) => sum + BigInt(values[m] as number)),
      );
    });
  }
  return [...samples].map(([name, sums]) => `${name} | ${sums.join(' ')}`).sort();
}

/** The frames of what led to a subagent's session. */
function chainOf(
  trace: Trace,
  session: number,
  columns: readonly FrameColumn[],
  framesOf: (column: FrameColumn, row: number) => string[],
  shown: (kind: string, value: string) => string,
): string[] {
  const { ops, links } = trace;
  const named = (kind: string) => columns.some(column => column.name === kind);
  if ((!named('call') && !named('tool')) || links.depth[session] === 0) return [];
  const spawn = links.spawn[session] as number;
  const frames: string[] = [];
  if (spawn !== NO_ROW) {
    frames.push(...chainOf(trace, ops.session.get(spawn), columns, framesOf, shown));
    for (const column of columns)
      if (column.name === 'task' || column.name === 'call') frames.push(...framesOf(column, spawn));
    const tool = ops.field.tool.get(spawn);
    if (tool !== '') frames.push(`tool:${shown('tool', tool)}`);
  }
  if (!named('subagent'))
    frames.push(`subagent:${shown('subagent', ops.sessions.all[session]?.subagent || 'subagent')}`);
  return frames;
}

/** The samples of a folded profile in the same words; costs as they are. */
export function sampleLines(profile: Profile): string[] {
  const { samples, nodes, frames, labelSets } = profile;
  return Array.from({ length: samples.length }, (_, i) => {
    const stack: string[] = [];
    for (let node = samples.node[i] as number; node !== 0; node = nodes.parent[node] as number) {
      const frame = frames[nodes.frame[node] as number];
      stack.unshift(`${frame?.kind}:${frame?.value}`);
    }
    const set = (labelSets.at(samples.labels[i] as number) ?? []).map(
      label => `${label.key}=${'text' in label ? label.text : label.number}`,
    );
    return `${stack.join(';')} | ${set.join(',')} | ${samples.values.map(values => values[i]).join(' ')}`;
  }).sort();
}
