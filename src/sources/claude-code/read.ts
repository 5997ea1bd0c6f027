import type { Operations } from '../../trace/operations.ts';
import { microsOf } from '../instants.ts';
import { countUnknown, type FileLedger } from '../ledger.ts';
import type { RecordSink, SourceFile } from '../reader.ts';
import { blocksOf, isObject, NOTHING, type Obj, objectOf, textOf } from '../shapes.ts';
import { assistantRow, isSynthetic } from './calls.ts';
import { agentChain, chainOf, foundFork } from './chains.ts';
import { AGENT, type Context, note } from './context.ts';
import { counterRow, passCounters } from './counters.ts';
import { hookRow, systemRow } from './events.ts';
import { agentOfPath, parentOfPath, sessionOfPath } from './paths.ts';
import { queuedCommand, queueRow } from './queue.ts';
import { answerKey, firstSight, wasSeen } from './seen.ts';
import { type Chain, type FileState, freshState, remember } from './state.ts';
import { isStreamed, rowsOf } from './stream.ts';
import { isNewTool } from './tools.ts';
import { userRow } from './turns.ts';

/**
 * Record types that tell nothing about operations: titles, modes, links, snapshots of files, and copies of requests
 * (an `api-request-blob` holds a whole message, which must not be counted again).
 */
const SILENT: ReadonlySet<string> = new Set([
  'summary',
  'ai-title',
  'custom-title',
  'agent-name',
  'last-prompt',
  'mode',
  'permission-mode',
  'atis-latch',
  'bridge-session',
  'pr-link',
  'frame-link',
  'relocated',
  'worktree-state',
  'file-history-snapshot',
  'file-history-delta',
  'api-request-blob',
  'api-request-shape',
  'tools-used',
  'started',
  'result',
]);

/** Reads the records of one transcript, in the order in which they stand. */
export class TranscriptSink implements RecordSink {
  private readonly context: Context;

  constructor(file: SourceFile, out: Operations, ledger: FileLedger, state?: FileState) {
    this.context = {
      file,
      out,
      ledger,
      state: state ?? freshState(),
      fileAgent: agentOfPath(file.path),
      fileSession: sessionOfPath(file.path),
      fileParent: parentOfPath(file.path),
      record: NOTHING,
      uuid: '',
      streamed: false,
      offset: 0,
      bytes: 0,
      time: 0,
    };
    for (const [id, chain] of this.context.state.chains) chain.session = out.sessions.of(AGENT, id, file.index);
  }

  end(): FileState {
    return this.context.state;
  }

  record(value: unknown, offset: number, bytes: number): void {
    const { context } = this;
    if (!isObject(value)) {
      context.ledger.badLines++;
      return;
    }
    context.offset = offset;
    context.bytes = bytes;
    context.streamed = isStreamed(value);
    if (!context.streamed) this.row(value);
    else for (const row of rowsOf(context, value)) this.row(row);
  }

  private row(value: Obj): void {
    const { context } = this;
    context.record = value;
    context.uuid = textOf(value.uuid);
    context.time = microsOf(value.timestamp);
    switch (value.type) {
      case 'user':
      case 'assistant':
      case 'system':
      case 'attachment':
        if (firstSight(context.state.seen, context.uuid)) this.inChain(value, value.type);
        else this.again(value);
        return;
      case 'progress':
        this.progress(value);
        return;
      case 'queue-operation':
        if (context.state.chains.size === 0) context.state.head = context.time;
        this.inChain(value, 'queue-operation');
        return;
      case 'api-request':
        remember(context.state.requests, textOf(value.id), context.time);
        return;
      case 'cost-state':
        counterRow(context, chainOf(context, value), value);
        return;
      default:
        if (typeof value.type !== 'string' || !SILENT.has(value.type))
          countUnknown(context.ledger, nameOfType(value.type));
    }
  }

  /**
   * Some inputs make the client write a row again, with the same uuid: it is one row. But some clients give two blocks
   * of one answer the same uuid, each in a row of its own: a tool that none before asked for, or an answer that a tool
   * still waits for, is no repeat.
   */
  private again(record: Obj): void {
    const { context } = this;
    const fresh = freshIn(context, record);
    if (fresh) {
      this.inChain(fresh, record.type as 'user' | 'assistant');
      return;
    }
    if (record.type === 'assistant') context.ledger.repeatedRows++;
    note(context, 'rows with one and the same uuid stand more than once: each was counted once');
  }

  private inChain(record: Obj, type: 'user' | 'assistant' | 'system' | 'attachment' | 'queue-operation'): void {
    const { context } = this;
    if (context.streamed && record.isSidechain === true) this.spawned(record);
    const chain = chainOf(context, record);
    passCounters(context, context.time);
    switch (type) {
      case 'assistant':
        foundFork(context, chain);
        assistantRow(context, chain, record, objectOf(record.message));
        break;
      case 'user':
        foundFork(context, chain);
        userRow(context, chain, record, objectOf(record.message));
        break;
      case 'system':
        systemRow(context, chain, record);
        break;
      case 'attachment':
        attachmentRow(context, chain, objectOf(record.attachment));
        break;
      default:
        queueRow(context, chain, record);
    }
    if (context.time > chain.seen) chain.seen = context.time;
  }

  /** In a stream a subagent is known by the call that spawned it. */
  private spawned({ sessionId, agentId }: Obj): void {
    const { context } = this;
    agentChain(context, NOTHING, textOf(agentId), textOf(sessionId), textOf(agentId));
  }

  /**
   * `agent_progress` (2.1.12 to 2.1.70) wraps each message of a running subagent. They are read as rows of that
   * subagent: where its own file exists too, equal message ids and uuids make one of the two a copy when all files are
   * linked; where it is gone, this is all there is. Other progress is display.
   */
  private progress(record: Obj): void {
    const { context } = this;
    const data = objectOf(record.data);
    if (data.type !== 'agent_progress') return;
    const inner = objectOf(data.message);
    const agent = textOf(data.agentId);
    if (agent === '' || (inner.type !== 'assistant' && inner.type !== 'user')) return;
    context.uuid = textOf(inner.uuid);
    const fresh = firstSight(context.state.seen, context.uuid) ? inner : freshIn(context, inner);
    if (!fresh) return;
    const parent = context.out.sessions.all[chainOf(context, record).session]?.id ?? '';
    const chain = agentChain(context, record, agent, parent, textOf(record.parentToolUseID));
    context.time = microsOf(inner.timestamp) || context.time;
    if (inner.type === 'assistant') assistantRow(context, chain, fresh, objectOf(fresh.message));
    else userRow(context, chain, fresh, objectOf(fresh.message));
    if (context.time > chain.seen) chain.seen = context.time;
  }
}

/** Of a row written again what is new: all of another answer, else its new tools; undefined if nothing is. */
function freshIn(context: Context, record: Obj): Obj | undefined {
  if (record.type !== 'assistant' && record.type !== 'user') return undefined;
  const message = objectOf(record.message);
  const id = record.type === 'assistant' && !isSynthetic(message) ? textOf(message.id) : '';
  if (id !== '' && !wasSeen(context.state.seen, answerKey(id))) return record;
  const content = blocksOf(message.content).filter(block => isNewTool(context, block));
  return content.length > 0 ? { ...record, message: { ...message, content } } : undefined;
}

function attachmentRow(context: Context, chain: Chain, attachment: Obj): void {
  if (attachment.type === 'queued_command') queuedCommand(context, chain, attachment);
  else hookRow(context, chain, attachment);
}

function nameOfType(type: unknown): string {
  return typeof type === 'string' && type !== '' ? type.slice(0, 60) : 'no type';
}
