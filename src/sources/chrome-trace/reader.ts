import { createHash, type Hash } from 'node:crypto';
import { type Keep, WHOLE } from '../../ingest/keep.ts';
import type { Operations } from '../../trace/operations.ts';
import { countUnknown, type FileLedger } from '../ledger.ts';
import type { Attributes } from '../otel/attributes.ts';
import { isDocument } from '../otel/documents.ts';
import { touchesOf } from '../otel/places.ts';
import { askedOf, saidOf } from '../otel/said.ts';
import { modelOf, nameOf, roleOf, sessionOf, userOf } from '../otel/semantics.ts';
import { usageOf } from '../otel/usage.ts';
import { attributesOf } from '../otel/values.ts';
import type { Head, Reader, RecordSink, SourceFile } from '../reader.ts';
import { Scribe } from '../scribe.ts';
import { isObject, listOf, type Obj, textOf } from '../shapes.ts';
import { SESSION_GAP, type TraceSettings } from '../spans/boundaries.ts';
import type { Role, Span } from '../spans/span.ts';
import { writeSpans } from '../spans/write.ts';
import { isEvent, parentsOf, type Slice, Slices } from './slices.ts';
import { whereabouts } from './whereabouts.ts';

const AGENT = 'chrome-trace';
const WORD = 200;

const EVENT: Readonly<Record<string, Keep>> = {
  ph: 4,
  ts: 0,
  dur: 0,
  pid: WORD,
  tid: WORD,
  id: WORD,
  id2: WORD,
  name: WORD,
  cat: WORD,
  args: WHOLE,
};

/** Chrome's trace events, of agents or of any program: see README.md beside this file. */
export function chromeTraceReader(settings: TraceSettings = { sessionGap: SESSION_GAP }): Reader {
  return {
    ...whereabouts(settings),
    keep: KEEP,
    sniff,
    isDocument,
    open: (file, out, ledger) => new EventSink(file, out, ledger, settings),
  };
}

const KEEP: Keep = { keys: { ...EVENT, traceEvents: { keys: EVENT } } };

export const chromeTrace: Reader = chromeTraceReader();

function sniff({ records, document }: Head): boolean {
  const all = document === undefined ? records : [document];
  return all.some(each => eventsIn(each).some(event => isEvent(event) && event.ph !== ''));
}

function eventsIn(value: unknown): readonly unknown[] {
  if (isObject(value) && Array.isArray(value.traceEvents)) return value.traceEvents;
  return Array.isArray(value) ? listOf(value) : [value];
}

/** Collects all events: they need not come in the order of time. */
class EventSink implements RecordSink {
  private readonly scribe: Scribe;
  private readonly slices = new Slices();
  private readonly settings: TraceSettings;

  constructor(file: SourceFile, out: Operations, ledger: FileLedger, settings: TraceSettings) {
    this.settings = settings;
    this.scribe = new Scribe(AGENT, file, out, ledger);
  }

  record(value: unknown, offset: number, bytes: number): void {
    if (typeof value !== 'object' || value === null) {
      this.scribe.ledger.badLines++;
      return;
    }
    for (const event of eventsIn(value)) {
      if (isEvent(event)) this.slices.add(event, offset, bytes);
      else countUnknown(this.scribe.ledger, 'no event');
    }
  }

  end(): undefined {
    const { scribe, slices } = this;
    for (const kind of slices.unknown) countUnknown(scribe.ledger, kind);
    const endless = slices.finish();
    if (endless > 0) scribe.note(`slices without an end: ${endless}, taken to last until the end of the trace`);
    const spans = spansOf(slices);
    if (spans.some(({ start }) => start > 0 && start < EPOCH)) {
      scribe.note('times count from a start that is not told: their dates mean nothing');
    }
    writeSpans(scribe, spans, { ...this.settings, touches: touchesOf });
  }
}

/** The year 2001 in microseconds: smaller numbers are those of a clock that began with the machine or the program. */
const EPOCH = 978_307_200_000_000;

function spansOf({ all, processNames }: Slices): Span[] {
  const parents = parentsOf(all);
  const told = new Map<Slice, Role>(all.map(slice => [slice, roleOfSlice(slice)]));
  const isOfAgents = [...told.values()].some(role => role !== 'step');
  const ids = new Map(all.map((slice, i) => [slice, `${i}`]));
  const traces = namesOf(all);
  return all.map(slice => {
    // A trace that says nothing of models and tools is one of some program: each slice is work done.
    const role = isOfAgents ? (told.get(slice) as Role) : 'tool';
    const above = parents.get(slice);
    return spanOf(slice, role, {
      trace: traces.get(slice.process) ?? '',
      id: ids.get(slice) ?? '',
      parent: above === undefined ? '' : (ids.get(above) ?? ''),
      service: processNames.get(slice.process) ?? '',
    });
  });
}

/**
 * A name for what each process did, the same in every copy of the file. Process numbers and clocks begin anew, so only the
 * slices themselves tell two traces apart.
 */
function namesOf(slices: readonly Slice[]): Map<string, string> {
  const hashes = new Map<string, Hash>();
  for (const { process, name, start, end } of slices) {
    const hash = hashes.get(process) ?? createHash('sha256');
    hashes.set(process, hash.update(`${name}\0${start}\0${end}\0`));
  }
  return new Map(
    [...hashes].map(([process, hash]) => [process, `process ${process} ${hash.digest('hex').slice(0, 16)}`]),
  );
}

function spanOf(slice: Slice, role: Role, place: Pick<Span, 'trace' | 'id' | 'parent' | 'service'>): Span {
  const attributes: Attributes = attributesOf(slice.args);
  const { error } = slice.args;
  return {
    ...place,
    role,
    name: nameOf(role, attributes, slice.name),
    // 0 would say that the time is not known.
    start: Math.floor(slice.start) + 1,
    end: Math.floor(slice.end) + 1,
    session: sessionOf(attributes),
    user: userOf(attributes),
    version: '',
    cwd: '',
    exporter: place.service,
    model: modelOf(attributes) || (role === 'model' ? textOf(slice.args.model) : ''),
    used: usageOf(attributes) ?? usageOf(plainUsage(slice.args)),
    failed: error !== undefined && error !== null && error !== false && error !== '',
    error: textOf(error),
    asked: role === 'tool' ? '' : askedOf(attributes, undefined),
    said: role === 'model' ? saidOf(attributes, undefined) : '',
    args: role === 'tool' ? slice.args : undefined,
    result: '',
    offset: slice.offset,
    bytes: slice.bytes,
  };
}

/** Counts under plain names, as tools that draw agents for the browser write them. */
function plainUsage(args: Obj): Attributes {
  return new Map(
    ['input_tokens', 'output_tokens', 'total_tokens', 'cache_read_input_tokens', 'reasoning_tokens'].map(name => [
      `gen_ai.usage.${name}`,
      args[name],
    ]),
  );
}

function roleOfSlice({ args, category }: Slice): Role {
  const role = roleOf(attributesOf(args));
  if (role !== 'step') return role;
  if (/\b(llm|model|generation|gen_ai)\b/i.test(category)) return 'model';
  if (/\btools?\b/i.test(category)) return 'tool';
  return /\b(sub)?agents?\b/i.test(category) ? 'agent' : 'step';
}
