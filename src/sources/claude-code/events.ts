import { Kind } from '../../trace/kinds.ts';
import { classOf, countOf, listOf, type Obj, objectOf, textOf } from '../shapes.ts';
import { addRow, type Context } from './context.ts';
import type { Chain } from './state.ts';

/** An event row of the open turn. Times in microseconds. */
export function addEvent(context: Context, chain: Chain, event: string, start: number, end: number): number {
  const { out } = context;
  const row = addRow(context, Kind.event, chain, chain.turn, start);
  if (end > start) out.end.set(row, end);
  if (context.uuid !== '') out.setKey(row, context.uuid);
  out.field.event.set(row, event);
  return row;
}

function fail(context: Context, row: number, error: string): void {
  context.out.field.status.set(row, 'error');
  context.out.field.error.set(row, error);
}

/** An event that took `millis` and ended with its row. */
function ended(context: Context, chain: Chain, event: string, millis: number): number {
  const { time } = context;
  return addEvent(context, chain, event, Math.max(time - Math.round(millis * 1000), 0), time);
}

/** `system` rows: retries, compactions, hooks and refusals are events, the rest is display. */
export function systemRow(context: Context, chain: Chain, record: Obj): void {
  switch (record.subtype) {
    case 'api_error': {
      // One row for each failed attempt that will be tried again; what follows is the wait.
      const wait =
        typeof record.retryInMs === 'number' && record.retryInMs > 0 ? Math.round(record.retryInMs * 1000) : 0;
      const row = addEvent(context, chain, 'retry', context.time, context.time + Math.min(wait, 3.6e9));
      fail(context, row, errorClass(record.error));
      return;
    }
    case 'error':
      fail(context, addEvent(context, chain, 'api-error', context.time, context.time), errorClass(record.error));
      return;
    case 'compact_boundary':
      ended(context, chain, 'compaction', countOf(objectOf(record.compactMetadata).durationMs));
      return;
    case 'microcompact_boundary':
      ended(context, chain, 'microcompaction', 0);
      return;
    case 'api_refusal':
    case 'model_refusal_fallback':
      fail(context, addEvent(context, chain, 'refusal', context.time, context.time), 'refusal');
      return;
    case 'stop_hook_summary': {
      if (countOf(record.hookCount) === 0) return;
      let longest = 0;
      for (const info of listOf(record.hookInfos)) longest = Math.max(longest, countOf(objectOf(info).durationMs));
      const row = ended(context, chain, 'hook', longest);
      if (listOf(record.hookErrors).length > 0) fail(context, row, 'hook-error');
      return;
    }
    default:
  }
}

/** The class of an API error: its HTTP status, the code of the broken connection, or the API's own type. */
function errorClass(error: unknown): string {
  const details = objectOf(error);
  const status = countOf(details.status);
  if (status > 0) return `http-${status}`;
  const inner = objectOf(details.error);
  return (
    classOf(objectOf(details.connection).code) ||
    classOf(details.code) ||
    classOf(objectOf(inner.error).type) ||
    classOf(inner.type) ||
    classOf(details.type) ||
    'api-error'
  );
}

/** Hook runs among the attachments; true if the row was one. */
export function hookRow(context: Context, chain: Chain, attachment: Obj): boolean {
  const type = textOf(attachment.type);
  switch (type) {
    case 'hook_success':
    case 'async_hook_response':
      ended(context, chain, 'hook', countOf(attachment.durationMs));
      return true;
    case 'hook_cancelled':
      context.out.field.status.set(ended(context, chain, 'hook', countOf(attachment.durationMs)), 'interrupted');
      return true;
    case 'hook_blocking_error':
      fail(context, ended(context, chain, 'hook', countOf(attachment.durationMs)), 'blocked');
      return true;
    case 'hook_non_blocking_error':
    case 'hook_error_during_execution': {
      const code = countOf(attachment.exitCode);
      fail(
        context,
        ended(context, chain, 'hook', countOf(attachment.durationMs)),
        code > 0 ? `exit-${code}` : 'hook-error',
      );
      return true;
    }
    default:
      return false;
  }
}
