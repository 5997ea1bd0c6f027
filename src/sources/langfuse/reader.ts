import type { Operations } from '../../trace/operations.ts';
import { countUnknown, type FileLedger } from '../ledger.ts';
import { isDocument } from '../otel/documents.ts';
import { touchesOf } from '../otel/places.ts';
import type { Head, Reader, RecordSink, SourceFile } from '../reader.ts';
import { Scribe } from '../scribe.ts';
import { isObject, listOf, NOTHING, type Obj } from '../shapes.ts';
import { SESSION_GAP, type TraceSettings } from '../spans/boundaries.ts';
import type { Span } from '../spans/span.ts';
import { writeSpans } from '../spans/write.ts';
import { KEEP } from './keep.ts';
import { isObservation, spanOf } from './observation.ts';
import { whereabouts } from './whereabouts.ts';

/** Exports of Langfuse: see README.md beside this file. They have no place of their own and are named outright. */
export function langfuseReader(settings: TraceSettings = { sessionGap: SESSION_GAP }): Reader {
  return {
    ...whereabouts(settings),
    keep: KEEP,
    sniff,
    isDocument,
    open: (file, out, ledger) => new ObservationSink(file, out, ledger, settings),
  };
}

export const langfuse: Reader = langfuseReader();

function sniff({ records, document }: Head): boolean {
  const all = document === undefined ? records : [document];
  return all.some(
    each => listOf(each).some(isObservation) || (isObject(each) && partsOf(each).seen.some(isObservation)),
  );
}

/** What a record holds, whatever is around it: a trace with its observations, a page of observations, or one. */
function partsOf(value: Obj): { trace: Obj; seen: readonly unknown[] } {
  const { trace, observations, data } = value;
  if (Array.isArray(observations)) return { trace: isObject(trace) ? trace : value, seen: observations };
  if (Array.isArray(data)) return { trace: NOTHING, seen: data };
  return { trace: NOTHING, seen: [value] };
}

/** Collects observations until the file ends, as traces do: parents may come after what is in them. */
class ObservationSink implements RecordSink {
  private readonly scribe: Scribe;
  private readonly spans: Span[] = [];
  private readonly settings: TraceSettings;

  constructor(file: SourceFile, out: Operations, ledger: FileLedger, settings: TraceSettings) {
    this.settings = settings;
    this.scribe = new Scribe('langfuse', file, out, ledger);
  }

  record(value: unknown, offset: number, bytes: number): void {
    const { ledger } = this.scribe;
    if (Array.isArray(value)) this.all(NOTHING, value, offset, bytes);
    else if (isObject(value)) {
      const { trace, seen } = partsOf(value);
      this.all(trace, seen, offset, bytes);
    } else ledger.badLines++;
  }

  private all(trace: Obj, seen: readonly unknown[], offset: number, bytes: number): void {
    for (const each of seen) {
      if (isObservation(each)) this.spans.push(spanOf(each, trace, offset, bytes));
      else countUnknown(this.scribe.ledger, 'no observation');
    }
  }

  end(): undefined {
    writeSpans(this.scribe, this.spans, { ...this.settings, touches: touchesOf });
    this.spans.length = 0;
  }
}
