import { type Keep, WHOLE } from '../../ingest/keep.ts';
import type { Operations } from '../../trace/operations.ts';
import { OK } from '../failures.ts';
import { microsOf } from '../instants.ts';
import { countUnknown, type FileLedger } from '../ledger.ts';
import type { Head, Reader, RecordSink, SourceFile } from '../reader.ts';
import { Scribe } from '../scribe.ts';
import { isObject, listOf, type Obj, objectOf, textOf } from '../shapes.ts';
import type { Strand } from '../strand.ts';
import { whereabouts } from './whereabouts.ts';

const AGENT = whereabouts.agent;

const KEEP: Keep = {
  keys: {
    step_index: 0,
    source: 60,
    type: 60,
    status: 60,
    created_at: 60,
    content: WHOLE,
    tool_calls: { keys: {}, text: 0 },
    telemetry: { keys: { latencyMs: 0 } },
  },
};

/** Step logs of Antigravity's command-line client: see README.md beside this file. */
export const antigravity: Reader = {
  ...whereabouts,
  keep: KEEP,
  sniff: ({ records }: Head) => records.some(isStep),
  open: (file, out, ledger, state) => new StepSink(file, out, ledger, state as FileState | undefined),
};

function isStep(record: unknown): boolean {
  return (
    isObject(record) &&
    typeof record.step_index === 'number' &&
    typeof record.source === 'string' &&
    typeof record.type === 'string' &&
    typeof record.created_at === 'string'
  );
}

interface FileState {
  strand: Strand | undefined;
  /** The answer that later steps of the model belong to, plus one; 0 before the first. */
  call: number;
}

class StepSink implements RecordSink {
  private readonly scribe: Scribe;
  private readonly state: FileState;

  constructor(file: SourceFile, out: Operations, ledger: FileLedger, state?: FileState) {
    this.scribe = new Scribe(AGENT, file, out, ledger);
    this.state = state ?? { strand: undefined, call: 0 };
    if (this.state.strand) this.scribe.resume([this.state.strand]);
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
    state.strand ??= scribe.begin(scribe.path.split(/[\\/]/).at(-1) ?? '');
    const type = textOf(value.type);
    const time = microsOf(value.created_at);
    const key = `${state.strand.id} ${textOf(value.created_at)} ${String(value.step_index)}`;
    if (type === 'USER_INPUT' && value.source === 'USER_EXPLICIT') {
      scribe.prompt(state.strand, key, requestIn(textOf(value.content)), time);
    } else if (type === 'PLANNER_RESPONSE') {
      this.answer(state.strand, key, value, time);
    } else if (value.source === 'MODEL' && type !== '') {
      const name = type.toLowerCase();
      const urls = type === 'BROWSER_NAVIGATE' ? (/https?:\/\/\S+/.exec(textOf(value.content)) ?? []) : [];
      const touches = urls.map(url => ({ kind: 'url' as const, value: url }));
      const call = state.call > 0 ? state.call - 1 : state.strand.turn;
      const open = scribe.tool(state.strand, call, { key, name, args: value.content, touches }, time);
      if (value.status === 'DONE') scribe.result(open, OK, time, textOf(value.content));
    } else countUnknown(scribe.ledger, type.slice(0, 60) || 'no type');
  }

  private answer(strand: Strand, key: string, value: Obj, time: number): void {
    const { scribe, state } = this;
    const { latencyMs } = objectOf(value.telemetry);
    const call = scribe.call(strand, key, '', time, typeof latencyMs === 'number' ? latencyMs : 0);
    state.call = call + 1;
    scribe.out.texts.put('call', call, textOf(value.content));
    for (const _ of listOf(value.tool_calls)) countUnknown(scribe.ledger, 'tool call of an answer');
  }
}

function requestIn(text: string): string {
  return /<USER_REQUEST>\s*([\s\S]*?)\s*<\/USER_REQUEST>/.exec(text)?.[1] ?? text;
}
