import { Flag } from '../../trace/flags.ts';
import { Kind } from '../../trace/kinds.ts';
import { contradiction } from '../ledger.ts';
import { blocksOf, classOf, type Obj, objectOf, textOf } from '../shapes.ts';
import { isCompactAgent } from './chains.ts';
import { addRow, type Context } from './context.ts';
import { addEvent } from './events.ts';
import { answerKey, firstSight } from './seen.ts';
import { type Chain, type OpenCall, recall, remember } from './state.ts';
import { isToolResult, isToolUse, toolResult, toolUse } from './tools.ts';
import { answered } from './turns.ts';
import { outputOf, readUsage, totalOf, type Usage } from './usage.ts';

/**
 * The least an answer costs: a token for each five characters of text and arguments, thirty for asking for a tool. Of
 * 262 answers with a final count in real transcripts the dearest text took 4.6 characters a token, the shortest tool
 * call 53 tokens. A smaller count is that of the answer's beginning.
 */
const CHARACTERS_A_TOKEN = 5;
const TOOL_USE = 30 * CHARACTERS_A_TOKEN;

/**
 * An `assistant` row: one block (or all) of an answer. All rows of one `message.id` are one call; usage is repeated on
 * each, and only the output grows (the last is the largest), so the row with the largest output stands.
 */
export function assistantRow(context: Context, chain: Chain, record: Obj, message: Obj): void {
  const model = textOf(message.model);
  if (isSynthetic(message)) {
    synthetic(context, chain, record);
    return;
  }
  const id = textOf(message.id) || context.uuid || `${context.file.path}:${context.offset}`;
  const call = callOf(context, chain, record, id, model);
  spend(context, call, message, model, id, chain);
  const { out } = context;
  if (context.time > out.end.get(call.row)) out.end.set(call.row, context.time);
  chain.last = 'answer';
  blocks(context, chain, call, message);
  judge(context, call, message);
}

function callOf(context: Context, chain: Chain, record: Obj, id: string, model: string): OpenCall {
  const { state, out } = context;
  const known = recall(state.calls, id);
  if (known !== undefined) {
    context.ledger.repeatedRows++;
    if (out.field.model.codeAt(known.row) === 0) out.field.model.set(known.row, model);
    return known;
  }
  firstSight(state.seen, answerKey(id));
  const turn = answered(context, chain);
  const row = addRow(context, Kind.call, chain, turn, startOf(context, chain, record));
  out.setKey(row, id);
  out.field.model.set(row, model);
  out.field.skill.set(row, textOf(record.attributionSkill));
  out.flag(row, Flag.unknownUsage);
  if (isCompactAgent(context, chain)) out.flag(row, Flag.compaction);
  chain.trigger = 0;
  const call: OpenCall = { row, output: -1, characters: 0, final: false };
  remember(state.calls, id, call);
  return call;
}

/** When the request was sent if the row says which it was (2.1.33x); else when the model was given what it answers. */
function startOf(context: Context, chain: Chain, record: Obj): number {
  const { time } = context;
  const sent = recall(context.state.requests, textOf(record.requestRef)) ?? 0;
  const start = sent > 0 ? sent : chain.trigger;
  return start > 0 && (start <= time || time === 0) ? start : time;
}

function spend(context: Context, call: OpenCall, message: Obj, model: string, id: string, chain: Chain): void {
  const spent = readUsage(message.usage, model);
  if (spent === undefined) return;
  if (spent.splitDisagrees)
    contradiction(
      context.ledger,
      context.offset,
      'cache writes that do not add up to their 5-minute and 1-hour parts: the total was kept',
    );
  take(context, call, spent.own);
  if (spent.others === undefined) return;
  for (const [other, usage] of spent.others) {
    if (totalOf(usage) > 0) take(context, otherCall(context, chain, call, `${id}#${other}`, other), usage);
  }
}

function take(context: Context, call: OpenCall, usage: Usage): void {
  const output = outputOf(usage);
  if (output <= call.output) return;
  call.output = output;
  const { tokens, flags } = context.out;
  const { row } = call;
  tokens.input_tokens.set(row, usage.input);
  tokens.cache_read_tokens.set(row, usage.cacheRead);
  tokens.cache_write_5m_tokens.set(row, usage.write5m);
  tokens.cache_write_1h_tokens.set(row, usage.write1h);
  tokens.output_tokens.set(row, usage.output);
  tokens.reasoning_tokens.set(row, usage.reasoning);
  // Gateways that do not meter write zeros: no real answer costs nothing.
  if (totalOf(usage) > 0) flags.set(row, flags.get(row) & ~Flag.unknownUsage);
}

/** An inference of another model inside an answer: billed by itself, so a call by itself. */
function otherCall(context: Context, chain: Chain, call: OpenCall, id: string, model: string): OpenCall {
  const { state, out } = context;
  const known = recall(state.calls, id);
  if (known !== undefined) return known;
  const row = addRow(context, Kind.call, chain, out.parentOf(call.row), context.time);
  out.setKey(row, id);
  out.field.model.set(row, model);
  const other: OpenCall = { row, output: -1, characters: 0, final: true };
  remember(state.calls, id, other);
  return other;
}

function blocks(context: Context, chain: Chain, call: OpenCall, message: Obj): void {
  const { out } = context;
  let index = 0;
  for (const block of blocksOf(message.content)) {
    if (block.type === 'text') {
      const text = textOf(block.text);
      call.characters += text.length;
      out.texts.put('call', call.row, text);
    } else if (isToolUse(block)) {
      const characters = toolUse(context, chain, call.row, block, index);
      if (characters !== undefined) call.characters += TOOL_USE + characters;
    } else if (isToolResult(block)) toolResult(context, chain, block, undefined);
    index++;
  }
}

/**
 * Is the output only a lower bound? `stop_reason` is null on every row up to 2.1.70, also where the count is final, so
 * its absence alone says nothing: the count must also be too small for what the answer visibly holds.
 */
function judge(context: Context, call: OpenCall, message: Obj): void {
  call.final ||= textOf(message.stop_reason) !== '';
  const { flags } = context.out;
  const known = (flags.get(call.row) & Flag.unknownUsage) === 0;
  const bound = known && !call.final && call.output * CHARACTERS_A_TOKEN < call.characters;
  const rest = flags.get(call.row) & ~Flag.lowerBound;
  flags.set(call.row, bound ? rest | Flag.lowerBound : rest);
}

/** Whether the client wrote this answer itself. */
export function isSynthetic(message: Obj): boolean {
  return message.model === '<synthetic>';
}

/** A row the client made itself: an API error it shows, or a placeholder. Not a call. */
function synthetic(context: Context, chain: Chain, record: Obj): void {
  const text = textOf(blocksOf(objectOf(record.message).content)[0]?.text);
  if (record.isApiErrorMessage !== true && !text.startsWith('API Error')) return;
  const row = addEvent(context, chain, 'api-error', context.time, context.time);
  const status = typeof record.apiErrorStatus === 'number' ? `http-${record.apiErrorStatus}` : '';
  context.out.field.status.set(row, 'error');
  context.out.field.error.set(row, classOf(record.error) || status || 'api-error');
}
