import { words } from '../formats/units.ts';
import { microDollars } from '../money/round.ts';
import { type TableRow, tableBy } from '../profile/table.ts';
import { Kind } from '../trace/kinds.ts';
import { UsageError } from '../trace/usage-error.ts';
import { emptyReport } from './empty.ts';
import { type History, readHistory } from './history.ts';
import type { HistoryFlags } from './options.ts';
import { type Column, drawTable } from './table.ts';
import { unknownUsageLine } from './unknown-usage.ts';

export interface SessionsFlags extends HistoryFlags {
  by?: string;
  prices?: string;
  limit: string;
  json?: boolean;
}

/** Lists sessions, latest first; or totals by a field, as trackers show them. */
export async function sessions(flags: SessionsFlags): Promise<void> {
  const limit = Number(flags.limit);
  if (!Number.isInteger(limit) || limit < 0)
    throw new UsageError(`--limit: ${JSON.stringify(flags.limit)} is not a number of rows.`);
  const history = await readHistory(flags, { prices: flags.prices ?? true });
  const rows = flags.by === undefined ? sessionRows(history) : fieldRows(history, flags.by);
  if (flags.json) {
    process.stdout.write(
      `${JSON.stringify({ schema: 'agentpprof.sessions/1', by: flags.by ?? 'session', rows: rows.map(plain) }, null, 2)}\n`,
    );
    return;
  }
  if (rows.length === 0) {
    process.stderr.write(emptyReport(history));
    return;
  }
  const shown = limit === 0 ? rows : rows.slice(0, limit);
  process.stdout.write(
    flags.by === 'tool' ? drawTools(shown) : draw(shown, flags.by ?? 'session', flags.by === undefined),
  );
  if (rows.length > shown.length)
    process.stdout.write(`... and ${rows.length - shown.length} more (--limit 0 shows all)\n`);
  const unknown = unknownUsageLine(history);
  if (unknown !== '') process.stdout.write(`${unknown}\n`);
  if (history.narrowed.length > 0) process.stdout.write(`narrowed to: ${history.narrowed.join(', ')}\n`);
}

/** The lines of a table add up to its rounded total. */
function inMicroDollars(rows: readonly TableRow[]): TableRow[] {
  const rounded = microDollars(rows.map(row => row.sums.cost ?? 0n));
  return rows.map((row, at) => ({ ...row, sums: { ...row.sums, cost: rounded[at] as bigint } }));
}

interface Named extends TableRow {
  readonly name: string;
  readonly agent: string;
  readonly project: string;
}

function sessionRows(history: History): Named[] {
  const { trace, rows, pseudonyms } = history;
  const all = trace.ops.sessions.all;
  const found = inMicroDollars(tableBy(trace, rows, row => String(trace.links.root[trace.ops.session.get(row)])));
  return found
    .map(row => {
      const session = all[Number(row.value)];
      return {
        ...row,
        name: pseudonyms.of('session', session?.id ?? ''),
        agent: session?.agent ?? '',
        project: history.redactor.frame('project', session?.project ?? ''),
      };
    })
    .sort((a, b) => b.last - a.last || (a.name < b.name ? -1 : 1));
}

/** Totals by a field. By tool only tool calls count; by model only calls. */
function fieldRows(history: History, by: string): Named[] {
  const { trace, pseudonyms } = history;
  if (!trace.field(by))
    throw new UsageError(`--by: there is no field ${JSON.stringify(by)}. Known fields: ${trace.names().join(', ')}.`);
  const kind = by === 'tool' || by === 'command' ? Kind.tool : by === 'model' ? Kind.call : undefined;
  const rows = kind === undefined ? history.rows : history.rows.filter(row => trace.ops.kind.get(row) === kind);
  const hidden = by === 'session' || by === 'parent_session' || by === 'prompt_id';
  const found = inMicroDollars(tableBy(trace, rows, row => trace.value(by, row))).map(row => ({
    ...row,
    name: row.value === '' ? '(none)' : hidden ? pseudonyms.of(by, row.value) : history.redactor.frame(by, row.value),
    agent: '',
    project: '',
  }));
  if (by === 'day' || by === 'week' || by === 'month') return found;
  const weight = (row: Named) => (by === 'tool' || by === 'command' ? BigInt(row.tools) : (row.sums.tokens ?? 0n));
  return found.sort((a, b) => (weight(b) > weight(a) ? 1 : weight(b) < weight(a) ? -1 : a.name < b.name ? -1 : 1));
}

function draw(rows: readonly Named[], title: string, list: boolean): string {
  const columns: Column[] = [{ title, widest: 40 }];
  if (list) columns.push({ title: 'agent' }, { title: 'project', widest: 24 }, { title: 'last active' });
  else columns.push({ title: 'sessions', right: true });
  for (const each of [
    'prompts',
    'calls',
    'tools',
    'input',
    'cache read',
    'cache write',
    'output',
    'tokens',
    'cost',
    'active',
  ])
    columns.push({ title: each, right: true });
  return drawTable(
    columns,
    rows.map(row => [
      row.name,
      ...(list ? [row.agent, row.project, minute(row.last)] : [row.sessions.toLocaleString('en-US')]),
      row.prompts.toLocaleString('en-US'),
      row.calls.toLocaleString('en-US'),
      row.tools.toLocaleString('en-US'),
      ...['input_tokens', 'cache_read_tokens', 'cache_write_tokens'].map(name => words(row.sums[name] ?? 0n, 'count')),
      words((row.sums.output_tokens ?? 0n) + (row.sums.reasoning_tokens ?? 0n), 'count'),
      words(row.sums.tokens ?? 0n, 'count'),
      words(row.sums.cost ?? 0n, 'microusd'),
      words(row.sums.time ?? 0n, 'nanoseconds'),
    ]),
  );
}

function drawTools(rows: readonly Named[]): string {
  return drawTable(
    ['tool', 'calls', 'failed', 'failure rate', 'mean', 'p95', 'active', 'sessions'].map((title, at) => ({
      title,
      right: at > 0,
    })),
    rows.map(row => [
      row.name,
      row.tools.toLocaleString('en-US'),
      row.failedTools.toLocaleString('en-US'),
      row.tools === 0 ? '' : `${((100 * row.failedTools) / row.tools).toFixed(1)} %`,
      words(BigInt(row.meanTool), 'nanoseconds'),
      words(BigInt(row.p95Tool), 'nanoseconds'),
      words(row.sums.time ?? 0n, 'nanoseconds'),
      row.sessions.toLocaleString('en-US'),
    ]),
  );
}

function minute(micros: number): string {
  if (micros === 0) return '';
  const date = new Date(micros / 1000);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

function plain(row: Named): Record<string, unknown> {
  const number = (value: bigint) => (value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value.toString());
  const sums = Object.fromEntries(Object.entries(row.sums).map(([name, value]) => [name, number(value)]));
  return {
    name: row.name,
    ...(row.agent === '' ? {} : { agent: row.agent, project: row.project }),
    sessions: row.sessions,
    prompts: row.prompts,
    calls: row.calls,
    unknown_usage_calls: row.unknownUsage,
    tool_calls: row.tools,
    failed_tool_calls: row.failedTools,
    ...sums,
    first: row.first === 0 ? null : new Date(row.first / 1000).toISOString(),
    last: row.last === 0 ? null : new Date(row.last / 1000).toISOString(),
    mean_tool_ns: row.meanTool,
    p95_tool_ns: row.p95Tool,
  };
}
