import { Flag } from '../../trace/flags.ts';
import { Kind } from '../../trace/kinds.ts';
import { countOf, isObject, type Obj, objectOf } from '../shapes.ts';
import { addRow, type Context } from './context.ts';
import type { Chain } from './state.ts';

/** The event that holds a session's running total for one model; see `settle.ts`. */
export const COUNTER = 'cost-state';

/**
 * `cost-state` (2.1.33x): written at the end of each run, the session's totals so far by model, subagents included.
 * One event row a model holds the latest; it repeats what calls say, so it weighs nothing (`Flag.copy`). Its `end`
 * is when the session went on after it (its `start` if it did not): what came later is not in the total.
 */
export function counterRow(context: Context, chain: Chain, record: Obj): void {
  const { state, out } = context;
  for (const [name, value] of Object.entries(objectOf(record.modelUsage))) {
    if (!isObject(value)) continue;
    const model = plainModel(name);
    const key = `${out.sessions.all[chain.session]?.id}\u0000${model}`;
    let row = state.counters.get(key);
    if (row === undefined) {
      row = addRow(context, Kind.event, chain, chain.turn, chain.seen);
      out.flag(row, Flag.copy);
      out.field.event.set(row, COUNTER);
      out.field.model.set(row, model);
      state.counters.set(key, row);
    }
    out.start.set(row, chain.seen);
    out.end.set(row, chain.seen);
    out.offset.set(row, context.offset);
    out.bytes.set(row, context.bytes);
    setTotals(context, row, value);
    if (!state.freshCounters.includes(row)) state.freshCounters.push(row);
  }
}

/** The session goes on: what follows is not in its totals. */
export function passCounters(context: Context, time: number): void {
  const { freshCounters } = context.state;
  if (freshCounters.length === 0 || time === 0) return;
  for (const row of freshCounters) context.out.end.set(row, Math.max(time, context.out.start.get(row)));
  freshCounters.length = 0;
}

function setTotals(context: Context, row: number, totals: Obj): void {
  const { tokens } = context.out;
  const written = countOf(totals.cacheCreationInputTokens);
  const hour = Math.min(countOf(totals.cacheCreationEphemeral1hInputTokens), written);
  const output = countOf(totals.outputTokens);
  const thinking = Math.min(countOf(totals.thinkingTokens), output);
  tokens.input_tokens.set(row, countOf(totals.inputTokens));
  tokens.cache_read_tokens.set(row, countOf(totals.cacheReadInputTokens));
  tokens.cache_write_5m_tokens.set(row, written - hour);
  tokens.cache_write_1h_tokens.set(row, hour);
  tokens.output_tokens.set(row, output - thinking);
  tokens.reasoning_tokens.set(row, thinking);
}

/** Totals name a model with its context size (`claude-x[1m]`), answers without. */
function plainModel(name: string): string {
  return name.replace(/\[\w{1,8}\]$/, '');
}
