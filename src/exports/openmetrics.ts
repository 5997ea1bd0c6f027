import { amountsOf, COST } from '../trace/amounts.ts';
import { Flag } from '../trace/flags.ts';
import { Kind } from '../trace/kinds.ts';
import { MEASURES } from '../trace/measures.ts';
import { type Exported, shownValue } from './exported.ts';

const AT = Object.fromEntries(MEASURES.map(({ name }, at) => [name, at])) as Record<string, number>;

/** Token measures and what they are called as a label. */
const TOKENS: readonly (readonly [measure: string, kind: string])[] = [
  ['input_tokens', 'input'],
  ['cache_read_tokens', 'cache_read'],
  ['cache_write_tokens', 'cache_write'],
  ['output_tokens', 'output'],
  ['reasoning_tokens', 'reasoning'],
];

/** By labels: a sum of whole units. */
class Family {
  private readonly sums = new Map<string, bigint>();
  private readonly head: string;
  private readonly name: string;
  private readonly nanos: boolean;

  /** `nanos`: the sums are billionths of the unit. */
  constructor(name: string, unit: string, help: string, nanos = false) {
    this.name = name;
    this.nanos = nanos;
    this.head = `# TYPE ${name} counter\n${unit === '' ? '' : `# UNIT ${name} ${unit}\n`}# HELP ${name} ${help}\n`;
  }

  add(labels: Readonly<Record<string, string>>, value: bigint): void {
    const text = Object.entries(labels)
      .map(([key, label]) => `${key}="${escaped(label)}"`)
      .join(',');
    this.sums.set(text, (this.sums.get(text) ?? 0n) + value);
  }

  toString(): string {
    const lines = [...this.sums].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return this.head + lines.map(([labels, sum]) => `${this.name}_total{${labels}} ${this.number(sum)}\n`).join('');
  }

  private number(sum: bigint): string {
    if (!this.nanos) return String(sum);
    const text = String(sum).padStart(10, '0');
    return `${text.slice(0, -9)}.${text.slice(-9)}`;
  }
}

/**
 * Totals of the selected operations as OpenMetrics text (what Prometheus scrapes and node_exporter's textfile collector
 * takes), by agent and model or tool. They only grow as history grows; a selection by time makes them a window's.
 */
export function openmetrics(exported: Exported): string {
  const { trace, rows } = exported;
  const { ops } = trace;
  const tokens = new Family('agentpprof_tokens', '', 'Tokens, by kind; kinds are disjoint.');
  const cost = new Family('agentpprof_cost_dollars', 'dollars', 'Cost of calls that have a price.', true);
  const time = new Family('agentpprof_active_seconds', 'seconds', 'Active time, each instant charged once.', true);
  const prompts = new Family('agentpprof_prompts', '', 'Prompts typed by people.');
  const calls = new Family('agentpprof_calls', '', 'Model calls.');
  const unknown = new Family('agentpprof_calls_of_unknown_usage', '', 'Model calls whose usage was not recorded.');
  const tools = new Family('agentpprof_tool_calls', '', 'Tool calls, by status.');
  const sessions = new Family('agentpprof_sessions', '', 'Sessions, subagents not counted.');
  const amounts = amountsOf(trace);
  const seen = new Set<number>();
  for (const row of rows) {
    const agent = shownValue(exported, 'agent', row);
    const kind = ops.kind.get(row);
    const model = kind === Kind.call ? shownValue(exported, 'model', row) || 'unknown' : '';
    amounts(row, (_, values) => {
      const of = (name: string) => BigInt(values[AT[name] as number] as number);
      for (const [measure, token] of TOKENS) if (of(measure) > 0n) tokens.add({ agent, model, token }, of(measure));
      if ((values[COST] as number) > 0) cost.add({ agent, model }, BigInt(values[COST] as number));
      if (of('time') > 0n) time.add({ agent }, of('time'));
    });
    if (kind === Kind.prompt) prompts.add({ agent }, 1n);
    if (kind === Kind.call) {
      calls.add({ agent, model }, 1n);
      if (ops.has(row, Flag.unknownUsage)) unknown.add({ agent, model }, 1n);
    }
    if (kind === Kind.tool) {
      const status = shownValue(exported, 'status', row) || 'ok';
      tools.add({ agent, tool: shownValue(exported, 'tool', row), status }, 1n);
    }
    const root = trace.links.root[ops.session.get(row)] as number;
    if (!seen.has(root)) {
      seen.add(root);
      sessions.add({ agent }, 1n);
    }
  }
  return `${[tokens, cost, time, prompts, calls, unknown, tools, sessions].join('')}# EOF\n`;
}

function escaped(label: string): string {
  return label.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
