import { Flag } from '../../trace/flags.ts';
import { Kind, NO_ROW } from '../../trace/kinds.ts';
import { blocksOf, type Obj, objectOf, plainText, textOf } from '../shapes.ts';
import { giveTask, isSubagent } from './chains.ts';
import { addRow, type Context } from './context.ts';
import { addEvent } from './events.ts';
import { type Voice, voiceOf, wordsOfBlocks } from './said.ts';
import type { Chain } from './state.ts';
import { backgroundEnded, isToolResult, toolResult } from './tools.ts';

/** A `user` row: results of tools, and words of a person or of the client. */
export function userRow(context: Context, chain: Chain, record: Obj, message: Obj): void {
  const results = toolResults(context, chain, record, message);
  const words = wordsOfBlocks(message.content);
  if (words === '' && (results > 0 || !hasImage(message.content))) return;
  let voice = voiceOf(record, words);
  if (isSubagent(context, chain) && (voice === 'prompt' || (voice === 'meta' && !chain.tasked))) {
    // What a subagent is told comes from its parent model, unless the row says a person.
    if (textOf(objectOf(record.origin).kind) !== 'human') {
      if (!chain.tasked) {
        task(context, chain, plainText(message.content));
        return;
      }
      voice = 'message';
    }
  }
  if (voice === 'prompt') addPrompt(context, chain, words, context.uuid);
  else heard(context, chain, voice, words);
}

/** Ends the calls that a row answers; gives how many. `toolUseResult` is of the row: with several it is nobody's. */
function toolResults(context: Context, chain: Chain, record: Obj, message: Obj): number {
  if (typeof message.content === 'string') return 0;
  const blocks = blocksOf(message.content);
  let results = 0;
  for (const block of blocks) if (isToolResult(block)) results++;
  if (results === 0) return 0;
  const result = results === 1 ? record.toolUseResult : undefined;
  for (const block of blocks) if (isToolResult(block)) toolResult(context, chain, block, result);
  chain.trigger = context.time;
  chain.last = 'result';
  return results;
}

function hasImage(content: unknown): boolean {
  return (
    typeof content !== 'string' && blocksOf(content).some(block => block.type === 'image' || block.type === 'document')
  );
}

/** A prompt of a person: opens a turn. `id` tells copies of it. Gives its row. */
export function addPrompt(context: Context, chain: Chain, words: string, id: string): number {
  const { out } = context;
  const row = addRow(context, Kind.prompt, chain, NO_ROW, context.time);
  if (id !== '') out.setKey(row, id);
  out.texts.put('prompt', row, words);
  chain.turn = row;
  chain.opener = NO_ROW;
  chain.trigger = context.time;
  chain.last = 'prompt';
  return row;
}

/** The first thing a subagent is told: opens its turn. */
function task(context: Context, chain: Chain, text: string): void {
  giveTask(context, chain, text);
  const row = addEvent(context, chain, 'task', context.time, context.time);
  context.out.flag(row, Flag.opensTurn);
  context.out.setParent(row, NO_ROW);
  context.out.texts.put('prompt', row, text);
  chain.turn = row;
  chain.opener = NO_ROW;
  chain.trigger = context.time;
  chain.last = 'prompt';
}

/** Something the client said: an event if it matters, and perhaps the opening of a turn. */
function heard(context: Context, chain: Chain, voice: Voice, words: string): void {
  switch (voice) {
    case 'prompt':
    case '':
      return;
    case 'interruption': {
      const row = addEvent(context, chain, voice, context.time, context.time);
      context.out.field.status.set(row, 'interrupted');
      return;
    }
    case 'meta':
      // A remark inside a turn, or the text a slash command stands for, opens nothing.
      if (chain.last !== 'answer' || chain.opener !== NO_ROW || chain.trigger > 0) return;
      break;
    case 'notification':
      backgroundEnded(context, words);
      break;
    default:
  }
  chain.opener = addEvent(context, chain, voice, context.time, context.time);
  chain.trigger = context.time;
  chain.last = 'event';
}

/** Something said while the model was at work: it hears it in the open turn. */
export function heardInside(context: Context, chain: Chain, voice: Voice, words: string): void {
  if (voice === '' || voice === 'prompt') return;
  if (voice === 'notification') backgroundEnded(context, words);
  addEvent(context, chain, voice, context.time, context.time);
  chain.trigger = context.time;
}

/** The model answers: an event it answers opened a turn. Gives the row of the turn. */
export function answered(context: Context, chain: Chain): number {
  if (chain.opener !== NO_ROW) {
    context.out.flag(chain.opener, Flag.opensTurn);
    context.out.setParent(chain.opener, NO_ROW);
    chain.turn = chain.opener;
    chain.opener = NO_ROW;
  }
  return chain.turn;
}
