import { NO_ROW } from '../../trace/kinds.ts';
import type { Operations } from '../../trace/operations.ts';
import { exited, failureOf, OK, type Outcome } from '../failures.ts';
import { microsOf } from '../instants.ts';
import { countUnknown, type FileLedger } from '../ledger.ts';
import type { RecordSink, SourceFile } from '../reader.ts';
import { type Asked, Scribe } from '../scribe.ts';
import { blocksOf, isObject, type Obj, objectOf, plainText, textOf } from '../shapes.ts';
import type { Strand } from '../strand.ts';
import { type FileState, freshState } from './state.ts';
import { whereabouts } from './whereabouts.ts';

export const AGENT = whereabouts.agent;

/** The stored sessions' name, and the stream's. */
const SHELLS: ReadonlySet<string> = new Set(['Execute', 'Shell']);

/** Reads a stored session (`message` rows with blocks), or the stream that `--output-format stream-json` prints. */
export class DroidSink implements RecordSink {
  private readonly scribe: Scribe;
  private readonly state: FileState;

  constructor(file: SourceFile, out: Operations, ledger: FileLedger, state?: FileState) {
    this.scribe = new Scribe(AGENT, file, out, ledger);
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
    switch (value.type) {
      case 'session_start': {
        const strand = this.strand(textOf(value.id));
        strand.version = textOf(value.version);
        scribe.inDirectory(strand, textOf(value.cwd));
        return;
      }
      case 'message':
        if (isObject(value.message)) this.message(value, value.message, time);
        else this.streamed(value, time);
        return;
      case 'tool_call': {
        const strand = this.strand(textOf(value.session_id));
        this.ask(strand, NO_ROW, textOf(value.toolCallId), textOf(value.toolName), value.parameters, time);
        return;
      }
      case 'tool_result':
        this.answered(textOf(value.toolCallId), streamOutcome(value), streamText(value), time);
        return;
      case 'completion':
        this.call(this.strand(textOf(value.session_id)), textOf(value.id), textOf(value.finalText), time);
        return;
      default:
        countUnknown(scribe.ledger, textOf(value.type).slice(0, 60) || 'no type');
    }
  }

  private strand(id: string): Strand {
    const { state, scribe } = this;
    state.strand ??= scribe.begin(id || scribe.path);
    return state.strand;
  }

  private message(row: Obj, message: Obj, time: number): void {
    const { scribe } = this;
    const strand = this.strand('');
    const blocks = blocksOf(message.content);
    const id = textOf(row.id);
    if (message.role === 'user') {
      for (const block of blocks) {
        if (block.type !== 'tool_result') continue;
        const text = plainText(block.content);
        this.answered(textOf(block.tool_use_id), storedOutcome(block.is_error === true, text), text, time);
      }
      this.said(strand, `${id} ${time}`, plainText(blocks.filter(({ type }) => type === 'text')), time);
    } else if (message.role === 'assistant') {
      const call = this.call(strand, id, plainText(blocks.filter(({ type }) => type === 'text')), time);
      for (const block of blocks) {
        if (block.type === 'tool_use') this.ask(strand, call, textOf(block.id), textOf(block.name), block.input, time);
      }
      strand.trigger = time;
    } else countUnknown(scribe.ledger, `role ${textOf(message.role).slice(0, 60)}`);
  }

  private streamed(row: Obj, time: number): void {
    const strand = this.strand(textOf(row.session_id));
    const text = textOf(row.text);
    if (row.role === 'user') this.said(strand, `${time} ${text}`, text, time);
    else if (row.role === 'assistant') this.call(strand, textOf(row.id), text, time);
    else countUnknown(this.scribe.ledger, `role ${textOf(row.role).slice(0, 60)}`);
  }

  /** A user row: what the client adds stands in frames of its own, before a person's words. */
  private said(strand: Strand, key: string, text: string, time: number): void {
    const words = text.replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '').trim();
    if (words !== '') this.scribe.prompt(strand, `${strand.id} ${key}`, words, time);
  }

  private call(strand: Strand, id: string, text: string, time: number): number {
    const { scribe } = this;
    const call = scribe.call(strand, `${strand.id} ${id} ${time}`, '', time);
    scribe.out.texts.put('call', call, text);
    return call;
  }

  private ask(strand: Strand, call: number, id: string, name: string, args: unknown, time: number): void {
    const open = this.scribe.tool(strand, call, askedOf(`${strand.id} ${id}`, name, args), time);
    if (id !== '') this.state.tools.set(id, open);
  }

  private answered(id: string, outcome: Outcome, text: string, time: number): void {
    const { scribe, state } = this;
    const open = state.tools.get(id);
    if (state.strand) state.strand.trigger = time;
    if (open === undefined) return;
    scribe.result(open, outcome, time, text);
    state.tools.delete(id);
  }
}

function askedOf(key: string, name: string, args: unknown): Asked {
  if (!SHELLS.has(name)) return { key, name, args };
  const command = textOf(objectOf(args).command);
  return { key, name, args, command, touches: [{ kind: 'shell', value: command }] };
}

/** A stored result has no status of its own: a failure shows by its first words. */
function storedOutcome(isError: boolean, text: string): Outcome {
  const exit = /^Error: Command failed \(exit code: (\d+)\)/.exec(text)?.[1];
  if (exit !== undefined) return exited(Number(exit));
  return isError || text.startsWith('Error: ') ? failureOf(text) : OK;
}

function streamOutcome({ value, isError }: Obj): Outcome {
  const { exitCode } = objectOf(value);
  if (typeof exitCode === 'number') return exited(exitCode);
  return isError === true ? failureOf(streamText({ value })) : OK;
}

function streamText({ value }: Obj): string {
  const { stdout, stderr } = objectOf(value);
  return textOf(value) || [textOf(stdout), textOf(stderr)].filter(text => text !== '').join('\n');
}
