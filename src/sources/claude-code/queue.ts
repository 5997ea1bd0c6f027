import { type Obj, textOf } from '../shapes.ts';
import { isSubagent } from './chains.ts';
import type { Context } from './context.ts';
import { type Voice, voiceOfOrigin, voiceOfText, wordsOfBlocks } from './said.ts';
import { firstSight } from './seen.ts';
import type { Chain, Queued } from './state.ts';
import { addPrompt, heardInside } from './turns.ts';

/** Nobody types more than this ahead. */
const MOST_QUEUED = 1000;

/**
 * What is typed while the model works is queued. `dequeue` starts a turn with it: a user row follows and counts.
 * `remove` hands it to the model inside the running turn: up to 2.1.11x nothing else tells of it, later an attachment
 * `queued_command` does too, before or after. `popAll` takes the queue back into the input line.
 */
export function queueRow(context: Context, chain: Chain, record: Obj): void {
  const { queue } = context.state;
  switch (record.operation) {
    case 'enqueue':
      if (queue.length < MOST_QUEUED) queue.push(queued(context, record));
      return;
    case 'dequeue':
      queue.shift();
      return;
    case 'popAll':
      queue.length = 0;
      return;
    case 'remove': {
      const next = queue.shift();
      if (next !== undefined) deliver(context, chain, next);
      return;
    }
    default:
  }
}

function queued(context: Context, record: Obj): Queued {
  return { text: wordsOfBlocks(record.content), time: context.time, offset: context.offset, bytes: context.bytes };
}

function deliver(context: Context, chain: Chain, message: Queued): void {
  const { state } = context;
  const told = state.delivered.findIndex(each => each.by === 'attachment' && each.text === message.text);
  if (told >= 0) {
    state.delivered.splice(told, 1);
    return;
  }
  const voice = voiceOfText(message.text);
  const { offset, bytes } = context;
  // The evidence is the row that holds the words.
  context.offset = message.offset;
  context.bytes = message.bytes;
  const row = hear(context, chain, voice, message.text, `queue:${message.time}:${message.text}`);
  context.offset = offset;
  context.bytes = bytes;
  awaitSecond(context, message.text, row, 'queue');
}

/** An attachment `queued_command`: the second record of a delivered message, or the only one. */
export function queuedCommand(context: Context, chain: Chain, attachment: Obj): void {
  const { state } = context;
  const text = wordsOfBlocks(attachment.prompt);
  const { uuid } = context;
  const source = textOf(attachment.source_uuid);
  const told = state.delivered.findIndex(each => each.by === 'queue' && each.text === text);
  if (told >= 0) {
    const { row } = state.delivered[told] as { row: number };
    state.delivered.splice(told, 1);
    if (row >= 0 && uuid !== '') context.out.setKey(row, uuid);
    return;
  }
  if (!firstSight(state.seen, source)) return;
  const voice = attachment.commandMode === 'task-notification' ? 'notification' : voiceOfOrigin(attachment.origin);
  const row = hear(context, chain, voice ?? voiceOfText(text), text, uuid);
  if (state.queue.some(each => each.text === text)) awaitSecond(context, text, row, 'attachment');
}

function hear(context: Context, chain: Chain, voice: Voice, text: string, id: string): number {
  if (voice === 'prompt' && !isSubagent(context, chain)) return addPrompt(context, chain, text, id);
  heardInside(context, chain, voice === 'prompt' ? 'message' : voice, text);
  return -1;
}

function awaitSecond(context: Context, text: string, row: number, by: 'queue' | 'attachment'): void {
  const { delivered } = context.state;
  if (delivered.length >= MOST_QUEUED) delivered.shift();
  delivered.push({ text, row, by });
}
