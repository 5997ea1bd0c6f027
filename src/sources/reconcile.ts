import { Flag } from '../trace/flags.ts';
import { Kind } from '../trace/kinds.ts';
import type { Trace } from '../trace/trace.ts';
import type { FileLedger } from './ledger.ts';

/** The contract of `reconcile --json`; other programs rely on it. Token counts are exact; costs are micro-dollars. */
export interface Reconciliation {
  readonly schema: 'agentpprof.reconcile/1';
  readonly agents: readonly ({ readonly agent: string } & AgentTotals)[];
  readonly total: AgentTotals;
}

export interface TokenTotals {
  input: number;
  cache_read: number;
  cache_write: number;
  output: number;
  reasoning: number;
  total: number;
}

export interface AgentTotals {
  files: number;
  sessions: number;
  subagents: number;
  prompts: number;
  calls: number;
  tool_calls: number;
  tokens: TokenTotals;
  models: Record<string, { calls: number } & TokenTotals>;
  cost_microusd: number;
  unpriced_calls: number;
  dropped: { repeated_rows: number; copied_history: number; repeated_counters: number };
  unknown_records: Record<string, number>;
  bad_lines: number;
  lower_bound_calls: number;
}

/** What money says of a row: nano-dollars, or undefined where there is no price. */
export type CostOf = (row: number) => number | undefined;

/** The form in which a value of a field may leave: histories hold what anybody wrote, models and types of records too. */
export type ShownValue = (field: string, value: string) => string;

/** Sums the selected rows, and the ledgers of all files read, by agent. */
export function reconcile(
  trace: Trace,
  ledgers: readonly FileLedger[],
  rows: Uint32Array,
  costOf: CostOf,
  shown: ShownValue,
): Reconciliation {
  const agents = new Map<string, Tally>();
  const tally = (agent: string): Tally => {
    const name = shown('agent', agent);
    let found = agents.get(name);
    if (!found) agents.set(name, (found = new Tally(shown)));
    return found;
  };
  for (const ledger of ledgers) tally(ledger.agent).addLedger(ledger);
  const { ops } = trace;
  for (const row of rows) tally(agentOf(trace, row)).addRow(trace, row, costOf);
  const seen = new Uint8Array(ops.sessions.all.length);
  for (const row of rows) seen[ops.session.get(row)] = 1;
  ops.sessions.all.forEach((session, at) => {
    if (seen[at] === 1) tally(session.agent).addSession(session.parent !== undefined);
  });
  for (let row = 0; row < ops.length; row++) {
    if (ops.kind.get(row) === Kind.call && ops.has(row, Flag.copy)) tally(agentOf(trace, row)).copies++;
  }
  const names = [...agents.keys()].sort();
  const total = new Tally(shown);
  for (const name of names) total.addAll(agents.get(name) as Tally);
  return {
    schema: 'agentpprof.reconcile/1',
    agents: names.map(agent => ({ agent, ...(agents.get(agent) as Tally).totals() })),
    total: total.totals(),
  };
}

function agentOf(trace: Trace, row: number): string {
  return trace.ops.sessions.all[trace.ops.session.get(row)]?.agent ?? '';
}

const noTokens = (): TokenTotals => ({ input: 0, cache_read: 0, cache_write: 0, output: 0, reasoning: 0, total: 0 });

class Tally {
  copies = 0;
  private readonly shown: ShownValue;
  private files = 0;
  private sessions = 0;
  private subagents = 0;
  private prompts = 0;
  private calls = 0;
  private tools = 0;
  private readonly tokens = noTokens();
  private readonly models = new Map<string, { calls: number } & TokenTotals>();
  private nanos = 0n;
  private unpriced = 0;
  private repeatedRows = 0;
  private repeatedCounters = 0;
  private badLines = 0;
  private lowerBound = 0;
  private readonly unknown = new Map<string, number>();

  constructor(shown: ShownValue) {
    this.shown = shown;
  }

  addLedger(ledger: FileLedger): void {
    this.files++;
    this.repeatedRows += ledger.repeatedRows;
    this.repeatedCounters += ledger.repeatedCounters;
    this.badLines += ledger.badLines;
    for (const [type, count] of ledger.unknown) {
      const name = this.shown('event', type);
      this.unknown.set(name, (this.unknown.get(name) ?? 0) + count);
    }
  }

  addSession(isSubagent: boolean): void {
    if (isSubagent) this.subagents++;
    else this.sessions++;
  }

  addRow(trace: Trace, row: number, costOf: CostOf): void {
    const { ops } = trace;
    const kind = ops.kind.get(row);
    if (kind === Kind.prompt) this.prompts++;
    if (kind === Kind.tool) this.tools++;
    if (kind !== Kind.call) return;
    this.calls++;
    if (ops.has(row, Flag.lowerBound)) this.lowerBound++;
    const model = this.shown('model', ops.field.model.get(row) || 'unknown');
    let of = this.models.get(model);
    if (!of) this.models.set(model, (of = { calls: 0, ...noTokens() }));
    of.calls++;
    const counts: TokenTotals = {
      input: ops.tokens.input_tokens.get(row),
      cache_read: ops.tokens.cache_read_tokens.get(row),
      cache_write: ops.tokens.cache_write_5m_tokens.get(row) + ops.tokens.cache_write_1h_tokens.get(row),
      output: ops.tokens.output_tokens.get(row),
      reasoning: ops.tokens.reasoning_tokens.get(row),
      total: 0,
    };
    counts.total = counts.input + counts.cache_read + counts.cache_write + counts.output + counts.reasoning;
    add(of, counts);
    add(this.tokens, counts);
    const cost = costOf(row);
    if (cost === undefined) this.unpriced++;
    else this.nanos += BigInt(cost);
  }

  addAll(other: Tally): void {
    this.files += other.files;
    this.sessions += other.sessions;
    this.subagents += other.subagents;
    this.prompts += other.prompts;
    this.calls += other.calls;
    this.tools += other.tools;
    this.nanos += other.nanos;
    this.unpriced += other.unpriced;
    this.repeatedRows += other.repeatedRows;
    this.repeatedCounters += other.repeatedCounters;
    this.badLines += other.badLines;
    this.lowerBound += other.lowerBound;
    this.copies += other.copies;
    add(this.tokens, other.tokens);
    for (const [type, count] of other.unknown) this.unknown.set(type, (this.unknown.get(type) ?? 0) + count);
    for (const [model, counts] of other.models) {
      let of = this.models.get(model);
      if (!of) this.models.set(model, (of = { calls: 0, ...noTokens() }));
      of.calls += counts.calls;
      add(of, counts);
    }
  }

  totals(): AgentTotals {
    return {
      files: this.files,
      sessions: this.sessions,
      subagents: this.subagents,
      prompts: this.prompts,
      calls: this.calls,
      tool_calls: this.tools,
      tokens: this.tokens,
      models: byName(this.models),
      cost_microusd: Number((this.nanos + 500n) / 1000n),
      unpriced_calls: this.unpriced,
      dropped: {
        repeated_rows: this.repeatedRows,
        copied_history: this.copies,
        repeated_counters: this.repeatedCounters,
      },
      unknown_records: byName(this.unknown),
      bad_lines: this.badLines,
      lower_bound_calls: this.lowerBound,
    };
  }
}

function add(to: TokenTotals, from: TokenTotals): void {
  to.input += from.input;
  to.cache_read += from.cache_read;
  to.cache_write += from.cache_write;
  to.output += from.output;
  to.reasoning += from.reasoning;
  to.total += from.total;
}

/** Own properties in name order; `Object.fromEntries` makes `__proto__` an ordinary key. */
function byName<T>(map: ReadonlyMap<string, T>): Record<string, T> {
  return Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
}
