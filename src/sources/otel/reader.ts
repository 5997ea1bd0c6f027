import type { Head, Reader } from '../reader.ts';
import { isObject, listOf } from '../shapes.ts';
import { SESSION_GAP, type TraceSettings } from '../spans/boundaries.ts';
import { isDocument } from './documents.ts';
import { KEEP } from './keep.ts';
import { TraceSink } from './read.ts';
import { isBare, isBatch, isPrinted } from './spans.ts';
import { whereabouts } from './whereabouts.ts';
import { evidenceAt, isProtobuf, readProtobuf } from './whole.ts';

/** OpenTelemetry traces as OTLP writes them: see README.md beside this file. */
export function otelReader({ sessionGap }: TraceSettings = { sessionGap: SESSION_GAP }): Reader {
  return {
    ...whereabouts({ sessionGap }),
    keep: KEEP,
    sniff,
    isDocument,
    open: (file, out, ledger) => new TraceSink(file, out, ledger, sessionGap),
    needsItsPlace: () => 'agentpprof itself keeps the traces that it receives',
    sniffWhole: isProtobuf,
    readWhole: (file, out, ledger) =>
      readProtobuf(file.path, ledger, () => new TraceSink(file, out, ledger, sessionGap)),
    recordAt: evidenceAt,
  };
}

export const otel: Reader = otelReader();

function sniff({ records, document }: Head): boolean {
  const all = document === undefined ? records : Array.isArray(document) ? listOf(document) : [document];
  return all.some(record => isObject(record) && (isBatch(record) || isBare(record) || isPrinted(record)));
}
