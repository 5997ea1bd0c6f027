import { NO_ROW } from '../../trace/kinds.ts';
import type { Operations } from '../../trace/operations.ts';
import { microsOf } from '../instants.ts';
import { countUnknown, type FileLedger } from '../ledger.ts';
import type { RecordSink, SourceFile } from '../reader.ts';
import { Scribe } from '../scribe.ts';
import { countOf, isObject, listOf, type Obj, objectOf, textOf } from '../shapes.ts';
import { answeredCall, compressed, measuredCall, newLane } from './lanes.ts';
import { metaName, stemOf } from './paths.ts';
import { type FileState, freshState, type Lane } from './state.ts';
import { askedOf, isNewFile, outcomeOf, responsesIn, spawnedBy, startedIn, textOfResponse } from './tools.ts';
import { whereabouts } from './whereabouts.ts';

export const AGENT = whereabouts.agent;

/** `system` rows that tell nothing of operations. */
const SILENT: ReadonlySet<string> = new Set([
  'agent_bootstrap',
  'agent_session_ready',
  'at_command',
  'attribution_snapshot',
  'background_task_completed',
  'branch_checkpoint',
  'custom_title',
  'file_history_snapshot',
  'goal_state',
  'goal_turn_end',
  'parent_session',
  'session_approval_mode',
  'session_artifact_event',
  'session_artifact_snapshot',
  'session_execution_engine',
  'session_model',
  'session_notes',
  'session_source',
  'session_sources_snapshot',
  'turn_result',
  'user_text_elements',
]);

/** `user` rows by subtype that no person typed, and the event that they are. */
const MACHINE: ReadonlyMap<string, string> = new Map([
  ['notification', 'notification'],
  ['background_task_completed', 'notification'],
  ['cron', 'schedule'],
  ['goal_runtime', 'continuation'],
  ['agent_retry', 'retry'],
]);

/** Reads one history; see README.md. */
export class ChatSink implements RecordSink {
  private readonly scribe: Scribe;
  private readonly file: SourceFile;
  private readonly state: FileState;

  constructor(file: SourceFile, out: Operations, ledger: FileLedger, state?: FileState) {
    this.file = file;
    this.scribe = new Scribe(AGENT, file, out, ledger);
    this.state = state ?? freshState();
    this.scribe.resume([...this.state.lanes.values()].map(lane => lane.strand));
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
    switch (value.type) {
      case 'user':
        this.user(this.laneOf(value), value, time);
        return;
      case 'assistant':
        this.assistant(this.laneOf(value), value, time);
        return;
      case 'tool_result':
        this.toolResult(this.laneOf(value), value, time);
        return;
      case 'system':
        this.system(this.laneOf(value), value, time);
        return;
      default:
        countUnknown(scribe.ledger, textOf(value.type).slice(0, 60) || 'no type');
    }
  }

  /** Rows of a subagent have `agentId`, and the `sessionId` of the session that started it. */
  private laneOf(record: Obj): Lane {
    const main = textOf(record.sessionId) || stemOf(this.file.path);
    const agent = textOf(record.agentId);
    const lane = this.lane(main, agent, textOf(record.agentName));
    const { strand } = lane;
    strand.version = textOf(record.version) || strand.version;
    strand.branch = textOf(record.gitBranch) || strand.branch;
    this.scribe.inDirectory(strand, textOf(record.cwd));
    return lane;
  }

  private lane(main: string, agent: string, type: string): Lane {
    const id = agent === '' ? main : `${main}/${agent}`;
    let lane = this.state.lanes.get(id);
    if (lane === undefined) {
      lane = newLane(this.scribe.begin(id));
      this.state.lanes.set(id, lane);
      if (agent !== '') this.subagent(lane, main, type);
    }
    return lane;
  }

  private subagent(lane: Lane, main: string, type: string): void {
    const meta = objectOf(this.file.sibling(metaName(this.file.path)));
    const outer = textOf(meta.parentAgentId);
    lane.strand.model = textOf(meta.model);
    this.scribe.isSubagent(lane.strand, outer === '' ? main : `${main}/${outer}`, type || textOf(meta.agentType));
  }

  private user(lane: Lane, record: Obj, time: number): void {
    const { scribe } = this;
    const { strand } = lane;
    const uuid = textOf(record.uuid);
    const words = textOf(objectOf(record.systemPayload).displayText) || textsIn(objectOf(record.message).parts);
    lane.last = NO_ROW;
    const machine = machineOf(record, textsIn(objectOf(record.message).parts));
    if (machine !== '') scribe.wakes(strand, machine, time, uuid);
    else if (!isSubagent(record)) scribe.prompt(strand, uuid, words, time);
    else if (!strand.tasked) scribe.task(strand, uuid, words, time);
    else {
      scribe.event(strand, 'message', time, uuid);
      strand.trigger = time;
    }
  }

  private assistant(lane: Lane, record: Obj, time: number): void {
    const { scribe, state } = this;
    const { strand } = lane;
    const uuid = textOf(record.uuid);
    const call = answeredCall(scribe, lane, record, isSubagent(record), uuid, time);
    lane.last = call;
    lane.answer = Math.max(lane.answer, call);
    const { parts } = objectOf(record.message);
    scribe.out.texts.put('call', call, textsIn(parts));
    for (const part of listOf(parts)) {
      const asked = objectOf(part).functionCall;
      if (!isObject(asked)) continue;
      const id = textOf(asked.id);
      const open = scribe.tool(strand, call, askedOf(asked, uuid === '' ? '' : `${uuid}#${id}`), time);
      const spawned = spawnedBy(asked);
      if (spawned !== '') scribe.out.spawnedId.set(open.row, `${mainOf(record, strand.id)}/${spawned}`);
      state.tools.set(id, { ...open, timed: false });
    }
  }

  private toolResult(lane: Lane, record: Obj, time: number): void {
    const { scribe, state } = this;
    const result = objectOf(record.toolCallResult);
    const { parts } = objectOf(record.message);
    const id = textOf(result.callId) || textOf(objectOf(objectOf(listOf(parts)[0]).functionResponse).id);
    lane.last = NO_ROW;
    if (time > lane.strand.trigger) lane.strand.trigger = time;
    const open = state.tools.get(id);
    if (open === undefined) return;
    state.tools.delete(id);
    const { out } = scribe;
    const said = responsesIn(parts);
    const text = said.map(textOfResponse).join('\n');
    if (!open.timed) this.timeTool(open.row, time, countOf(result.durationMs));
    const outcome = outcomeOf(out.field.tool.get(open.row), result, said);
    const touches = isNewFile(said)
      ? open.touches.map(touch => (touch.kind === 'write' ? { ...touch, kind: 'create' as const } : touch))
      : open.touches;
    scribe.result({ row: open.row, touches }, outcome, out.end.get(open.row), text);
    const started = out.spawnedId.get(open.row) === '' ? '' : startedIn(text);
    if (started !== '') out.spawnedId.set(open.row, `${mainOf(record, lane.strand.id)}/${started}`);
  }

  private timeTool(row: number, end: number, millis: number): void {
    const { start, end: ends } = this.scribe.out;
    const began = end - Math.round(millis * 1000);
    if (millis > 0 && began > start.get(row)) start.set(row, began);
    if (end > start.get(row)) ends.set(row, end);
  }

  private system(lane: Lane, record: Obj, time: number): void {
    const { scribe } = this;
    const uuid = textOf(record.uuid);
    const subtype = textOf(record.subtype);
    const payload = objectOf(record.systemPayload);
    switch (subtype) {
      case 'ui_telemetry':
        this.telemetry(lane, record, objectOf(payload.uiEvent), time);
        return;
      case 'chat_compression':
        compressed(scribe, lane);
        scribe.event(lane.strand, 'compaction', time, uuid);
        return;
      case 'slash_command':
        if (payload.phase !== 'result') scribe.event(lane.strand, 'command', time, uuid);
        return;
      case 'rewind':
        scribe.event(lane.strand, 'rewind', time, uuid);
        return;
      case 'agent_retry':
        scribe.event(lane.strand, 'retry', time, uuid, 'retry');
        return;
      default:
        if (!SILENT.has(subtype)) countUnknown(scribe.ledger, `system ${subtype.slice(0, 60)}`.trimEnd());
    }
  }

  /** Events of the client's own measuring: requests, tool calls, errors. Those of subagents name them. */
  private telemetry(lane: Lane, record: Obj, event: Obj, time: number): void {
    const { scribe, state } = this;
    const name = textOf(event['event.name']).replace(/^[\w-]+\./, '');
    const uuid = textOf(record.uuid);
    switch (name) {
      case 'api_response': {
        const agent = isSubagent(record) ? '' : textOf(event.subagent_id);
        const own = agent === '' ? lane : this.lane(mainOf(record, lane.strand.id), agent, textOf(event.subagent_type));
        if (own !== lane) Object.assign(own.strand, about(lane.strand));
        measuredCall(scribe, own, event, agent !== '' || isSubagent(record), agent !== '', uuid, time);
        return;
      }
      case 'tool_call': {
        const open = state.tools.get(textOf(event.call_id));
        if (open === undefined) return;
        open.timed = true;
        this.timeTool(open.row, microsOf(event['event.timestamp']) || time, countOf(event.duration_ms));
        return;
      }
      case 'api_error': {
        const status = Number(event.status_code);
        const error = status >= 400 && status < 600 ? `http-${status}` : 'api-error';
        scribe.event(lane.strand, 'api-error', time, uuid, error);
        return;
      }
      case 'api_cancel':
        scribe.event(lane.strand, 'interruption', time, uuid, 'interrupted');
        return;
      default:
        countUnknown(scribe.ledger, `telemetry ${name.slice(0, 60)}`.trimEnd());
    }
  }
}

function isSubagent(record: Obj): boolean {
  return textOf(record.agentId) !== '';
}

function mainOf(record: Obj, fallback: string): string {
  return textOf(record.sessionId) || fallback;
}

function about({ version, branch, cwd }: Lane['strand']): Partial<Lane['strand']> {
  return { version, branch, cwd };
}

/** The event that a `user` row is, if no person typed it; '' if one did. */
function machineOf(record: Obj, text: string): string {
  const known = MACHINE.get(textOf(record.subtype));
  if (known !== undefined) return known;
  if (text.startsWith('<task-notification>')) return 'notification';
  const provenance = textOf(record.provenance);
  return provenance === '' || provenance === 'real_user' ? '' : 'continuation';
}

/** Texts shown, thoughts left out. */
function textsIn(parts: unknown): string {
  return listOf(parts)
    .map(part => (typeof part === 'string' ? part : objectOf(part).thought === true ? '' : textOf(objectOf(part).text)))
    .filter(text => text !== '')
    .join('\n');
}
