import { Flag } from '../../trace/flags.ts';
import { Kind } from '../../trace/kinds.ts';
import { contradiction, countUnknown } from '../ledger.ts';
import { totalOf, USAGE_RULES, violation } from '../usage.ts';
import { type Fields, fieldsOf, textOf } from './fields.ts';
import { noticeNews } from './inheritance.ts';
import { addRow, closeCall, type OpenCall, occurrence, originOf, type Reading, setEnd } from './state.ts';
import { setModel, settlePrompts } from './turns.ts';
import { difference, fell, isNothing, sameUsage, setTokens, type Usage, usageOf, vectorOf } from './usage.ts';

/**
 * One row a billed answer. Its items (reasoning, text, tool calls) and its usage are separate records, in an order
 * that changed with the versions:
 *
 *     0.39            usage, then items and results in one go, after the tools ran
 *     0.98 to 0.126   items, usage, results
 *     0.131 to 0.147  items, results, usage
 *     0.171           items, token_usage_record, results, token_count
 *
 * So an answer opens with its first item (or with its usage, where there was none), takes the first usage that
 * comes, and is over when an item follows a result or a prompt.
 */

/** Items of one answer are written together; the next request takes longer than this, in microseconds. */
const NEXT_REQUEST = 500_000;

/** An item of a model's answer: gives the row of its call. */
export function modelItem(reading: Reading, shown = false): number {
  const { state } = reading;
  answers(reading);
  let call = state.call;
  if (!call || startsAnother(call, reading.at)) call = openCall(reading);
  else if (!call.filled && call.answeredAt === 0) setEnd(reading, call.row, reading.at);
  if (shown) call.shown = true;
  return call.row;
}

function answers(reading: Reading): void {
  if (reading.state.inheritance.replaying) reading.state.inheritance.worked = true;
  settlePrompts(reading);
}

function startsAnother(call: OpenCall, at: number): boolean {
  if (call.answeredAt === 0) return call.filled && at - call.filledAt > NEXT_REQUEST;
  const writtenInOneGo = call.filled && call.toolsAtFill === 0 && call.tools > 0 && at === call.answeredAt;
  return !writtenInOneGo;
}

function openCall(reading: Reading): OpenCall {
  const { out, state } = reading;
  const { at } = reading;
  closeCall(reading);
  const row = addRow(reading, Kind.call, state.turn.row);
  if (!state.inheritance.replaying && state.trigger > 0 && state.trigger < at) out.start.set(row, state.trigger);
  out.flag(row, Flag.unknownUsage);
  setModel(reading, row);
  const call: OpenCall = {
    row,
    filled: false,
    filledAt: 0,
    toolsAtFill: 0,
    tools: 0,
    answeredAt: 0,
    shown: false,
    batch: [],
  };
  state.call = call;
  return call;
}

/** Gives the open call its usage; opens one if none waits for usage. The usage record becomes its evidence. */
function fillCall(reading: Reading, usage: Usage, vector: string, key: string): void {
  const { out, state } = reading;
  answers(reading);
  const waiting = state.call;
  const call = waiting && !waiting.filled ? waiting : openCall(reading);
  call.filled = true;
  call.filledAt = reading.at;
  call.toolsAtFill = call.tools;
  const { row } = call;
  setTokens(out, row, usage);
  out.flags.set(row, out.flags.get(row) & ~Flag.unknownUsage);
  out.setKey(row, key);
  // Not arguments: the hash of the cumulative vector, by which settle finds copies in other threads.
  out.setArgs(row, vector);
  out.offset.set(row, reading.offset);
  out.bytes.set(row, reading.bytes);
}

/** What the client's own counts must satisfy; a violation is told, and the counts are kept as their rule says. */
function verify({ ledger, offset }: Reading, written: unknown): void {
  const usage = usageOf(written);
  if (!usage || isNothing(usage)) return;
  const { input, cached, written: stored, output, reasoning } = usage;
  const total = totalOf(fieldsOf(written)?.total_tokens);
  const used = { input, cacheRead: cached, cacheWrite: stored, output, reasoning, extra: 0, total };
  const wrong = violation(used, USAGE_RULES.codex);
  if (wrong !== '') contradiction(ledger, offset, wrong);
}

/** token_usage_record (0.15x and later): one an answer, written at once, so a killed run has it too. */
export function readUsageRecord(reading: Reading, payload: Fields): void {
  const { state } = reading;
  const usage = usageOf(payload.usage);
  if (!usage) {
    countUnknown(reading.ledger, 'token_usage_record without usage');
    return;
  }
  verify(reading, payload.usage);
  state.turn.recorded = true;
  if (isNothing(usage)) return;
  const total = usageOf(payload.thread_token_usage);
  const vector = total ? vectorOf(total) : '';
  const owner = textOf(payload.thread_id) || originOf(state);
  const response = textOf(payload.response_id);
  fillCall(
    reading,
    usage,
    vector,
    response === '' ? `${owner}|v|${vector}|${occurrence(state, 'record')}` : `${owner}|r|${response}`,
  );
}

/**
 * token_count: the last answer's usage and the thread's running total. It is written again when nothing was spent
 * (rate limits, start of a turn, resume), so only a changed total is an answer. A total that falls has restarted
 * (0.63 at each resume). Where the turn has usage records those have told everything.
 */
export function readTokenCount(reading: Reading, payload: Fields): void {
  const { state, ledger } = reading;
  const info = fieldsOf(payload.info);
  if (!info) return;
  const last = usageOf(info.last_token_usage);
  verify(reading, info.last_token_usage);
  const total = usageOf(info.total_token_usage);
  if (!total && !last) {
    countUnknown(ledger, 'token_count of an unknown shape');
    return;
  }
  if (!total) {
    if (last && !state.turn.recorded && !isNothing(last)) {
      noticeNews(reading);
      fillCall(reading, last, '', `${originOf(state)}|l|${vectorOf(last)}|${occurrence(state, 'last')}`);
    }
    return;
  }
  const before = state.counter.last;
  if (before && sameUsage(total, before)) {
    ledger.repeatedCounters++;
    return;
  }
  noticeNews(reading);
  state.counter.last = total;
  const restarted = before !== undefined && fell(total, before);
  if (restarted) state.counter.epoch++;
  if (state.turn.recorded) {
    ledger.repeatedCounters++;
    return;
  }
  const spent = last ?? (before && !restarted ? difference(total, before) : total);
  if (isNothing(spent)) return;
  const vector = vectorOf(total);
  fillCall(reading, spent, vector, `${originOf(state)}|v|${state.counter.epoch}|${vector}`);
}

/** A tool's result: what the model says next is another answer. */
export function noteResult(reading: Reading): void {
  const { state } = reading;
  if (state.call) state.call.answeredAt = reading.at;
  state.trigger = reading.at;
}
