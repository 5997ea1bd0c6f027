import { Flag } from '../../trace/flags.ts';
import { NO_ROW } from '../../trace/kinds.ts';
import type { Operations } from '../../trace/operations.ts';
import { failureOf, OK } from '../failures.ts';
import { microsOf } from '../instants.ts';
import { countUnknown, type FileLedger } from '../ledger.ts';
import type { RecordSink, SourceFile } from '../reader.ts';
import { Scribe } from '../scribe.ts';
import { countOf, isObject, type Obj, objectOf, textOf } from '../shapes.ts';
import type { OpenTool, Strand } from '../strand.ts';
import { type Reported, totalOf, USAGE_RULES } from '../usage.ts';
import { AGENT } from './agent.ts';
import { askedOf } from './tools.ts';

/** What `gemini --output-format stream-json` prints; rows of chat files have other types, or no time. */
export function isStreamEvent(value: unknown): value is Obj {
  if (!isObject(value) || typeof value.timestamp !== 'string' || 'id' in value) return false;
  switch (value.type) {
    case 'init':
      return typeof value.session_id === 'string' && typeof value.model === 'string';
    case 'message':
      return (value.role === 'user' || value.role === 'assistant') && typeof value.content === 'string';
    case 'tool_use':
      return typeof value.tool_id === 'string' && typeof value.tool_name === 'string';
    case 'tool_result':
      return typeof value.tool_id === 'string' && typeof value.status === 'string';
    case 'error':
      return typeof value.severity === 'string';
    case 'result':
      return typeof value.status === 'string';
    default:
      return false;
  }
}

/** For telling whose a file is: the head of a run, or a tool call under the names only this stream has. */
export function isTellingEvent(value: unknown): boolean {
  if (!isStreamEvent(value)) return false;
  return value.type === 'init' ? !('session_start' in value) : value.type === 'tool_use' && isObject(value.parameters);
}

export interface StreamState {
  strand: Strand | undefined;
  model: string;
  /** The answer under way; NO_ROW where the next words or tool call begin another one. */
  answer: number;
  /** Its words so far. */
  words: string;
  /** Answers of the run: what they used is told at its end, in one sum. */
  answers: number[];
  tools: Map<string, OpenTool>;
}

export function freshStream(): StreamState {
  return { strand: undefined, model: '', answer: NO_ROW, words: '', answers: [], tools: new Map() };
}

/** Reads the events of one or several runs. */
export class StreamSink implements RecordSink {
  private readonly scribe: Scribe;
  private readonly state: StreamState;

  constructor(file: SourceFile, out: Operations, ledger: FileLedger, state: StreamState) {
    this.scribe = new Scribe(AGENT, file, out, ledger, Flag.streamed);
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
    const time = microsOf(value.timestamp);
    switch (value.type) {
      case 'init':
        state.strand = scribe.begin(textOf(value.session_id));
        Object.assign(state, { model: textOf(value.model), answer: NO_ROW, words: '', answers: [] });
        state.tools.clear();
        return;
      case 'message':
        if (value.role === 'user') scribe.prompt(this.strand(), this.key(value, 'prompt'), textOf(value.content), time);
        else this.says(value, time);
        return;
      case 'tool_use':
        this.asks(value, time);
        return;
      case 'tool_result':
        this.answered(value, time);
        return;
      case 'error':
        if (value.severity === 'error')
          scribe.event(this.strand(), 'api-error', time, this.key(value, 'error'), 'api-error');
        return;
      default:
        this.result(value, time);
    }
  }

  private strand(): Strand {
    const { state, scribe } = this;
    state.strand ??= scribe.begin(`file:${scribe.path}`);
    return state.strand;
  }

  /** A second copy of a stream gives the same, and so does an event that stands before its run's head. */
  private key(event: Obj, what: string): string {
    return `${textOf(event.timestamp)}/s/${what}`;
  }

  private answer(event: Obj, time: number): number {
    const { state, scribe } = this;
    if (state.answer === NO_ROW) {
      state.answer = scribe.call(this.strand(), this.key(event, 'answer'), state.model, time);
      state.words = '';
      state.answers.push(state.answer);
    } else if (time > scribe.out.end.get(state.answer)) scribe.out.end.set(state.answer, time);
    return state.answer;
  }

  /** Words of an answer come in pieces. */
  private says(event: Obj, time: number): void {
    const row = this.answer(event, time);
    this.state.words += textOf(event.content);
    this.scribe.out.texts.put('call', row, this.state.words);
  }

  private asks(event: Obj, time: number): void {
    const { state, scribe } = this;
    const id = textOf(event.tool_id);
    if (state.tools.has(id)) {
      scribe.ledger.repeatedRows++;
      return;
    }
    const row = this.answer(event, time);
    const asked = { name: event.tool_name, args: event.parameters };
    state.tools.set(id, scribe.tool(this.strand(), row, askedOf(asked, `${this.strand().id}/s/${id}`), time));
  }

  private answered(event: Obj, time: number): void {
    const { state, scribe } = this;
    const id = textOf(event.tool_id);
    const open = state.tools.get(id);
    if (open === undefined) {
      countUnknown(scribe.ledger, 'tool_result without its tool_use');
      return;
    }
    state.tools.delete(id);
    const { error } = event;
    const outcome = event.status === 'error' ? failureOf(textOf(objectOf(error).message) || textOf(error)) : OK;
    scribe.result(open, outcome, time, textOf(event.output));
    state.answer = NO_ROW;
    const strand = this.strand();
    if (time > strand.trigger) strand.trigger = time;
  }

  /** What the run used, by model where that is told: one inferred call holds it for all answers. */
  private result(event: Obj, time: number): void {
    const { state, scribe } = this;
    const { stats } = event;
    if (event.status === 'error')
      scribe.event(this.strand(), 'api-error', time, this.key(event, 'failed'), 'api-error');
    if (isObject(stats)) {
      const byModel = Object.entries(objectOf(stats.models)).filter(([, used]) => isObject(used));
      const told = byModel.length > 0 ? byModel : [[state.model, stats] as [string, unknown]];
      for (const [at, [model, used]] of told.entries()) this.spent(event, at, model, objectOf(used), time);
    }
    Object.assign(state, { answer: NO_ROW, answers: [] });
  }

  private spent(event: Obj, at: number, model: string, stats: Obj, time: number): void {
    const { state, scribe } = this;
    const used = reportedOf(stats);
    if (used.input + used.output + used.reasoning === 0) return;
    const strand = this.strand();
    strand.trigger = 0;
    const row = scribe.call(strand, this.key(event, `usage ${at}`), model, time);
    scribe.usage(row, used, USAGE_RULES[AGENT]);
    scribe.out.flag(row, Flag.inferred | Flag.usageOnly);
    // Together they are known.
    for (const each of state.answers) scribe.out.flags.set(each, scribe.out.flags.get(each) & ~Flag.unknownUsage);
    scribe.note('a stream tells usage by run: one inferred call holds that of all answers of a run');
  }
}

/** Thoughts and tool prompts stand in the total alone: what input and output leave of it is taken for thoughts. */
function reportedOf(stats: Obj): Reported {
  const input = countOf(stats.input_tokens);
  const output = countOf(stats.output_tokens);
  const total = totalOf(stats.total_tokens);
  return {
    input,
    cacheRead: countOf(stats.cached),
    cacheWrite: 0,
    output,
    reasoning: Math.max(0, (total ?? 0) - input - output),
    extra: 0,
    total,
  };
}
