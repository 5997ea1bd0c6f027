import { redactArguments } from '../privacy/arguments.ts';
import { counted } from '../trace/counted.ts';
import type { CallTime, ModelTokens, ToolTimes } from './call-times.ts';
import type { RecordingLedger } from './ledger.ts';
import { printable } from './printable.ts';

/** What a recording and the histories of its agents tell together. */
export interface CallReport {
  readonly calls: readonly CallTime[];
  readonly tools: readonly ToolTimes[];
  readonly models: readonly ModelTokens[];
  /** Undefined where no session belongs to the recording. */
  readonly ledger: RecordingLedger | undefined;
  /** Programs that no call has, with the reason; the agent itself is not among them. */
  readonly programs: readonly { readonly pid: number; readonly argv: readonly string[]; readonly reason: string }[];
}

type Clean = (text: string) => string;

const SLOWEST = 10;

const slowest = (calls: readonly CallTime[]): readonly CallTime[] =>
  calls
    .filter(({ wall_ns }) => wall_ns !== undefined)
    .sort((a, b) => b.wall_ns! - a.wall_ns! || a.row - b.row)
    .slice(0, SLOWEST);

/** Keys of `agentpprof.recording-report/1` beside those of the recording alone. `sessions` 0: nothing else is known. */
export function callsJson({ calls, tools, models, ledger, programs }: CallReport, clean: Clean): object {
  const told = ({ row: _, ...call }: CallTime): object => ({
    ...call,
    command: clean(call.command),
    hosts: call.hosts.map(each => ({ ...each, host: clean(each.host) })),
  });
  return {
    sessions: ledger?.sessions ?? 0,
    tools,
    slowest_calls: slowest(calls).map(told),
    models,
    not_attached: {
      calls: calls.filter(({ attached, reason }) => !attached && reason !== 'nothing to find').map(told),
      programs: programs.map(({ pid, argv, reason }) => ({
        pid,
        what: redactArguments(argv, clean).join(' '),
        reason,
      })),
    },
    attached: ledger,
  };
}

/** The same for a person; empty where no session belongs to the recording. */
export function callsText(report: CallReport, clean: Clean): string[] {
  const { calls, tools, models, ledger, programs } = report;
  if (ledger === undefined || ledger.sessions === 0) return [];
  const name = (text: string, widest = 60): string => printable(clean(text), widest);
  const out = [
    `tool calls: ${calls.length} of ${counted(ledger.sessions, 'session')}, ${ledger.calls.attached} of the ${ledger.calls.in_time} that leave something attached`,
    ...columns(
      ['tool', 'calls', 'mean', 'p95', 'failed', 'waiting'],
      tools.map(tool => [
        name(tool.tool, 40),
        String(tool.calls),
        duration(tool.mean_ns),
        duration(tool.p95_ns),
        tool.answered === 0 ? '' : `${Math.round((100 * tool.failed) / tool.answered)} %`,
        tool.waiting_share === undefined
          ? 'not measured'
          : `${Math.round(100 * tool.waiting_share)} %${tool.split < tool.calls ? ` of ${tool.split}` : ''}`,
      ]),
    ),
    '',
    'slowest tool calls',
    ...slowest(calls).map(
      call =>
        `  ${duration(call.wall_ns!)}  ${[name(call.tool, 40), name(call.command)].join(' ').trim()}: ${where(call, name)}`,
    ),
    '',
  ];
  if (models.length > 0)
    out.push(
      'tokens by model',
      ...columns(
        ['model', 'calls', 'input', 'cache read', 'cache write', 'output', 'reasoning', 'total'],
        models.map(model => [
          name(model.model, 40),
          ...[
            model.calls,
            model.input,
            model.cache_read,
            model.cache_write,
            model.output,
            model.reasoning,
            model.total,
          ].map(value => value.toLocaleString('en-US')),
        ]),
      ),
      '',
    );
  const open = calls.filter(({ attached, reason }) => !attached && reason !== 'nothing to find');
  if (open.length > 0)
    out.push(
      `tool calls not attached: ${open.length}`,
      ...limited(
        open.map(
          ({ tool, command, reason }) => `  ${[name(tool, 40), name(command)].join(' ').trim()}: ${WHY[reason!]}`,
        ),
      ),
      '',
    );
  if (programs.length > 0)
    out.push(
      `programs of no tool call: ${programs.length}`,
      ...limited(
        programs.map(
          ({ pid, argv, reason }) =>
            `  ${pid} ${name(redactArguments(argv, clean).join(' '), 100)}: ${NO_CALL[reason] ?? reason}`,
        ),
      ),
      '',
    );
  return out;
}

/** Where the time of a call went, in words, as far as it is known. */
function where(call: CallTime, name: (text: string) => string): string {
  if (!call.attached) return `not measured (${WHY[call.reason!]})`;
  const parts: string[] = [];
  if (call.waiting_ns === undefined)
    parts.push(
      call.outlives
        ? 'CPU and waiting not told apart, a process went on after it'
        : call.processes === 0
          ? 'inside the agent'
          : 'CPU and waiting not told apart',
    );
  else {
    const more = call.cpu_ns! > call.wall_ns! ? ' of several processes at once' : '';
    parts.push(`CPU ${duration(call.cpu_ns!)}${more}, waiting ${duration(call.waiting_ns)}`);
  }
  if (call.hosts.length > 0)
    parts.push(
      `for answers of ${call.hosts
        .slice(0, 3)
        .map(({ host, waited_ns }) => `${name(host)} ${duration(waited_ns)}`)
        .join(', ')}${call.hosts.length > 3 ? ` and ${call.hosts.length - 3} more` : ''}`,
    );
  if ((call.before_ns ?? 0) >= 0.1e9) parts.push(`its first program began after ${duration(call.before_ns!)}`);
  return parts.join('; ');
}

const WHY: Readonly<Record<NonNullable<CallTime['reason']>, string>> = {
  'no process': 'no process or file of it was recorded',
  twins: 'the same command ran twice at the same time',
  ambiguous: 'more than one answer',
  'nothing to find': 'leaves no process and no file',
};

const NO_CALL: Readonly<Record<string, string>> = {
  twins: 'one of several identical commands at the same time',
  ambiguous: 'more than one answer',
  server: 'a server of tools',
  no_call: 'below the agent, no call asked for it',
  outside_agent: 'not below an agent',
  no_session: 'no session',
};

const MOST_LINES = 20;
const limited = (lines: string[]): string[] =>
  lines.length <= MOST_LINES ? lines : [...lines.slice(0, MOST_LINES), `  … and ${lines.length - MOST_LINES} more`];

const duration = (ns: number): string => (ns < 1e9 ? `${(ns / 1e6).toFixed(0)} ms` : `${(ns / 1e9).toFixed(2)} s`);

/** The first column to the left, the others to the right. */
function columns(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [head, ...rows];
  const widths = head.map((_, at) => Math.max(...all.map(row => (row[at] ?? '').length)));
  return all.map(row =>
    `  ${row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join('  ')}`.trimEnd(),
  );
}
