import { amountsOf, COST } from '../trace/amounts.ts';
import { Flag } from '../trace/flags.ts';
import { Kind } from '../trace/kinds.ts';
import { MEASURES } from '../trace/measures.ts';
import { type Exported, shownValue } from './exported.ts';
import { MetricFamily } from './metric-family.ts';

const AT = Object.fromEntries(MEASURES.map(({ name }, at) => [name, at])) as Record<string, number>;

/** Token measures and what they are called as a label. */
const TOKENS: readonly (readonly [measure: string, kind: string])[] = [
  ['input_tokens', 'input'],
  ['cache_read_tokens', 'cache_read'],
  ['cache_write_tokens', 'cache_write'],
  ['output_tokens', 'output'],
  ['reasoning_tokens', 'reasoning'],
];

/**
 * Totals of operations by agent and model or tool. They only grow as history grows; a selection by time makes them a
 * window's. Totals of histories that have no session in common add up.
 */
export class Totals {
  private readonly tokens = new MetricFamily('agentpprof_tokens', '', 'Tokens, by kind; kinds are disjoint.');
  private readonly cost = inNanos('agentpprof_cost_dollars', 'dollars', 'Cost of calls that have a price.');
  private readonly time = inNanos('agentpprof_active_seconds', 'seconds', 'Active time, each instant charged once.');
  private readonly prompts = new MetricFamily('agentpprof_prompts', '', 'Prompts typed by people.');
  private readonly calls = new MetricFamily('agentpprof_calls', '', 'Model calls.');
  private readonly unknown = new MetricFamily(
    'agentpprof_calls_of_unknown_usage',
    '',
    'Model calls whose usage was not recorded.',
  );
  private readonly tools = new MetricFamily('agentpprof_tool_calls', '', 'Tool calls, by status.');
  private readonly sessions = new MetricFamily('agentpprof_sessions', '', 'Sessions, subagents not counted.');

  /** Counts the rows of an export. */
  static of(exported: Exported): Totals {
    const totals = new Totals();
    totals.count(exported);
    return totals;
  }

  include(other: Totals): void {
    const theirs = other.families();
    for (const [at, family] of this.families().entries()) family.include(theirs[at] as MetricFamily);
  }

  /** What was told before stays at least what it was. */
  neverBelow(before: Totals): void {
    const theirs = before.families();
    for (const [at, family] of this.families().entries()) family.neverBelow(theirs[at] as MetricFamily);
  }

  /** What Prometheus scrapes and node_exporter's textfile collector takes; with more families behind. */
  text(more: readonly MetricFamily[] = []): string {
    return `${[...this.families(), ...more].join('')}# EOF\n`;
  }

  private families(): MetricFamily[] {
    const { tokens, cost, time, prompts, calls, unknown, tools, sessions } = this;
    return [tokens, cost, time, prompts, calls, unknown, tools, sessions];
  }

  private count(exported: Exported): void {
    const { trace, rows } = exported;
    const { ops } = trace;
    const amounts = amountsOf(trace);
    const seen = new Set<number>();
    for (const row of rows) {
      const agent = shownValue(exported, 'agent', row);
      const kind = ops.kind.get(row);
      const model = kind === Kind.call ? shownValue(exported, 'model', row) || 'unknown' : '';
      amounts(row, (_, values) => {
        const of = (name: string) => BigInt(values[AT[name] as number] as number);
        for (const [measure, token] of TOKENS)
          if (of(measure) > 0n) this.tokens.add({ agent, model, token }, of(measure));
        if ((values[COST] as number) > 0) this.cost.add({ agent, model }, BigInt(values[COST] as number));
        if (of('time') > 0n) this.time.add({ agent }, of('time'));
      });
      if (kind === Kind.prompt) this.prompts.add({ agent }, 1n);
      if (kind === Kind.call) {
        this.calls.add({ agent, model }, 1n);
        if (ops.has(row, Flag.unknownUsage)) this.unknown.add({ agent, model }, 1n);
      }
      if (kind === Kind.tool) {
        const status = shownValue(exported, 'status', row) || 'ok';
        this.tools.add({ agent, tool: shownValue(exported, 'tool', row), status }, 1n);
      }
      const root = trace.links.root[ops.session.get(row)] as number;
      if (!seen.has(root)) {
        seen.add(root);
        this.sessions.add({ agent }, 1n);
      }
    }
  }
}

/** Totals of the selected operations as OpenMetrics text. */
export function openmetrics(exported: Exported): string {
  return Totals.of(exported).text();
}

function inNanos(name: string, unit: string, help: string): MetricFamily {
  return new MetricFamily(name, unit, help, 'counter', true);
}
