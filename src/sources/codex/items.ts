import { countUnknown } from '../ledger.ts';
import { modelItem } from './calls.ts';
import { type Fields, textOf } from './fields.ts';
import type { Reading } from './state.ts';
import { readToolCall, readToolResult } from './tools.ts';
import { addEvent, contentText, openEventTurn, readUserMessage } from './turns.ts';

/** Items that ask for nothing and answer nothing. */
const SILENT: ReadonlySet<string> = new Set([
  'ghost_snapshot',
  'compaction',
  'compaction_summary',
  'compaction_trigger',
  'context_compaction',
  'additional_tools',
  'other',
]);

/** An item of the model's input or output: the payload of a response_item, or a record of the bare age. */
export function readItem(reading: Reading, item: Fields): void {
  switch (item.type) {
    case 'message':
      readMessage(reading, item);
      return;
    case 'reasoning':
      modelItem(reading);
      return;
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
    case 'tool_search_call':
    case 'web_search_call':
    case 'image_generation_call':
      readToolCall(reading, item);
      return;
    case 'function_call_output':
    case 'custom_tool_call_output':
    case 'local_shell_call_output':
    case 'tool_search_output':
    case 'tool_search_call_output':
      readToolResult(reading, item);
      return;
    case 'agent_message':
      readAgentMessage(reading, item);
      return;
    default: {
      const type = textOf(item.type);
      if (!SILENT.has(type)) countUnknown(reading.ledger, `response_item ${type}`);
    }
  }
}

/** Developer and system messages are instructions. */
function readMessage(reading: Reading, item: Fields): void {
  if (item.role === 'user') readUserMessage(reading, item);
  else if (item.role === 'assistant') {
    const call = modelItem(reading, reading.state.bare);
    if (reading.out.texts.wants('call')) reading.out.texts.put('call', call, contentText(item.content));
  }
}

/** A message from another agent (0.14x and later): a new task opens a turn, and so does what is marked to. */
function readAgentMessage(reading: Reading, item: Fields): void {
  const { state } = reading;
  const task = state.subagent && /^Message Type: NEW_TASK/.test(contentText(item.content));
  const row = addEvent(reading, task ? 'task' : 'notification');
  if (task || state.triggersTurn) openEventTurn(reading, row);
  state.triggersTurn = false;
}
