import { countUnknown } from '../ledger.ts';
import { modelItem, readTokenCount } from './calls.ts';
import { type Fields, fieldsOf, textOf } from './fields.ts';
import type { Reading } from './state.ts';
import { noteSpawn, readToolEnd, toolOf } from './tools.ts';
import {
  addEvent,
  addFailure,
  addInterruption,
  contentText,
  Form,
  openEventTurn,
  readCompactionEcho,
  readPromptEvent,
  startTurn,
} from './turns.ts';

/** Events that repeat what other rows tell, or tell nothing of work. */
const SILENT: ReadonlySet<string> = new Set([
  'agent_reasoning_raw_content',
  'agent_reasoning_section_break',
  'background_event',
  'collab_agent_interaction_end',
  'collab_close_end',
  'collab_resume_end',
  'deprecation_notice',
  'dynamic_tool_call_request',
  'exited_review_mode',
  'guardian_assessment',
  'guardian_warning',
  'image_generation_end',
  'mcp_startup_complete',
  'model_reroute',
  'model_verification',
  'plan_update',
  'session_configured',
  'shutdown_complete',
  'terminal_interaction',
  'thread_goal_updated',
  'thread_name_updated',
  'turn_diff',
  'undo_completed',
  'undo_started',
  'view_image_tool_call',
  'warning',
  'web_search_begin',
  'web_search_end',
]);

/** The payload of an event_msg row. */
export function readEvent(reading: Reading, event: Fields): void {
  const type = textOf(event.type);
  switch (type) {
    case 'token_count':
      readTokenCount(reading, event);
      return;
    case 'user_message':
      // 0.36 to 0.4x also wrote environment and instructions as events, with their kind.
      if (event.kind === undefined || event.kind === 'plain')
        readPromptEvent(reading, textOf(event.message), Form.event);
      return;
    case 'agent_message':
      modelItem(reading, true);
      return;
    case 'agent_reasoning':
      modelItem(reading);
      return;
    case 'item_completed':
      readCompletedItem(reading, event);
      return;
    case 'task_started':
    case 'turn_started':
      startTurn(reading, event);
      return;
    case 'task_complete':
    case 'turn_complete': {
      const error = fieldsOf(event.error);
      if (error) addFailure(reading, 'api-error', errorClass(error));
      return;
    }
    case 'turn_aborted':
      addInterruption(reading, event.reason === 'interrupted' ? '' : classOf(event.reason));
      return;
    case 'error':
      addFailure(reading, 'api-error', errorClass(event));
      return;
    case 'stream_error':
      // The client tries again.
      addFailure(reading, 'retry', errorClass(event));
      return;
    case 'thread_rolled_back':
      addEvent(reading, 'rollback');
      return;
    case 'context_compacted':
      readCompactionEcho(reading, event);
      return;
    case 'entered_review_mode':
      openEventTurn(reading, addEvent(reading, 'review'));
      return;
    case 'thread_settings_applied':
      reading.state.model.setting = textOf(fieldsOf(event.thread_settings)?.model) || reading.state.model.setting;
      return;
    case 'exec_command_end':
    case 'mcp_tool_call_end':
    case 'patch_apply_end':
    case 'dynamic_tool_call_response':
    case 'collab_waiting_end':
      readToolEnd(reading, textOf(event.call_id), event);
      return;
    case 'collab_agent_spawn_end':
      readToolEnd(reading, textOf(event.call_id), event);
      noteSpawn(reading, toolOf(reading, textOf(event.call_id)), textOf(event.new_thread_id));
      return;
    case 'sub_agent_activity':
      if (event.kind === 'started') {
        noteSpawn(
          reading,
          toolOf(reading, textOf(event.event_id) || textOf(event.call_id)),
          textOf(event.agent_thread_id),
        );
      }
      return;
    default:
      if (!SILENT.has(type)) countUnknown(reading.ledger, `event_msg ${type}`);
  }
}

/** A class of failure without its text: `usage_limit_exceeded`, the status of an HTTP error, or the one name in an object. */
function errorClass(error: Fields): string {
  const info = error.codex_error_info;
  const [name, details] = Object.entries(fieldsOf(info) ?? {})[0] ?? [info, undefined];
  const status = fieldsOf(details)?.http_status_code;
  return typeof status === 'number' ? `http-${status}` : classOf(name) || 'error';
}

/** A name of the client's own; anything that could be a text is not one. */
function classOf(value: unknown): string {
  return typeof value === 'string' && /^[\w.-]{1,60}$/.test(value) ? value : '';
}

/** item_completed (all items since 0.15x, plans before): the same things as events and items, in one more form. */
function readCompletedItem(reading: Reading, event: Fields): void {
  const item = fieldsOf(event.item);
  const type = textOf(item?.type);
  if (!item) {
    countUnknown(reading.ledger, 'event_msg item_completed without item');
    return;
  }
  const id = textOf(item.id);
  switch (type) {
    case 'UserMessage':
      readPromptEvent(reading, contentText(item.content), Form.item);
      return;
    case 'AgentMessage':
      modelItem(reading, true);
      return;
    case 'Reasoning':
      modelItem(reading);
      return;
    case 'CommandExecution':
    case 'FileChange':
    case 'McpToolCall':
    case 'DynamicToolCall':
    case 'CollabAgentToolCall':
      readToolEnd(reading, id, item);
      if (type === 'CollabAgentToolCall' && Array.isArray(item.receiver_thread_ids)) {
        noteSpawn(reading, toolOf(reading, id), textOf(item.receiver_thread_ids[0]));
      }
      return;
    case 'SubAgentActivity':
      if (item.kind === 'started') noteSpawn(reading, toolOf(reading, id), textOf(item.agent_thread_id));
      return;
    case 'ContextCompaction':
      readCompactionEcho(reading, event);
      return;
    case 'HookPrompt':
    case 'ImageGeneration':
    case 'ImageView':
    case 'Plan':
    case 'Sleep':
    case 'WebSearch':
      return;
    default:
      countUnknown(reading.ledger, `item_completed ${type}`);
  }
}
