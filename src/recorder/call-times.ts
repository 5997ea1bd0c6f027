import { Flag } from '../trace/flags.ts';
import { Kind } from '../trace/kinds.ts';
import { noTokens, TOKEN_COLUMNS, type Tokens } from '../trace/measures.ts';
import type { Trace } from '../trace/trace.ts';
import type { Clock } from './clock.ts';
import type { HostWaits } from './host-waits.ts';
import type { Parts } from './parts.ts';
import type { RecordingSummary } from './summary.ts';
import { cpuOf } from './waiting.ts';

/** One tool call in the time of a recording, and where its time went as far as that was measured. Times in nanoseconds. */
export interface CallTime {
  readonly row: number;
  readonly tool: string;
  readonly command: string;
  readonly status: string;
  /** From asking to answer; undefined where no answer came. */
  readonly wall_ns?: number;
  /** Whether anything recorded is attached to it; if not, why. */
  readonly attached: boolean;
  readonly reason?: 'no process' | 'twins' | 'ambiguous' | 'nothing to find';
  /** From the call to its first program: asking for leave, and the agent itself. */
  readonly before_ns?: number;
  /** Of all its processes: more than `wall_ns` where several computed at once. */
  readonly cpu_ns?: number;
  readonly waiting_ns?: number;
  /** Time in which some process of it stood still for an answer of a host. Only of recordings with --io. */
  readonly hosts: readonly { readonly host: string; readonly waited_ns: number }[];
  readonly processes: number;
  readonly outlives: boolean;
}

export interface ToolTimes {
  readonly tool: string;
  readonly calls: number;
  /** Calls with an answer; mean, p95 and failures are of these. */
  readonly answered: number;
  readonly mean_ns: number;
  readonly p95_ns: number;
  readonly failed: number;
  /** Calls whose time is split into CPU and waiting, and the share that waiting has of it. */
  readonly split: number;
  readonly waiting_share?: number;
}

export interface ModelTokens {
  readonly model: string;
  readonly calls: number;
  readonly input: number;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly output: number;
  readonly reasoning: number;
  readonly total: number;
}

/** The tool calls of a recording's sessions in its time, in the order in which they began. */
export function callTimes(
  trace: Trace,
  { agents, calls, unattached }: Parts,
  summary: RecordingSummary,
  clock: Clock,
  waits: HostWaits,
): CallTime[] {
  const { ops } = trace;
  const attached = new Map(calls.map(call => [call.row, call]));
  const reasons = new Map(unattached.map(({ call, reason }) => [Number(call), reason]));
  const times: CallTime[] = [];
  for (const row of rowsIn(trace, agents, summary, clock, Kind.tool)) {
    const status = ops.field.status.get(row);
    const answered = status !== 'unanswered';
    const wall_ns = (ops.end.get(row) - ops.start.get(row)) * 1000;
    const call = attached.get(row);
    const cpu = call && cpuOf(call, wall_ns);
    const first = call?.links.filter(({ process }) => process !== undefined).map(({ delta_ms }) => delta_ms) ?? [];
    times.push({
      row,
      tool: ops.field.tool.get(row),
      command: ops.field.command.get(row),
      status,
      attached: call !== undefined,
      ...(call === undefined && { reason: reasons.get(row) ?? 'nothing to find' }),
      ...(answered && { wall_ns }),
      ...(first.length > 0 && { before_ns: Math.max(0, Math.min(...first)) * 1e6 }),
      ...(cpu && { cpu_ns: cpu.cpu_ns, waiting_ns: Math.max(0, wall_ns - cpu.cpu_ns) }),
      hosts: call ? waits.of(call.processes.map(({ key }) => key)) : [],
      processes: call?.processes.length ?? 0,
      outlives: call?.links.some(({ outlives_call }) => outlives_call) ?? false,
    });
  }
  return times.sort((a, b) => ops.start.get(a.row) - ops.start.get(b.row) || a.row - b.row);
}

/** By tool, the one that took most time first. */
export function toolTimes(calls: readonly CallTime[]): ToolTimes[] {
  const byTool = new Map<string, CallTime[]>();
  for (const call of calls) byTool.set(call.tool, [...(byTool.get(call.tool) ?? []), call]);
  return [...byTool]
    .map(([tool, own]) => {
      const walls = own.flatMap(({ wall_ns }) => wall_ns ?? []).sort((a, b) => a - b);
      const sum = walls.reduce((all, each) => all + each, 0);
      const split = own.filter(({ waiting_ns }) => waiting_ns !== undefined);
      const of = (measure: (call: CallTime) => number): number => split.reduce((all, call) => all + measure(call), 0);
      const whole = of(({ wall_ns }) => wall_ns ?? 0);
      return {
        sum,
        times: {
          tool,
          calls: own.length,
          answered: walls.length,
          mean_ns: walls.length === 0 ? 0 : Math.round(sum / walls.length),
          p95_ns: walls[Math.ceil(walls.length * 0.95) - 1] ?? 0,
          failed: own.filter(({ status }) => status === 'error').length,
          split: split.length,
          ...(whole > 0 && { waiting_share: of(({ waiting_ns }) => waiting_ns ?? 0) / whole }),
        },
      };
    })
    .sort((a, b) => b.sum - a.sum || (a.times.tool < b.times.tool ? -1 : 1))
    .map(({ times }) => times);
}

/** What the models of these sessions were billed for in the time of the recording, most tokens first. */
export function modelTokens(trace: Trace, { agents }: Parts, summary: RecordingSummary, clock: Clock): ModelTokens[] {
  const { ops } = trace;
  const models = new Map<string, Tokens & { calls: number }>();
  for (const row of rowsIn(trace, agents, summary, clock, Kind.call)) {
    const model = ops.field.model.get(row);
    const sums = models.get(model) ?? { calls: 0, ...noTokens() };
    sums.calls++;
    for (const name of TOKEN_COLUMNS) sums[name] += ops.tokens[name].get(row);
    models.set(model, sums);
  }
  return [...models]
    .map(([model, sums]) => ({
      model,
      calls: sums.calls,
      input: sums.input_tokens,
      cache_read: sums.cache_read_tokens,
      cache_write: sums.cache_write_5m_tokens + sums.cache_write_1h_tokens,
      output: sums.output_tokens,
      reasoning: sums.reasoning_tokens,
      total: TOKEN_COLUMNS.reduce((all, name) => all + sums[name], 0),
    }))
    .sort((a, b) => b.total - a.total || (a.model < b.model ? -1 : 1));
}

/** A second around it: the first answer is written after the recording began, the last row maybe after it ended. */
const NEAR_US = 1e6;

function* rowsIn(
  { ops }: Trace,
  agents: Parts['agents'],
  summary: RecordingSummary,
  clock: Clock,
  kind: Kind,
): Generator<number> {
  const from = clock.wall(summary.first_ns) - NEAR_US;
  const to = clock.wall(summary.last_ns) + NEAR_US;
  for (let row = 0; row < ops.length; row++) {
    if (ops.kind.get(row) !== kind || ops.has(row, Flag.copy | Flag.replayed)) continue;
    const start = ops.start.get(row);
    if (start >= from && start <= to && agents.has(ops.session.get(row))) yield row;
  }
}
