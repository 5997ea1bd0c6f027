import { Flag } from '../../trace/flags.ts';
import { Kind, NO_ROW } from '../../trace/kinds.ts';
import { noTokens, TOKEN_COLUMNS, type Tokens } from '../../trace/measures.ts';
import type { Operations } from '../../trace/operations.ts';
import type { FileLedger } from '../ledger.ts';
import { type Family, families } from './families.ts';

/** What is compared: the parts of cache writes and of output are told apart less reliably than their sums. */
interface Sums {
  input: number;
  cacheRead: number;
  cacheWrite: number;
  output: number;
}

/**
 * Tokens that only a running total proves: a compaction's request, which no row shows. Each session with totals gets
 * one inferred call a model that holds what the total has more than all its calls; none if the session is a fork (its
 * total includes its parent's), or if a run was killed (the total then has less than the calls somewhere). Settling
 * twice gives the same rows.
 */
export function settleResiduals(out: Operations, ledgers: readonly FileLedger[]): void {
  for (const family of families(out)) {
    const left = family.forked ? new Map<string, Tokens>() : leftOver(out, family, ledgers);
    for (const row of family.inferred) {
      if (!left.has(out.field.model.get(row))) {
        setTokens(out, row, undefined);
        out.flag(row, Flag.copy);
      }
    }
    for (const [model, tokens] of left) write(out, family, model, tokens);
    if (left.size > 0) wholeNow(out, family);
  }
}

/** Answers of a stream count too little by what is in the residual call: together they are no lower bound. */
function wholeNow(out: Operations, family: Family): void {
  for (const row of family.calls.values()) {
    if (out.has(row, Flag.streamed)) out.flags.set(row, out.flags.get(row) & ~Flag.lowerBound);
  }
}

/** By model, what the totals have more than the calls; empty if they have less anywhere. */
function leftOver(out: Operations, family: Family, ledgers: readonly FileLedger[]): Map<string, Tokens> {
  const left = new Map<string, Tokens>();
  const called = calledByModel(out, family);
  const totals = new Map(family.counters.map(row => [out.field.model.get(row), tokensAt(out, row)]));
  const strange = [...called.keys()].some(model => !totals.has(model));
  if (strange && [...totals.keys()].some(model => !called.has(model))) {
    noteFor(
      out,
      family,
      ledgers,
      'running totals name models that no call names: what they prove beyond the calls is not counted',
    );
    return left;
  }
  for (const [model, total] of totals) {
    const calls = called.get(model) ?? noTokens();
    const have = sums(calls);
    const all = sums(total);
    if (
      all.input < have.input ||
      all.cacheRead < have.cacheRead ||
      all.cacheWrite < have.cacheWrite ||
      all.output < have.output
    ) {
      noteFor(
        out,
        family,
        ledgers,
        'a running total has less than the calls (a killed run): what it proves beyond them is not counted',
      );
      return new Map();
    }
    const rest = difference(total, calls);
    if (Object.values(rest).some(count => count > 0)) left.set(model, rest);
  }
  return strange ? new Map() : left;
}

/** Sums over the calls that the totals can include, by model. */
function calledByModel(out: Operations, family: Family): Map<string, Tokens> {
  const counter = family.counters.reduce((a, b) => (out.offset.get(b) > out.offset.get(a) ? b : a));
  const file = out.file.get(counter);
  const offset = out.offset.get(counter);
  const until = out.end.get(counter) > out.start.get(counter) ? out.end.get(counter) : Number.POSITIVE_INFINITY;
  const byModel = new Map<string, Tokens>();
  for (const row of family.calls.values()) {
    if (out.has(row, Flag.unknownUsage)) continue;
    if (out.file.get(row) === file ? out.offset.get(row) > offset : out.start.get(row) >= until) continue;
    const model = out.field.model.get(row);
    const sum = byModel.get(model) ?? noTokens();
    const tokens = tokensAt(out, row);
    for (const column of TOKEN_COLUMNS) sum[column] += tokens[column];
    byModel.set(model, sum);
  }
  return byModel;
}

function difference(total: Tokens, calls: Tokens): Tokens {
  const written = sums(total).cacheWrite - sums(calls).cacheWrite;
  const hour = between(total.cache_write_1h_tokens - calls.cache_write_1h_tokens, written);
  const put = sums(total).output - sums(calls).output;
  const thought = between(total.reasoning_tokens - calls.reasoning_tokens, put);
  return {
    input_tokens: total.input_tokens - calls.input_tokens,
    cache_read_tokens: total.cache_read_tokens - calls.cache_read_tokens,
    cache_write_5m_tokens: written - hour,
    cache_write_1h_tokens: hour,
    output_tokens: put - thought,
    reasoning_tokens: thought,
  };
}

function between(value: number, most: number): number {
  return Math.min(Math.max(value, 0), most);
}

function write(out: Operations, family: Family, model: string, tokens: Tokens): void {
  let row = family.inferred.find(each => out.field.model.get(each) === model);
  const counter = family.counters.find(each => out.field.model.get(each) === model) as number;
  const anchor = family.compaction >= 0 ? family.compaction : counter;
  if (row === undefined) {
    row = out.add(Kind.call, family.session, NO_ROW, 0, out.file.get(counter), 0, 0);
    out.setKey(row, `cost-state:${out.sessions.all[family.session]?.id}:${model}`);
    out.field.model.set(row, model);
  }
  // A stream's answers leave out their last counts: what its run used beyond them is of all of them.
  const streamed = out.has(counter, Flag.streamed);
  out.flags.set(row, Flag.inferred | (streamed ? Flag.streamed | Flag.usageOnly : Flag.compaction));
  out.setParent(row, anchor);
  out.start.set(row, out.start.get(anchor));
  out.end.set(row, family.compaction >= 0 ? out.end.get(anchor) : out.start.get(anchor));
  out.offset.set(row, out.offset.get(counter));
  out.bytes.set(row, out.bytes.get(counter));
  for (const name of ['agent_version', 'branch', 'cwd'] as const) out.field[name].set(row, out.field[name].get(anchor));
  setTokens(out, row, tokens);
}

function setTokens(out: Operations, row: number, tokens: Tokens | undefined): void {
  for (const column of TOKEN_COLUMNS) out.tokens[column].set(row, tokens?.[column] ?? 0);
}

function tokensAt(out: Operations, row: number): Tokens {
  const tokens = noTokens();
  for (const column of TOKEN_COLUMNS) tokens[column] = out.tokens[column].get(row);
  return tokens;
}

function sums(tokens: Tokens): Sums {
  return {
    input: tokens.input_tokens,
    cacheRead: tokens.cache_read_tokens,
    cacheWrite: tokens.cache_write_5m_tokens + tokens.cache_write_1h_tokens,
    output: tokens.output_tokens + tokens.reasoning_tokens,
  };
}

function noteFor(out: Operations, family: Family, ledgers: readonly FileLedger[], text: string): void {
  const ledger = ledgers[out.file.get(family.counters[0] as number)];
  if (ledger && !ledger.notes.includes(text)) ledger.notes.push(text);
}
