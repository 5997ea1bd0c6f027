import { Flag } from '../../trace/flags.ts';
import { NO_ROW } from '../../trace/kinds.ts';
import type { Scribe } from '../scribe.ts';
import { countOf, isObject, type Obj, objectOf, textOf } from '../shapes.ts';
import type { Strand } from '../strand.ts';
import { NO_USAGE, type Reported, sumOf, USAGE_RULES } from '../usage.ts';
import type { FileState, ModelTotals } from './state.ts';

export const RULE = USAGE_RULES['copilot-cli'];

const KINDS = ['input', 'cacheRead', 'cacheWrite', 'output', 'reasoning'] as const;

/** Counts of a usage record, or of a running total. */
export function countsOf(usage: Obj): Reported {
  return {
    ...NO_USAGE,
    input: countOf(usage.inputTokens),
    cacheRead: countOf(usage.cacheReadTokens),
    cacheWrite: countOf(usage.cacheWriteTokens),
    output: countOf(usage.outputTokens),
    reasoning: countOf(usage.reasoningTokens),
  };
}

/** The request of a compaction, in two ages: `{inputTokens, cacheReadTokens, ...}` and `{input, cachedInput, output}`. */
export function compactionCounts(used: Obj): Reported {
  const counts = countsOf(used);
  if (sumOf(counts, RULE) > 0) return counts;
  return {
    ...NO_USAGE,
    input: countOf(used.input),
    cacheRead: countOf(used.cachedInput),
    output: countOf(used.output),
  };
}

function each(made: (kind: (typeof KINDS)[number]) => number): Reported {
  return { ...NO_USAGE, ...Object.fromEntries(KINDS.map(kind => [kind, made(kind)])) };
}

function plus(a: Reported, b: Reported): Reported {
  return each(kind => a[kind] + b[kind]);
}

/**
 * Adds what an answer of that time used to its model's sum; `sign` -1 takes it back. A total that was written after it and
 * stands before it (rows may move) has counted it: what shows beyond the answers is less by it.
 */
export function tell(
  scribe: Scribe,
  state: FileState,
  model: string,
  used: Reported,
  time: number,
  sign: 1 | -1 = 1,
): void {
  const totals = totalsOf(state, model);
  totals.told = each(kind => Math.max(0, totals.told[kind] + sign * used[kind]));
  if (totals.rest === NO_ROW || time === 0 || time > totals.upTo) return;
  totals.beyond = each(kind => Math.max(0, totals.beyond[kind] - sign * used[kind]));
  scribe.usage(totals.rest, totals.beyond, RULE);
}

function totalsOf(state: FileState, model: string): ModelTotals {
  let totals = state.models.get(model);
  if (totals === undefined) {
    totals = { told: NO_USAGE, before: NO_USAGE, latest: NO_USAGE, upTo: 0, rest: NO_ROW, beyond: NO_USAGE };
    state.models.set(model, totals);
  }
  return totals;
}

/**
 * `session.shutdown` tells a running total a model, written again at each end of a session that goes on. Where answers
 * tell their own use it must equal their sum. Where they do not (before 1.0.10x only output is told), what it shows
 * beyond them is one inferred call a model.
 */
export function shutdown(scribe: Scribe, state: FileState, strand: Strand, data: Obj, time: number): void {
  const snapshot = objectOf(data.accountingSnapshot);
  const metrics = isObject(snapshot.modelMetrics) ? snapshot.modelMetrics : objectOf(data.modelMetrics);
  const counting = String(snapshot.sessionStartTime ?? data.sessionStartTime ?? '');
  const goesOn = state.counting === '' || state.counting === counting;
  state.counting = counting;
  for (const [model, value] of Object.entries(metrics)) {
    const totals = totalsOf(state, model);
    const now = countsOf(objectOf(objectOf(value).usage));
    if (goesOn && time < totals.upTo) {
      scribe.ledger.repeatedCounters++;
      continue;
    }
    if (!goesOn || KINDS.some(kind => now[kind] < totals.latest[kind]))
      totals.before = plus(totals.before, totals.latest);
    else if (sumOf(totals.latest, RULE) > 0) scribe.ledger.repeatedCounters++;
    totals.latest = now;
    totals.upTo = time;
    settle(scribe, strand, model, totals, time);
  }
  if (Object.keys(metrics).length === 0) return;
  const { flags } = scribe.out;
  for (const row of state.partial.keys()) flags.set(row, flags.get(row) & ~Flag.lowerBound);
  state.partial.clear();
}

function settle(scribe: Scribe, strand: Strand, model: string, totals: ModelTotals, time: number): void {
  const all = plus(totals.before, totals.latest);
  const less = KINDS.some(kind => all[kind] < totals.told[kind]);
  if (less) scribe.note(`the session's own total at byte ${scribe.offset} is less than its answers: these were kept`);
  const rest = each(kind => Math.max(0, all[kind] - totals.told[kind]));
  if (sumOf(rest, RULE) === 0 && totals.rest === NO_ROW) return;
  if (totals.rest === NO_ROW) {
    totals.rest = scribe.call(strand, `${strand.id} total of ${model}`, textOf(model), time, 0);
    scribe.out.start.set(totals.rest, time);
    scribe.out.flag(totals.rest, Flag.inferred | Flag.usageOnly);
  }
  totals.beyond = rest;
  scribe.usage(totals.rest, rest, RULE);
}
