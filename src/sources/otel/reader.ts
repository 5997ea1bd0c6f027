import type { Head, Reader } from '../reader.ts';
import { isObject, listOf } from '../shapes.ts';
import { SESSION_GAP, type TraceSettings, variantOf } from '../spans/boundaries.ts';
import { isDocument } from './documents.ts';
import { KEEP } from './keep.ts';
import { roots } from './paths.ts';
import { AGENT, TraceSink } from './read.ts';
import { isBare, isBatch, isPrinted } from './spans.ts';
import { evidenceAt, isProtobuf, readProtobuf } from './whole.ts';

/** OpenTelemetry traces as OTLP writes them: see README.md beside this file. */
export function otelReader({ sessionGap }: TraceSettings = { sessionGap: SESSION_GAP }): Reader {
  return {
    agent: AGENT,
    version: 1,
    ...variantOf({ sessionGap }),
    keep: KEEP,
    roots,
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
