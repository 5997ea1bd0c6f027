import type { Operations } from '../../trace/operations.ts';
import { countUnknown, type FileLedger } from '../ledger.ts';
import type { RecordSink, SourceFile } from '../reader.ts';
import { Scribe } from '../scribe.ts';
import { isObject } from '../shapes.ts';
import type { Span } from '../spans/span.ts';
import { writeSpans } from '../spans/write.ts';
import { touchesOf } from './places.ts';
import { spansIn } from './spans.ts';

export const AGENT = 'otel';

/**
 * Collects the spans of a file and writes them when all are there: parents come after their children, batches later, and
 * only the last of a trace shows which of its spans wrap others. So a grown file is read again from its start.
 */
export class TraceSink implements RecordSink {
  private readonly scribe: Scribe;
  private readonly spans: Span[] = [];
  private readonly sessionGap: number;

  constructor(file: SourceFile, out: Operations, ledger: FileLedger, sessionGap: number) {
    this.scribe = new Scribe(AGENT, file, out, ledger);
    this.sessionGap = sessionGap;
  }

  record(value: unknown, offset: number, bytes: number): void {
    const { ledger } = this.scribe;
    if (Array.isArray(value)) for (const each of value) this.one(each, offset, bytes);
    else if (isObject(value)) this.one(value, offset, bytes);
    else ledger.badLines++;
  }

  private one(value: unknown, offset: number, bytes: number): void {
    const { ledger } = this.scribe;
    if (!isObject(value)) {
      countUnknown(ledger, 'value that is no object');
      return;
    }
    for (const span of spansIn(value, offset, bytes)) {
      if (typeof span === 'string') countUnknown(ledger, span);
      else this.spans.push(span);
    }
  }

  end(): undefined {
    writeSpans(this.scribe, this.spans, { sessionGap: this.sessionGap, touches: touchesOf });
    this.spans.length = 0;
  }
}
