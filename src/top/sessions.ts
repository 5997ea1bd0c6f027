import { amountsOf, COST } from '../trace/amounts.ts';
import { Flag } from '../trace/flags.ts';
import { Kind } from '../trace/kinds.ts';
import { MEASURES } from '../trace/measures.ts';
import type { Trace } from '../trace/trace.ts';

/** A session and all its subagents, as they stand. Names may be shown; times are microseconds since the epoch. */
export interface TopSession {
  readonly id: string;
  readonly agent: string;
  readonly project: string;
  /** Of the latest call. */
  readonly model: string;
  readonly doing: Doing;
  /** Since when it does that. */
  readonly since: number;
  /** Tool calls without a result so far, the latest last. */
  readonly running: readonly { readonly tool: string; readonly command: string; readonly since: number }[];
  readonly began: number;
  readonly last: number;
  readonly tokens: number;
  /** Over the last five minutes. */
  readonly tokensPerMinute: number;
  readonly nanoDollars: number;
  readonly calls: number;
  readonly tools: number;
  readonly failures: number;
  /** Input of the latest call of the session itself, cached or not: how full its context is. */
  readonly context: number;
  readonly subagents: number;
  readonly byModel: readonly {
    readonly model: string;
    readonly calls: number;
    readonly tokens: number;
    readonly nanoDollars: number;
  }[];
  readonly byTool: readonly { readonly tool: string; readonly calls: number; readonly failed: number }[];
}

/** `tool`: a tool runs. `model`: an answer is awaited. `person`: the person is. `idle`: nothing was heard of it for long. */
export type Doing = 'tool' | 'model' | 'person' | 'idle';

export interface TopOptions {
  /** Microseconds since the epoch. */
  readonly now: number;
  /** A value of a field as it may be seen. */
  readonly shown: (field: string, value: string) => string;
  /** A command as it may be seen. */
  readonly words: (text: string) => string;
}

const MINUTE = 60e6;
const WINDOW_MINUTES = 5;
/** After so long without a row no model is still answering, and after so long nobody is expected. */
const LONGEST_ANSWER = 10 * MINUTE;
const LONGEST_WAIT = 60 * MINUTE;

const TOKENS = MEASURES.findIndex(({ name }) => name === 'tokens');

/** All main sessions of a trace, the one that was heard of last first. */
export function topSessions(trace: Trace, options: TopOptions): TopSession[] {
  const { ops, links } = trace;
  const families = new Map<number, number[]>();
  for (let row = 0; row < ops.length; row++) {
    if (ops.has(row, Flag.copy)) continue;
    const root = links.root[ops.session.get(row)] as number;
    const rows = families.get(root);
    if (rows) rows.push(row);
    else families.set(root, [row]);
  }
  return [...families]
    .map(([root, rows]) => new Family(trace, root, rows, options).session())
    .sort((a, b) => b.last - a.last || (a.id < b.id ? -1 : 1));
}

class Family {
  private readonly trace: Trace;
  private readonly root: number;
  private readonly rows: readonly number[];
  private readonly options: TopOptions;

  constructor(trace: Trace, root: number, rows: readonly number[], options: TopOptions) {
    this.trace = trace;
    this.root = root;
    this.rows = rows;
    this.options = options;
  }

  session(): TopSession {
    const { trace, root, rows } = this;
    const { now, shown } = this.options;
    const { ops } = trace;
    const facts = ops.sessions.all[root];
    const value = (field: string, row: number | undefined) =>
      row === undefined ? '' : shown(field, trace.value(field, row));
    const calls = rows.filter(row => ops.kind.get(row) === Kind.call);
    const tools = rows.filter(row => ops.kind.get(row) === Kind.tool);
    const times = rows.map(row => Math.max(ops.start.get(row), ops.end.get(row)));
    const last = times.reduce((a, b) => Math.max(a, b), 0);
    const began = rows.reduce((min, row) => (ops.start.get(row) > 0 ? Math.min(min, ops.start.get(row)) : min), last);
    const running = this.running(tools);
    const own = calls.filter(row => ops.session.get(row) === root);
    const sums = this.sums(rows);
    return {
      id: shown('session', facts?.id ?? ''),
      agent: facts?.agent ?? '',
      project: facts?.project === undefined ? '' : shown('project', facts.project),
      model: value('model', this.latest(calls)),
      ...this.doing(running, last),
      running: running.map(row => ({
        tool: value('tool', row),
        command: this.options.words(ops.texts.get('command', row)),
        since: ops.start.get(row),
      })),
      began,
      last,
      tokens: sums(rows).tokens,
      tokensPerMinute: Math.round(
        sums(calls.filter(row => ops.end.get(row) > now - WINDOW_MINUTES * MINUTE)).tokens / WINDOW_MINUTES,
      ),
      nanoDollars: sums(rows).nanoDollars,
      calls: calls.length,
      tools: tools.length,
      failures: rows.filter(row => ops.kind.get(row) !== Kind.effect && this.failed(row)).length,
      context: this.context(this.latest(own)),
      subagents:
        new Set(rows.map(row => ops.session.get(row))).size - (rows.some(row => ops.session.get(row) === root) ? 1 : 0),
      byModel: grouped(calls, row => value('model', row) || 'unknown').map(([model, of]) => ({
        model,
        calls: of.length,
        ...sums(of),
      })),
      byTool: grouped(tools, row => value('tool', row)).map(([tool, of]) => ({
        tool,
        calls: of.length,
        failed: of.filter(row => this.failed(row)).length,
      })),
    };
  }

  /** Tool calls without a result, after which nothing of their session began. */
  private running(tools: readonly number[]): number[] {
    const { ops } = this.trace;
    const open = tools.filter(row => ops.field.status.get(row) === 'unanswered');
    if (open.length === 0) return [];
    const begun = new Map<number, number>();
    for (const row of this.rows) {
      const kind = ops.kind.get(row);
      if (kind === Kind.tool || kind === Kind.effect) continue;
      const session = ops.session.get(row);
      begun.set(session, Math.max(begun.get(session) ?? 0, ops.start.get(row)));
    }
    return open
      .filter(row => ops.start.get(row) >= (begun.get(ops.session.get(row)) ?? 0))
      .sort((a, b) => ops.start.get(a) - ops.start.get(b) || a - b);
  }

  private doing(running: readonly number[], last: number): Pick<TopSession, 'doing' | 'since'> {
    const { trace, rows } = this;
    const { ops, links } = trace;
    const { now } = this.options;
    const newest = running.at(-1);
    if (newest !== undefined) return { doing: 'tool', since: ops.start.get(newest) };
    const end = rows.reduce<number | undefined>((best, row) => {
      if (ops.kind.get(row) === Kind.effect) return best;
      const later =
        best === undefined ||
        Math.max(ops.start.get(row), ops.end.get(row)) >= Math.max(ops.start.get(best), ops.end.get(best));
      return later ? row : best;
    }, undefined);
    if (end === undefined) return { doing: 'idle', since: last };
    const asked = rows.some(row => ops.kind.get(row) === Kind.tool && links.call[row] === end);
    const isAnswer = ops.kind.get(end) === Kind.call && !asked;
    const stopped = ops.field.status.get(end) === 'interrupted' || ops.field.status.get(end) === 'denied';
    const longest = isAnswer || stopped ? LONGEST_WAIT : LONGEST_ANSWER;
    if (now - last > longest) return { doing: 'idle', since: last };
    return { doing: isAnswer || stopped ? 'person' : 'model', since: last };
  }

  private failed(row: number): boolean {
    return this.trace.ops.field.status.get(row) === 'error';
  }

  private latest(rows: readonly number[]): number | undefined {
    const { ops } = this.trace;
    let latest: number | undefined;
    for (const row of rows) if (latest === undefined || ops.start.get(row) >= ops.start.get(latest)) latest = row;
    return latest;
  }

  private context(row: number | undefined): number {
    if (row === undefined) return 0;
    const { tokens } = this.trace.ops;
    return (
      tokens.input_tokens.get(row) +
      tokens.cache_read_tokens.get(row) +
      tokens.cache_write_5m_tokens.get(row) +
      tokens.cache_write_1h_tokens.get(row)
    );
  }

  /** Gives sums over some of these rows. */
  private sums(rows: readonly number[]): (of: readonly number[]) => { tokens: number; nanoDollars: number } {
    const amounts = amountsOf(this.trace);
    const byRow = new Map<number, { tokens: number; nanoDollars: number }>();
    for (const row of rows) {
      const sum = { tokens: 0, nanoDollars: 0 };
      amounts(row, (_, values) => {
        sum.tokens += values[TOKENS] as number;
        sum.nanoDollars += values[COST] as number;
      });
      byRow.set(row, sum);
    }
    return of => {
      const sum = { tokens: 0, nanoDollars: 0 };
      for (const row of of) {
        sum.tokens += byRow.get(row)?.tokens ?? 0;
        sum.nanoDollars += byRow.get(row)?.nanoDollars ?? 0;
      }
      return sum;
    };
  }
}

/** The most frequent first. */
function grouped(rows: readonly number[], nameOf: (row: number) => string): [string, number[]][] {
  const groups = new Map<string, number[]>();
  for (const row of rows) {
    const name = nameOf(row);
    const group = groups.get(name);
    if (group) group.push(row);
    else groups.set(name, [row]);
  }
  return [...groups].sort(([a, of], [b, others]) => others.length - of.length || (a < b ? -1 : 1));
}
