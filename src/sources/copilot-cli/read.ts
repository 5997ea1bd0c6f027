import { Flag } from '../../trace/flags.ts';
import { NO_ROW } from '../../trace/kinds.ts';
import type { Operations } from '../../trace/operations.ts';
import { microsOf } from '../instants.ts';
import { countUnknown, type FileLedger } from '../ledger.ts';
import type { RecordSink, SourceFile } from '../reader.ts';
import { Scribe } from '../scribe.ts';
import { countOf, isObject, listOf, type Obj, objectOf, textOf } from '../shapes.ts';
import { NO_USAGE } from '../usage.ts';
import { stemOf } from './paths.ts';
import { asks, hook, toolEnd, toolKey, toolStart } from './running.ts';
import { type FileState, freshState, type Lane } from './state.ts';
import { compactionCounts, countsOf, RULE, shutdown, tell } from './totals.ts';
import { whereabouts } from './whereabouts.ts';

export const AGENT = whereabouts.agent;

/** Events that tell nothing of operations, or repeat what others tell (a subagent's totals). */
const SILENT: ReadonlySet<string> = new Set([
  'assistant.intent',
  'assistant.reasoning',
  'assistant.turn_end',
  'session.handoff',
  'session.idle',
  'session.info',
  'session.mode_changed',
  'session.plan_changed',
  'session.title_changed',
  'session.tools_updated',
  'session.usage_checkpoint',
  'session.usage_info',
  'session.warning',
  'session.workspace_file_changed',
  'skill.invoked',
  'subagent.completed',
  'subagent.configured',
  'subagent.deselected',
  'subagent.failed',
  'subagent.selected',
  'system.message',
  'system.notification',
  'tool.execution_partial_result',
  'tool.execution_progress',
  'tool.user_requested',
]);

/** Reads the events of one session, its subagents' too. */
export class EventSink implements RecordSink {
  private readonly scribe: Scribe;
  private readonly state: FileState;

  constructor(file: SourceFile, out: Operations, ledger: FileLedger, state?: FileState) {
    this.scribe = new Scribe(AGENT, file, out, ledger);
    this.state = state ?? freshState();
    this.scribe.resume([...this.state.lanes.values()].map(lane => lane.strand));
  }

  end(): FileState {
    return this.state;
  }

  record(value: unknown, offset: number, bytes: number): void {
    const { scribe, state } = this;
    if (!isObject(value)) {
      scribe.ledger.badLines++;
      return;
    }
    scribe.offset = offset;
    scribe.bytes = bytes;
    const time = microsOf(value.timestamp);
    const data = objectOf(value.data);
    if (value.type === 'session.start' && state.main === '') state.main = textOf(data.sessionId);
    if (value.type === 'session.resume') state.left = state.clock;
    this.event(textOf(value.type), this.laneOf(value, data), this.identity(textOf(value.id)), data, time);
    if (time > state.clock) state.clock = time;
  }

  /** Ids of events are unique in the world, so that copied history is known; others only within their session. */
  private identity(id: string): string {
    return id === '' || id.length === 36 ? id : `${this.state.main || stemOf(this.scribe.path)}/${id}`;
  }

  private event(type: string, lane: Lane, id: string, data: Obj, time: number): void {
    const { scribe } = this;
    const { strand } = lane;
    switch (type) {
      case 'session.start':
      case 'session.resume':
      case 'session.context_changed':
        this.about(lane, data);
        return;
      case 'session.model_change':
      case 'session.auto_mode_resolved':
        strand.model = textOf(data.newModel) || textOf(data.chosenModel) || strand.model;
        return;
      case 'user.message':
        this.said(lane, id, data, time);
        return;
      case 'assistant.turn_start':
        strand.model = textOf(data.model) || strand.model;
        if (strand.trigger === 0) strand.trigger = time;
        return;
      case 'session.usage_record':
        this.spent(lane, id, objectOf(data.usage), time);
        return;
      case 'assistant.message':
        this.answered(lane, id, data, time);
        return;
      case 'tool.execution_start':
        toolStart(scribe, this.state, lane, data, time);
        return;
      case 'tool.execution_complete':
        toolEnd(scribe, this.state, lane, data, time);
        return;
      case 'hook.start':
      case 'hook.end':
        hook(scribe, this.state, lane, type === 'hook.end', id, data, time);
        return;
      case 'subagent.started':
        return;
      case 'session.error':
        scribe.event(strand, 'api-error', time, id, errorOf(data));
        return;
      case 'abort':
        scribe.event(strand, 'interruption', time, id, 'interrupted');
        return;
      case 'session.truncation':
        scribe.event(strand, 'truncation', time, id);
        return;
      case 'session.snapshot_rewind':
        scribe.event(strand, 'rewind', time, id);
        return;
      case 'session.compaction_start':
        this.state.compacting = time;
        return;
      case 'session.compaction_complete':
        this.compacted(lane, id, data, time);
        return;
      case 'session.shutdown':
        shutdown(scribe, this.state, strand, data, time);
        return;
      default:
        if (!SILENT.has(type)) countUnknown(scribe.ledger, type.slice(0, 60) || 'no type');
    }
  }

  /** Events of a subagent name it (`agentId`); older ones name the call that started it. */
  private laneOf(record: Obj, data: Obj): Lane {
    const { state, scribe } = this;
    if (state.main === '') state.main = stemOf(scribe.path);
    const started = record.type === 'subagent.started';
    const spawn =
      textOf(started ? data.toolCallId : data.parentToolCallId) || textOf(objectOf(data.usage).parentToolCallId);
    const agent = textOf(record.agentId) || spawn;
    const id = agent === '' ? state.main : `${state.main}/${agent}`;
    let lane = state.lanes.get(id);
    if (lane === undefined) {
      lane = { strand: scribe.begin(id), isSubagent: agent !== '', call: NO_ROW };
      state.lanes.set(id, lane);
      if (agent !== '') this.subagent(lane, spawn, started ? textOf(data.agentType) || textOf(data.agentName) : '');
    }
    return lane;
  }

  private subagent(lane: Lane, spawn: string, type: string): void {
    const { state, scribe } = this;
    const parent = state.tools.get(spawn)?.lane ?? state.main;
    scribe.isSubagent(lane.strand, parent, type, spawn === '' ? '' : toolKey(state, spawn));
    const outer = state.lanes.get(state.main)?.strand;
    if (outer === undefined) return;
    Object.assign(lane.strand, { version: outer.version, branch: outer.branch, model: outer.model });
    scribe.inDirectory(lane.strand, outer.cwd);
  }

  private about({ strand }: Lane, data: Obj): void {
    const context = isObject(data.context) ? data.context : data;
    strand.version = textOf(data.copilotVersion) || strand.version;
    strand.branch = textOf(context.branch) || strand.branch;
    strand.model = textOf(data.selectedModel) || strand.model;
    this.scribe.inDirectory(strand, textOf(context.cwd));
  }

  /** `source` names who wrote a message that no person did: `system`, `instruction-discovery`, the agent above. */
  private said(lane: Lane, id: string, data: Obj, time: number): void {
    const { scribe } = this;
    const { strand } = lane;
    const words = textOf(data.content);
    const source = textOf(data.source);
    if (words === '') return;
    if (lane.isSubagent && !strand.tasked) scribe.task(strand, id, words, time);
    else if (lane.isSubagent) scribe.event(strand, 'message', time, id);
    else if (source === '' || source === 'user') scribe.prompt(strand, id, words, time);
    else return;
    strand.trigger = time;
  }

  /** One for each answered request (since 1.0.10x), written before the answer. */
  private spent(lane: Lane, id: string, usage: Obj, time: number): void {
    const { scribe, state } = this;
    const used = countsOf(usage);
    const request = textOf(usage.apiCallId);
    const model = textOf(usage.model) || lane.strand.model;
    let row = state.calls.get(request);
    if (row === undefined) {
      row = scribe.call(lane.strand, id, model, time, millisOf(usage.duration));
      if (request !== '') state.calls.set(request, row);
      scribe.out.flag(row, Flag.usageOnly);
      lane.call = row;
    } else if (!state.partial.has(row)) {
      scribe.ledger.repeatedRows++;
      return;
    } else this.complete(row, time);
    scribe.usage(row, used, RULE);
    tell(scribe, state, model, used, time);
  }

  /** Takes back what was known of an answer whose full use is told now. */
  private complete(row: number, time: number): void {
    const { state, scribe } = this;
    const used = { ...NO_USAGE, output: state.partial.get(row) ?? 0 };
    tell(scribe, state, scribe.out.field.model.get(row), used, time, -1);
    state.partial.delete(row);
    scribe.out.flags.set(row, scribe.out.flags.get(row) & ~Flag.lowerBound);
    scribe.ledger.repeatedRows++;
  }

  private answered(lane: Lane, id: string, data: Obj, time: number): void {
    const { scribe, state } = this;
    const { out } = scribe;
    const { strand } = lane;
    const request = textOf(data.apiCallId);
    const known = request === '' ? undefined : state.calls.get(request);
    const row = known ?? scribe.call(strand, id, textOf(data.model), time);
    if (known === undefined) {
      if (request !== '') state.calls.set(request, row);
      this.partly(row, countOf(data.outputTokens), time);
    } else out.flags.set(row, out.flags.get(row) & ~Flag.usageOnly);
    lane.call = row;
    out.texts.put('call', row, textOf(data.content));
    for (const entry of listOf(data.toolRequests)) {
      const asked = objectOf(entry);
      asks(scribe, state, lane, textOf(asked.toolCallId), textOf(asked.name), asked, row, time);
    }
  }

  /** Before 1.0.10x an answer tells its output alone; input stands in the session's total, if it came to an end. */
  private partly(row: number, output: number, time: number): void {
    const { scribe, state } = this;
    if (output === 0) return;
    const used = { ...NO_USAGE, output };
    scribe.usage(row, used, RULE);
    tell(scribe, state, scribe.out.field.model.get(row), used, time);
    scribe.out.flag(row, Flag.lowerBound);
    scribe.note('answers tell their output only; input stands in the total of the session, where it came to an end');
    state.partial.set(row, output);
  }

  /** The request of a compaction is in no usage record and in no total, unless one has its id. */
  private compacted(lane: Lane, id: string, data: Obj, time: number): void {
    const { scribe, state } = this;
    const { strand } = lane;
    scribe.event(strand, 'compaction', time, id);
    const known = state.calls.get(textOf(data.requestId));
    if (known !== undefined) scribe.out.flag(known, Flag.compaction);
    else if (isObject(data.compactionTokensUsed)) {
      const used = data.compactionTokensUsed;
      const { trigger } = strand;
      strand.trigger = state.compacting;
      const row = scribe.call(strand, `${id} request`, textOf(used.model), time, millisOf(used.duration));
      strand.trigger = trigger;
      scribe.usage(row, compactionCounts(used), RULE);
      scribe.out.flag(row, Flag.compaction);
    }
    state.compacting = 0;
  }
}

function millisOf(value: unknown): number {
  return typeof value === 'number' && value > 0 && value < 1e8 ? value : 0;
}

/** The class of a fatal error of the service. */
function errorOf(data: Obj): string {
  const status = countOf(data.statusCode);
  return status >= 400 && status < 600 ? `http-${status}` : 'api-error';
}
