import { Flag } from '../../trace/flags.ts';
import { NO_ROW } from '../../trace/kinds.ts';
import type { Operations } from '../../trace/operations.ts';
import { digest } from '../digest.ts';
import { DENIED, exited, failed, OK, type Outcome } from '../failures.ts';
import { countUnknown, type FileLedger } from '../ledger.ts';
import { shellTouch } from '../places.ts';
import type { RecordSink, SourceFile } from '../reader.ts';
import { type Asked, Scribe } from '../scribe.ts';
import { isObject, listOf, type Obj, objectOf, textOf } from '../shapes.ts';
import type { OpenTool, Strand, Touch } from '../strand.ts';
import { isNothing, setTokens, usageOf, vectorOf } from './usage.ts';

/** What `codex exec --json` prints; no rollout has records of these types at its outermost level. */
const EVENTS: ReadonlySet<unknown> = new Set([
  'thread.started',
  'turn.started',
  'turn.completed',
  'turn.failed',
  'item.started',
  'item.updated',
  'item.completed',
  'item.plan.delta',
]);

export function isStreamEvent(value: unknown): value is Obj {
  return isObject(value) && EVENTS.has(value.type);
}

/** For telling whose a file is: an event with what only Codex puts into it. */
export function isTellingEvent(value: unknown): boolean {
  if (!isStreamEvent(value)) return false;
  if (value.type === 'thread.started') return typeof value.thread_id === 'string';
  if (value.type === 'turn.completed') return isObject(value.usage);
  return isObject(value.item) && typeof value.item.type === 'string';
}

/** Items that are no tool calls. */
const SILENT: ReadonlySet<string> = new Set(['reasoning', 'todo_list', 'plan']);

export interface StreamState {
  strand: Strand | undefined;
  /** The turn's call; NO_ROW between turns. */
  call: number;
  /** By item id: unanswered tool calls of the turn. */
  tools: Map<string, OpenTool>;
  /** Digest of all items so far: item ids begin again with each run, so they alone tell nothing apart. */
  chain: string;
}

export function freshStream(): StreamState {
  return { strand: undefined, call: NO_ROW, tools: new Map(), chain: '' };
}

/**
 * Reads the events of one or several runs. They tell no times, no model, no prompt, and of usage only the thread's
 * running total at the end of each turn: a turn is one inferred call, whose own part `settleTurns` finds.
 */
export class StreamSink implements RecordSink {
  private readonly scribe: Scribe;
  private readonly state: StreamState;

  constructor(file: SourceFile, out: Operations, ledger: FileLedger, state: StreamState) {
    this.scribe = new Scribe('codex', file, out, ledger, Flag.streamed);
    this.state = state;
    if (state.strand) this.scribe.resume([state.strand]);
  }

  end(): StreamState {
    return this.state;
  }

  record(value: unknown, offset: number, bytes: number): void {
    if (!isStreamEvent(value)) return;
    const { scribe, state } = this;
    scribe.offset = offset;
    scribe.bytes = bytes;
    switch (value.type) {
      case 'thread.started':
        this.finish();
        state.strand = scribe.begin(textOf(value.thread_id) || `file:${scribe.path}`);
        return;
      case 'turn.started':
        this.finish();
        return;
      case 'turn.completed':
        this.spend(value.usage);
        this.finish();
        return;
      case 'turn.failed':
        scribe.event(this.strand(), 'api-error', 0, this.key('failed', objectOf(value.error).message), 'api-error');
        this.finish();
        return;
      case 'item.plan.delta':
        return;
      default:
        this.item(objectOf(value.item), value.type === 'item.completed');
    }
  }

  private strand(): Strand {
    const { state, scribe } = this;
    state.strand ??= scribe.begin(`file:${scribe.path}`);
    return state.strand;
  }

  /** An identity that a second copy of the stream has too, and another run of the thread has not. */
  private key(what: string, content: unknown): string {
    const { high, low } = digest([this.state.chain, what, content]);
    this.state.chain = `${high.toString(16)}.${low.toString(16)}`;
    return `${this.strand().id}|s|${this.state.chain}`;
  }

  private call(): number {
    const { state, scribe } = this;
    if (state.call !== NO_ROW) return state.call;
    state.call = scribe.call(this.strand(), this.key('turn', 0), '', 0);
    scribe.out.flag(state.call, Flag.inferred);
    scribe.note('a stream tells usage by turn: one inferred call holds that of all answers of a turn');
    return state.call;
  }

  private finish(): void {
    this.state.call = NO_ROW;
    this.state.tools.clear();
  }

  private spend(value: unknown): void {
    const usage = usageOf(value);
    if (!usage) {
      countUnknown(this.scribe.ledger, 'turn.completed without usage');
      return;
    }
    if (isNothing(usage)) return;
    const { out } = this.scribe;
    const row = this.call();
    setTokens(out, row, usage);
    out.setKey(row, `${this.strand().id}|total|${vectorOf(usage)}`);
    out.flags.set(row, out.flags.get(row) & ~Flag.unknownUsage);
    out.offset.set(row, this.scribe.offset);
    out.bytes.set(row, this.scribe.bytes);
  }

  private item(item: Obj, isDone: boolean): void {
    const { scribe, state } = this;
    const type = textOf(item.type);
    if (SILENT.has(type)) {
      if (isDone) this.call();
      return;
    }
    if (type === 'agent_message') {
      if (isDone) scribe.out.texts.put('call', this.call(), textOf(item.text));
      return;
    }
    if (type === 'error') {
      if (isDone) scribe.event(this.strand(), 'api-error', 0, this.key('error', item.message), 'api-error');
      return;
    }
    const told = toolOf(item);
    if (told === undefined) {
      if (isDone) countUnknown(scribe.ledger, type === '' ? 'item without type' : `item ${type.slice(0, 60)}`);
      return;
    }
    const id = textOf(item.id);
    let open = id === '' ? undefined : state.tools.get(id);
    if (open === undefined) {
      const key = this.key(`${id} ${told.name}`, told.args);
      open = scribe.tool(this.strand(), this.call(), { ...told, key }, 0);
      if (id !== '') state.tools.set(id, open);
    }
    if (!isDone) return;
    // Queries and changed files are complete only in the last event of an item.
    scribe.result({ row: open.row, touches: told.touches ?? [] }, outcomeOf(item), 0, textOf(item.aggregated_output));
    const spawned = listOf(item.receiver_thread_ids)[0];
    if (item.tool === 'spawn_agent' && typeof spawned === 'string') scribe.out.spawnedId.set(open.row, spawned);
    if (id !== '') state.tools.delete(id);
  }
}

/** An item as the tool call that a rollout would show; undefined for what is none. */
function toolOf(item: Obj): Omit<Asked, 'key'> | undefined {
  switch (item.type) {
    case 'command_execution': {
      const line = textOf(item.command);
      return { name: 'exec_command', args: line, command: line, touches: shellTouch(line) };
    }
    case 'file_change':
      return { name: 'apply_patch', args: item.changes, touches: listOf(item.changes).flatMap(changed) };
    case 'mcp_tool_call': {
      const server = textOf(item.server);
      return { name: `mcp__${server}__${textOf(item.tool)}`, args: item.arguments, server };
    }
    case 'web_search': {
      const query = textOf(item.query);
      return { name: 'web_search', args: query, touches: query === '' ? [] : [{ kind: 'search', value: query }] };
    }
    case 'collab_tool_call': {
      const name = textOf(item.tool) || 'collab_tool_call';
      const prompt = textOf(item.prompt);
      return { name, args: prompt, ...(name === 'wait' ? { flags: Flag.waits } : {}) };
    }
    default:
      return undefined;
  }
}

function changed(change: unknown): Touch[] {
  const { path, kind } = objectOf(change);
  if (typeof path !== 'string' || path === '') return [];
  return [{ kind: kind === 'add' ? 'create' : kind === 'delete' ? 'delete' : 'write', value: path }];
}

function outcomeOf(item: Obj): Outcome {
  const { status, exit_code: code } = item;
  if (status === 'declined') return DENIED;
  if (typeof code === 'number') return exited(code);
  return status === 'failed' ? failed('tool-error', true) : OK;
}
