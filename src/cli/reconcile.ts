import { displayText } from '../formats/names.ts';
import { costOf } from '../money/apply.ts';
import { type AgentTotals, type Reconciliation, reconcile } from '../sources/reconcile.ts';
import { counted } from '../trace/counted.ts';
import { emptyReport } from './empty.ts';
import { type History, readHistory } from './history.ts';
import type { HistoryFlags } from './options.ts';
import { recordedJson, recordedLedgerLines } from './recorded-words.ts';
import { shownPath } from './shown-path.ts';
import { drawTable } from './table.ts';
import { unknownUsageLine } from './unknown-usage.ts';

export interface ReconcileFlags extends HistoryFlags {
  prices?: string;
  json?: boolean;
}

/** The ledger of everything read; the selection narrows the counts, never what was read. */
export async function reconcileCommand(flags: ReconcileFlags): Promise<void> {
  const history = await readHistory(flags, { prices: flags.prices ?? true });
  const { cost } = history.money as NonNullable<History['money']>;
  const ledger = reconcile(
    history.trace,
    history.ledgers,
    history.rows,
    row => (cost.unpriced.get(row) === 0 ? costOf(cost, row) : undefined),
    history.redactor.frame,
  );
  const { recorded } = history;
  const told = recorded ? { ...ledger, recordings: recordedJson(recorded) } : ledger;
  if (flags.json) process.stdout.write(`${JSON.stringify(told, null, 2)}\n`);
  else process.stdout.write(drawn(ledger, history));
  if (history.rows.length === 0 && !flags.quiet) process.stderr.write(emptyReport(history));
}

function drawn(ledger: Reconciliation, history: History): string {
  const n = (value: number) => value.toLocaleString('en-US');
  const all: [string, AgentTotals][] = [
    ...ledger.agents.map(each => [each.agent, each] as [string, AgentTotals]),
    ['total', ledger.total],
  ];
  const counts = drawTable(
    ['agent', 'files', 'sessions', 'subagents', 'prompts', 'calls', 'tool calls', 'cost'].map((title, at) => ({
      title,
      right: at > 0,
    })),
    all.map(([name, of]) => [
      name,
      n(of.files),
      n(of.sessions),
      n(of.subagents),
      n(of.prompts),
      n(of.calls),
      n(of.tool_calls),
      `$${(of.cost_microusd / 1e6).toFixed(2)}`,
    ]),
  );
  const tokens = drawTable(
    ['model', 'calls', 'input', 'cache read', 'cache write', 'output', 'reasoning', 'total'].map((title, at) => ({
      title,
      right: at > 0,
    })),
    [
      ...ledger.agents.flatMap(of =>
        Object.entries(of.models).map(([model, t]) => [
          `${of.agent} ${model}`,
          n(t.calls),
          n(t.input),
          n(t.cache_read),
          n(t.cache_write),
          n(t.output),
          n(t.reasoning),
          n(t.total),
        ]),
      ),
      [
        'total',
        n(ledger.total.calls),
        ...(['input', 'cache_read', 'cache_write', 'output', 'reasoning', 'total'] as const).map(kind =>
          n(ledger.total.tokens[kind]),
        ),
      ],
    ],
  );
  const { dropped } = ledger.total;
  const lines = [
    counts,
    tokens,
    `not counted again: ${counted(dropped.repeated_rows, 'repeated row')} of a call, ${counted(dropped.copied_history, 'call')} copied by resume or fork, ${counted(dropped.repeated_counters, 'counter')} that told nothing new`,
  ];
  if (ledger.total.lower_bound_calls > 0)
    lines.push(`lower bounds: ${counted(ledger.total.lower_bound_calls, 'call')} whose last usage row is missing`);
  const usage = unknownUsageLine(history);
  if (usage !== '') lines.push(usage);
  if (ledger.total.unpriced_calls > 0) {
    const models =
      history.money?.summary.unpriced.map(
        each => `${displayText(history.redactor.text(each.model))} (${counted(each.calls, 'call')}, ${each.reason})`,
      ) ?? [];
    lines.push(`unpriced: ${counted(ledger.total.unpriced_calls, 'call')}: ${models.join(', ')}`);
  }
  const unknown = Object.entries(ledger.total.unknown_records);
  if (unknown.length > 0)
    lines.push(`unknown records: ${unknown.map(([type, count]) => `${displayText(type)} ${n(count)}`).join(', ')}`);
  if (ledger.total.bad_lines > 0) lines.push(`bad lines: ${n(ledger.total.bad_lines)}`);
  for (const of of history.ledgers) {
    if (of.badLines > 0)
      lines.push(
        `  ${shownPath(of.path)}: line ${of.badLineNumbers.join(', ')}${of.badLines > of.badLineNumbers.length ? ', ...' : ''}`,
      );
    for (const note of of.notes) lines.push(`  ${shownPath(of.path)}: ${note}`);
  }
  for (const path of history.histories.discovery.unknown) lines.push(`unknown source: ${shownPath(path)}`);
  if (history.recorded) lines.push(...recordedLedgerLines(history.recorded));
  if (history.narrowed.length > 0) lines.push(`narrowed to: ${history.narrowed.join(', ')}`);
  return `${lines.join('\n')}\n`;
}
