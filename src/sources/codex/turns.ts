import { Flag } from '../../trace/flags.ts';
import { hashKey, keyText } from '../../trace/keys.ts';
import { Kind, NO_ROW } from '../../trace/kinds.ts';
import { type Fields, fieldsOf, numberOf, textOf } from './fields.ts';
import { machineText, typedPart } from './machine-text.ts';
import {
  addRow,
  closeCall,
  occurrence,
  originOf,
  type Reading,
  type State,
  setEnd,
  type WaitingPrompt,
} from './state.ts';

/** Forms in which a prompt is written besides the model's input. */
export const Form = { event: 1, item: 2 } as const;

/**
 * A user message of the model's input. Versions since 0.36 write each prompt once more as an event, and only that
 * one is surely a prompt; so the message waits for it. Where no event ever comes, it counts when the model answers.
 */
export function readUserMessage(reading: Reading, payload: Fields): void {
  const text = contentText(payload.content);
  const machine = machineText(text, true);
  if (machine !== '') {
    if (machine === 'context') noteContext(reading, text);
    else readMachineMessage(reading, machine);
    return;
  }
  const passthrough = fieldsOf(payload.internal_chat_message_metadata_passthrough);
  const kinds = passthrough?.content_item_kinds;
  const typed =
    !Array.isArray(kinds) ||
    kinds.length === 0 ||
    kinds.some(kind => typeof kind === 'string' && kind.startsWith('user.'));
  const message = { text, typed, sure: false, at: reading.at, offset: reading.offset, bytes: reading.bytes };
  if (reading.state.bare) openTurn(reading, message);
  else reading.state.prompts.waiting.push(message);
}

/** The event or item of a prompt; the same text in the other form, with no new message between, is the same prompt. */
export function readPromptEvent(reading: Reading, text: string, form: number): void {
  const { prompts } = reading.state;
  if (machineText(text, false) !== '') {
    prompts.waiting = prompts.waiting.filter(each => each.text !== text);
    return;
  }
  prompts.events++;
  const unsure = prompts.waiting.filter(each => !each.sure);
  const written = unsure.findLast(each => each.text === text);
  if (unsure.length === 0 && prompts.lastText === text && (prompts.lastForms & form) === 0) {
    prompts.lastForms |= form;
    return;
  }
  prompts.waiting = prompts.waiting.filter(each => each.sure);
  const here = { at: reading.at, offset: reading.offset, bytes: reading.bytes };
  openTurn(reading, { ...here, ...written, text, typed: true, sure: true });
  prompts.lastForms = form;
}

/** The model answers: messages that no event followed are prompts, unless this file has events for those. */
export function settlePrompts(reading: Reading): void {
  const { prompts } = reading.state;
  if (prompts.waiting.length === 0) return;
  const waiting = prompts.waiting;
  prompts.waiting = [];
  for (const message of waiting) {
    if (message.sure || (message.typed && prompts.events === 0)) openTurn(reading, message);
  }
}

/** A prompt of a person, or the task of a subagent. */
function openTurn(reading: Reading, message: WaitingPrompt): void {
  const { out, state } = reading;
  state.prompts.lastText = message.text;
  state.prompts.lastForms = 0;
  if (state.inheritance.replaying && !state.inheritance.worked) {
    // Nothing shows yet that this is another thread's history: the first answer does, or denies it.
    state.prompts.waiting.push({ ...message, sure: true });
    return;
  }
  const text = typedPart(message.text);
  const task = state.subagent && !state.inheritance.replaying;
  const hash = hashKey(message.text);
  const name = keyText(hash.high, hash.low);
  const row = addRow(reading, task ? Kind.event : Kind.prompt, NO_ROW, message);
  out.setKey(row, `${originOf(state)}|p|${name}|${occurrence(state, name)}`);
  out.setArgs(row, message.text);
  if (task) {
    out.field.event.set(row, 'task');
    out.flag(row, Flag.opensTurn);
    const session = out.sessions.all[reading.session];
    if (session && session.spawnPrompt === undefined) session.spawnPrompt = hash;
  }
  out.texts.put('prompt', row, text);
  state.turn.row = row;
  state.trigger = message.at;
  closeCall(reading);
  forgetAnswered(state);
}

function readMachineMessage(reading: Reading, kind: string): void {
  const opens = kind !== 'notification';
  const row = addEvent(reading, kind);
  if (opens) openEventTurn(reading, row);
}

/** Makes an event the opener of a turn: what follows was caused by it. */
export function openEventTurn(reading: Reading, row: number): void {
  const { out, state } = reading;
  out.flag(row, Flag.opensTurn);
  out.setParent(row, NO_ROW);
  state.turn.row = row;
  state.trigger = reading.at;
  closeCall(reading);
}

export function addFailure(reading: Reading, name: string, error: string): void {
  const row = addEvent(reading, name);
  reading.out.field.status.set(row, 'error');
  reading.out.field.error.set(row, error);
}

export function addInterruption(reading: Reading, reason: string): void {
  const row = addEvent(reading, 'interruption');
  reading.out.field.status.set(row, 'interrupted');
  reading.out.field.error.set(row, reason);
}

export function addEvent(reading: Reading, name: string): number {
  const { out, state } = reading;
  const row = addRow(reading, Kind.event, state.turn.row);
  out.field.event.set(row, name);
  out.setKey(row, `${originOf(state)}|e|${name}|${occurrence(state, `e|${name}`)}`);
  out.setArgs(row, name);
  return row;
}

/** Files without turn_context tell their directory here. */
function noteContext(reading: Reading, text: string): void {
  const { state } = reading;
  if (state.cwd !== '') return;
  const match = /<cwd>([^<]+)<\/cwd>/.exec(text) ?? /^(?:- )?Current working directory: (.+)$/m.exec(text);
  state.cwd = match?.[1]?.trim() ?? '';
  const session = reading.out.sessions.all[reading.session];
  if (session && session.cwd === undefined && state.cwd !== '') session.cwd = state.cwd;
}

/** task_started: a new turn. Its prompt comes later, its model mostly too. */
export function startTurn(reading: Reading, payload: Fields): void {
  const { state } = reading;
  const id = textOf(payload.turn_id);
  if (id !== '' && id === state.turn.id) return;
  beginTurn(reading, id);
  state.trigger = reading.at;
}

function beginTurn(reading: Reading, id: string): void {
  const { state } = reading;
  state.turn.id = id;
  state.turn.recorded = false;
  closeCall(reading);
  state.model.known = false;
  if (state.model.name !== '') state.model.waiting = [];
  forgetAnswered(state);
}

/** After its turn nothing more is said of an answered call, unless its command goes on. */
function forgetAnswered(state: State): void {
  for (const [callId, tool] of state.tools) if (tool.answered && !tool.background) state.tools.delete(callId);
}

/** turn_context: the model of the turn, also of its calls that came before (a compaction at its start). */
export function readTurnContext(reading: Reading, payload: Fields): void {
  const { out, state } = reading;
  const id = textOf(payload.turn_id);
  if (id !== '' && id !== state.turn.id) beginTurn(reading, id);
  const cwd = textOf(payload.cwd);
  if (cwd !== '') state.cwd = cwd;
  const model = textOf(payload.model);
  if (model === '') return;
  for (const row of state.model.waiting) out.field.model.set(row, model);
  state.model.waiting = [];
  state.model.name = model;
  state.model.known = true;
}

/** Names the model of a call; if the turn has not told it yet, the last one, and the turn's as soon as it is told. */
export function setModel(reading: Reading, row: number): void {
  const { model } = reading.state;
  reading.out.field.model.set(row, model.name || model.setting || 'unknown');
  if (!model.known) model.waiting.push(row);
}

/** `compacted`, and the item or event that says so again. */
export function readCompaction(reading: Reading): void {
  const { out, state } = reading;
  const { call } = state;
  // The request that wrote the summary asked for no tool and was not shown; every other answer was.
  if (call?.filled && call.tools === 0 && !call.shown) out.flag(call.row, Flag.compaction);
  closeCall(reading);
  state.compaction = addEvent(reading, 'compaction');
  state.trigger = reading.at;
}

export function readCompactionEcho(reading: Reading, payload: Fields): void {
  const { out, state } = reading;
  if (state.compaction === NO_ROW) readCompaction(reading);
  const started = numberOf(payload.started_at_ms);
  const row = state.compaction;
  if (started !== undefined && started > 0 && Number.isSafeInteger(started * 1000) && !out.has(row, Flag.replayed)) {
    out.start.set(row, Math.min(out.start.get(row), Math.round(started) * 1000));
    setEnd(reading, row, reading.at);
  }
  state.compaction = NO_ROW;
}

/** The texts of a message's content, which is a string or a list of typed items. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  let text = '';
  for (const item of content) {
    const part = fieldsOf(item)?.text;
    if (typeof part === 'string') text = text === '' ? part : `${text}\n${part}`;
  }
  return text;
}
