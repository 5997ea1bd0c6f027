import type { Operations } from '../../trace/operations.ts';
import { microsOf } from '../instants.ts';
import { countUnknown, type FileLedger } from '../ledger.ts';
import type { RecordSink, SourceFile } from '../reader.ts';
import { Scribe } from '../scribe.ts';
import { blocksOf, countOf, isObject, type Obj, objectOf, plainText, textOf } from '../shapes.ts';
import type { Strand } from '../strand.ts';
import { type Reported, sumOf, totalOf, USAGE_RULES } from '../usage.ts';
import { idOfPath, parentOfPath } from './paths.ts';
import type { Client } from './sniff.ts';
import { type FileState, freshState } from './state.ts';
import { askedOf, outcomeOf } from './tools.ts';

/** Rows that tell nothing of operations. */
const SILENT: ReadonlySet<string> = new Set([
  'title',
  'thinking_level_change',
  'credential_pin',
  'custom_message',
  'label',
  'session_info',
]);

/** Reads a session in Pi's format. A tree by `parentId`: branches that were left were asked and paid all the same. */
export class SessionSink implements RecordSink {
  private readonly scribe: Scribe;
  private readonly file: SourceFile;
  private readonly state: FileState;

  constructor(client: Client, file: SourceFile, out: Operations, ledger: FileLedger, state?: FileState) {
    this.file = file;
    this.scribe = new Scribe(client, file, out, ledger);
    this.state = state ?? freshState();
    if (this.state.strand) this.scribe.resume([this.state.strand]);
  }

  end(): FileState {
    return this.state;
  }

  record(value: unknown, offset: number, bytes: number): void {
    const { scribe } = this;
    if (!isObject(value)) {
      scribe.ledger.badLines++;
      return;
    }
    scribe.offset = offset;
    scribe.bytes = bytes;
    const time = microsOf(value.timestamp);
    const type = textOf(value.type);
    switch (type) {
      case 'session':
        this.header(value);
        return;
      case 'session_init':
        this.isTask(value);
        return;
      case 'model_change':
        // Oh My Pi writes provider and model as one.
        this.strand().model = textOf(value.modelId) || textOf(value.model).replace(/^[^/]*\//, '');
        return;
      case 'message':
        this.message(value, objectOf(value.message), time);
        return;
      case 'compaction':
      case 'branch_summary':
        // The request that made it is recorded nowhere.
        scribe.event(this.strand(), type === 'compaction' ? type : 'branch-summary', time, keyOf(value));
        return;
      case 'custom':
        this.custom(value);
        return;
      default:
        if (!SILENT.has(type)) countUnknown(scribe.ledger, type === '' ? 'no type' : type.slice(0, 60));
    }
  }

  private strand(id = ''): Strand {
    const { state } = this;
    state.strand ??= this.scribe.begin(id || idOfPath(this.file.path) || this.file.path);
    return state.strand;
  }

  private header(value: Obj): void {
    const { scribe } = this;
    const strand = this.strand(textOf(value.id));
    scribe.inDirectory(strand, textOf(value.cwd));
    if (strand.model === '') strand.model = textOf(value.modelId);
    const session = scribe.out.sessions.all[strand.session];
    const from = idOfPath(textOf(value.parentSession));
    if (session && from !== '' && from !== strand.id) session.forkedFrom ??= from;
  }

  /** A subagent's file: what it was told is in it, who told it only in the folder it lies in. */
  private isTask(value: Obj): void {
    if (textOf(value.task) === '') return;
    const strand = this.strand();
    this.state.isSubagent = true;
    const parent = parentOfPath(this.file.path) || `parent of ${strand.id}`;
    this.scribe.isSubagent(strand, parent, textOf(value.agent));
  }

  private message(row: Obj, message: Obj, time: number): void {
    const role = textOf(message.role);
    if (role === 'user') this.said(row, plainText(message.content), time);
    else if (role === 'assistant') this.answer(row, message, time);
    else if (role === 'toolResult') this.result(message, time);
    else countUnknown(this.scribe.ledger, `role ${role.slice(0, 60)}`);
  }

  private said(row: Obj, text: string, time: number): void {
    const { scribe, state } = this;
    const strand = this.strand();
    if (!state.isSubagent) scribe.prompt(strand, keyOf(row), text, time);
    else if (!strand.tasked) scribe.task(strand, keyOf(row), text, time);
    else scribe.wakes(strand, 'message', time, keyOf(row));
  }

  private answer(row: Obj, message: Obj, time: number): void {
    const { scribe } = this;
    const strand = this.strand();
    const key = `${keyOf(row)} ${countOf(message.timestamp)} ${textOf(message.responseId)}`;
    const used = reportedOf(objectOf(message.usage));
    const error = errorOf(message);
    const blocks = blocksOf(message.content);
    if (error !== '' && blocks.length === 0 && sumOf(used, USAGE_RULES.pi) === 0) {
      scribe.event(strand, error === 'interrupted' ? 'interruption' : 'api-error', time, key, error);
      return;
    }
    // The message's own time is when the request was sent, the row's when the answer had ended.
    const asked = countOf(message.timestamp) * 1000;
    const took = asked > 0 && asked < time ? (time - asked) / 1000 : 0;
    const call = scribe.call(strand, key, textOf(message.model), time, took);
    const { field, texts } = scribe.out;
    if (error !== '') {
      field.status.set(call, error === 'interrupted' ? error : 'error');
      field.error.set(call, error);
    }
    if (isObject(message.usage)) scribe.usage(call, used, USAGE_RULES.pi);
    for (const block of blocks) {
      if (block.type === 'text') texts.put('call', call, textOf(block.text));
      else if (block.type === 'toolCall') this.toolCall(strand, call, block, time);
    }
    strand.trigger = time;
  }

  private toolCall(strand: Strand, call: number, block: Obj, time: number): void {
    const { state } = this;
    const id = textOf(block.id);
    const open = this.scribe.tool(strand, call, askedOf(block, `${id} ${time}`), state.started.get(id) ?? time);
    state.started.delete(id);
    if (id !== '') state.tools.set(id, open);
  }

  private result(message: Obj, time: number): void {
    const { scribe, state } = this;
    const id = textOf(message.toolCallId);
    const open = state.tools.get(id);
    this.strand().trigger = time;
    if (open === undefined) return;
    const text = plainText(message.content);
    scribe.result(open, outcomeOf(textOf(message.toolName), message.isError === true, text), time, text);
    state.tools.delete(id);
  }

  /** Oh My Pi tells when a tool began; the row stands before that of the answer that asked for it, or behind. */
  private custom({ customType, data }: Obj): void {
    if (customType !== 'tool_execution_start') return;
    const { toolCallId, startedAt } = objectOf(data);
    const id = textOf(toolCallId);
    const start = microsOf(startedAt);
    const open = this.state.tools.get(id);
    if (id === '' || start === 0) return;
    if (open === undefined) this.state.started.set(id, start);
    else if (start > this.scribe.out.start.get(open.row)) this.scribe.out.start.set(open.row, start);
  }
}

/** A fork copies rows with their ids and times. Rows of the first version have no ids; ids alone are eight digits. */
function keyOf(row: Obj): string {
  return `${textOf(row.id)} ${textOf(row.timestamp)}`;
}

function reportedOf(usage: Obj): Reported {
  return {
    input: countOf(usage.input),
    cacheRead: countOf(usage.cacheRead),
    cacheWrite: countOf(usage.cacheWrite),
    output: countOf(usage.output),
    reasoning: countOf(usage.reasoning) || countOf(usage.reasoningTokens),
    extra: 0,
    total: totalOf(usage.totalTokens),
  };
}

function errorOf({ stopReason, errorMessage }: Obj): string {
  if (stopReason === 'aborted') return 'interrupted';
  if (stopReason !== 'error') return '';
  const status = /\b([45]\d\d)\b/.exec(textOf(errorMessage))?.[1];
  return status === undefined ? 'api-error' : `http-${status}`;
}
