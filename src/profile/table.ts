import { amountsOf } from '../trace/amounts.ts';
import { Flag } from '../trace/flags.ts';
import { Kind } from '../trace/kinds.ts';
import { MEASURES } from '../trace/measures.ts';
import type { Trace } from '../trace/trace.ts';
import { Sums } from './sums.ts';

/** One line of a table: everything the rows with one value of a field amount to. */
export interface TableRow {
  readonly value: string;
  readonly sessions: number;
  readonly prompts: number;
  readonly calls: number;
  /** Of the calls those whose usage was not recorded: their sums are 0, which is not what they cost. */
  readonly unknownUsage: number;
  readonly tools: number;
  readonly failedTools: number;
  /** By measure name; cost in nano-dollars. */
  readonly sums: Readonly<Record<string, bigint>>;
  /** Microseconds: first start and last end. */
  readonly first: number;
  readonly last: number;
  /** Wall time of tool calls from request to result, nanoseconds: mean and 95th percentile (nearest rank). */
  readonly meanTool: number;
  readonly p95Tool: number;
}

/** Groups rows by the value of a field; rows without the value are under ''. Sorted by value in code unit order. */
export function tableBy(trace: Trace, rows: Uint32Array, valueAt: (row: number) => string): TableRow[] {
  const groups = new Map<string, Group>();
  const amounts = amountsOf(trace);
  const sums = MEASURES.map(() => new Sums());
  const { ops } = trace;
  for (const row of rows) {
    const value = valueAt(row);
    let group = groups.get(value);
    if (!group) groups.set(value, (group = newGroup(groups.size)));
    const { at } = group;
    amounts(row, (_, values) => {
      for (let m = 0; m < values.length; m++) if (values[m] !== 0) (sums[m] as Sums).add(at, values[m] as number);
    });
    count(group, trace, row);
    group.sessions.add(trace.links.root[ops.session.get(row)] as number);
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([value, group]) => finished(value, group, sums));
}

interface Group {
  at: number;
  sessions: Set<number>;
  prompts: number;
  calls: number;
  unknownUsage: number;
  tools: number;
  failedTools: number;
  first: number;
  last: number;
  durations: number[];
}

function newGroup(at: number): Group {
  return {
    at,
    sessions: new Set(),
    prompts: 0,
    calls: 0,
    unknownUsage: 0,
    tools: 0,
    failedTools: 0,
    first: Number.MAX_SAFE_INTEGER,
    last: 0,
    durations: [],
  };
}

function count(group: Group, trace: Trace, row: number): void {
  const { ops } = trace;
  const start = ops.start.get(row);
  const end = ops.end.get(row);
  if (start > 0) {
    if (start < group.first) group.first = start;
    if (end > group.last) group.last = end;
  }
  switch (ops.kind.get(row)) {
    case Kind.prompt:
      group.prompts++;
      break;
    case Kind.call:
      group.calls++;
      if ((ops.flags.get(row) & Flag.unknownUsage) !== 0) group.unknownUsage++;
      break;
    case Kind.tool:
      group.tools++;
      if (ops.field.status.get(row) === 'error') group.failedTools++;
      if (start > 0 && end > start) group.durations.push(end - start);
  }
}

function finished(value: string, group: Group, sums: readonly Sums[]): TableRow {
  const durations = group.durations.sort((a, b) => a - b);
  const total = durations.reduce((sum, each) => sum + each, 0);
  const rank = Math.max(0, Math.ceil(durations.length * 0.95) - 1);
  return {
    value,
    sessions: group.sessions.size,
    prompts: group.prompts,
    calls: group.calls,
    unknownUsage: group.unknownUsage,
    tools: group.tools,
    failedTools: group.failedTools,
    sums: Object.fromEntries(MEASURES.map((measure, m) => [measure.name, (sums[m] as Sums).get(group.at)])),
    first: group.last === 0 ? 0 : group.first,
    last: group.last,
    meanTool: durations.length === 0 ? 0 : Math.round((total / durations.length) * 1000),
    p95Tool: (durations[rank] ?? 0) * 1000,
  };
}
