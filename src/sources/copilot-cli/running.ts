import { NO_ROW } from '../../trace/kinds.ts';
import { INTERRUPTED } from '../failures.ts';
import type { Scribe } from '../scribe.ts';
import { type Obj, textOf } from '../shapes.ts';
import type { FileState, Lane } from './state.ts';
import { askedOf, outcomeOf, resultText } from './tools.ts';

/** The key of a tool call; subagents name the call that started them by it. */
export function toolKey(state: FileState, toolCall: string): string {
  return `${state.main}/${toolCall}`;
}

/** A tool call that an answer asks for, or (`call` NO_ROW) that began before its answer was written. */
export function asks(
  scribe: Scribe,
  state: FileState,
  lane: Lane,
  id: string,
  name: string,
  request: Obj,
  call: number,
  time: number,
): void {
  const running = state.tools.get(id);
  if (running !== undefined) {
    if (!running.asked && call !== NO_ROW) scribe.out.setParent(running.row, call);
    running.asked ||= call !== NO_ROW;
    return;
  }
  const asked = askedOf(name, request.arguments, textOf(request.mcpServerName), toolKey(state, id));
  const open = scribe.tool(lane.strand, call, asked, time);
  state.tools.set(id, { ...open, lane: lane.strand.id, asked: call !== NO_ROW });
}

/** The moment a tool begins to run. */
export function toolStart(scribe: Scribe, state: FileState, lane: Lane, data: Obj, time: number): void {
  const { out } = scribe;
  const id = textOf(data.toolCallId);
  const running = state.tools.get(id);
  if (running === undefined) {
    asks(scribe, state, lane, id, textOf(data.toolName), data, NO_ROW, time);
    return;
  }
  if (time > 0) {
    out.start.set(running.row, time);
    out.end.set(running.row, time);
  }
  if (textOf(data.mcpServerName) !== '') out.field.mcp_server.set(running.row, textOf(data.mcpServerName));
}

/** After a kill the end is written when the session is resumed: the call ended when the session did. */
export function toolEnd(scribe: Scribe, state: FileState, lane: Lane, data: Obj, time: number): void {
  const { out } = scribe;
  const id = textOf(data.toolCallId);
  const running = state.tools.get(id);
  if (time > lane.strand.trigger) lane.strand.trigger = time;
  if (running === undefined) return;
  state.tools.delete(id);
  const late = state.left > 0 && out.start.get(running.row) <= state.left;
  const outcome = late && data.success !== true ? INTERRUPTED : outcomeOf(out.field.tool.get(running.row), data);
  scribe.result(running, outcome, late ? state.left : time, resultText(data));
}

/** A hook's start makes an event, its end gives it length and outcome. */
export function hook(
  scribe: Scribe,
  state: FileState,
  { strand }: Lane,
  isEnd: boolean,
  id: string,
  data: Obj,
  time: number,
): void {
  const invocation = textOf(data.hookInvocationId);
  if (!isEnd) {
    state.hooks.set(invocation, scribe.event(strand, 'hook', time, id));
    return;
  }
  const row = state.hooks.get(invocation);
  if (row === undefined) return;
  state.hooks.delete(invocation);
  const { out } = scribe;
  if (time > out.start.get(row)) out.end.set(row, time);
  if (data.success !== false) return;
  out.field.status.set(row, 'error');
  out.field.error.set(row, 'hook-error');
}
