import { Wire, WireError } from './wire.ts';

type Json = Record<string, unknown>;

/** Takes one field of a message into `into`; false for one that is not known. */
type Take = (wire: Wire, into: Json) => boolean;

/** Values may nest; no exporter nests so deep, and a hostile one must not exhaust the stack. */
const DEEPEST = 64;

const TEXT = 2;
const FIXED64 = 1;
const VARINT = 0;

/**
 * A message of traces (`TracesData`, or `ExportTraceServiceRequest`, which has the same fields) as OTLP's JSON has it:
 * hex ids, decimal strings. Field numbers are those of opentelemetry/proto/{trace,common,resource}/v1, stable since 1.0.
 * Fields that are not read (links, dropped counts, flags) are passed over. Throws WireError for what is no such message.
 */
export function decodeTraces(bytes: Buffer): Json {
  const data: Json = { resourceSpans: [] };
  fill(new Wire(bytes), data, (wire, into) => wire.field === 1 && list(into, 'resourceSpans', wire, takeResource));
  return data;
}

function fill(wire: Wire, into: Json, take: Take): Json {
  while (wire.next()) if (!take(wire, into)) wire.skip();
  return into;
}

function one(into: Json, name: string, wire: Wire, take: Take): boolean {
  expect(wire, TEXT);
  into[name] = fill(wire.message(), {}, take);
  return true;
}

function list(into: Json, name: string, wire: Wire, take: Take): boolean {
  expect(wire, TEXT);
  const all = (into[name] ?? []) as Json[];
  into[name] = all;
  all.push(fill(wire.message(), {}, take));
  return true;
}

function text(into: Json, name: string, wire: Wire): boolean {
  expect(wire, TEXT);
  into[name] = wire.text();
  return true;
}

function id(into: Json, name: string, wire: Wire): boolean {
  expect(wire, TEXT);
  into[name] = wire.raw().toString('hex');
  return true;
}

function nanos(into: Json, name: string, wire: Wire): boolean {
  expect(wire, FIXED64);
  into[name] = String(wire.fixed64());
  return true;
}

function number(into: Json, name: string, wire: Wire): boolean {
  expect(wire, VARINT);
  into[name] = Number(wire.varint());
  return true;
}

/** A known field of another type than it must have: this is another message. */
function expect(wire: Wire, type: number): void {
  if (wire.type !== type) throw new WireError('a field of another type');
}

const takeResource: Take = (wire, into) => {
  if (wire.field === 1) return one(into, 'resource', wire, takeAttributes);
  return wire.field === 2 && list(into, 'scopeSpans', wire, takeScope);
};

const takeAttributes: Take = (wire, into) => wire.field === 1 && list(into, 'attributes', wire, takePair);

const takeScope: Take = (wire, into) => {
  if (wire.field === 1) return one(into, 'scope', wire, takeName);
  return wire.field === 2 && list(into, 'spans', wire, takeSpan);
};

const takeName: Take = (wire, into) => wire.field === 1 && text(into, 'name', wire);

const takeSpan: Take = (wire, into) => {
  switch (wire.field) {
    case 1:
      return id(into, 'traceId', wire);
    case 2:
      return id(into, 'spanId', wire);
    case 4:
      return id(into, 'parentSpanId', wire);
    case 5:
      return text(into, 'name', wire);
    case 6:
      return number(into, 'kind', wire);
    case 7:
      return nanos(into, 'startTimeUnixNano', wire);
    case 8:
      return nanos(into, 'endTimeUnixNano', wire);
    case 9:
      return list(into, 'attributes', wire, takePair);
    case 11:
      return list(into, 'events', wire, takeEvent);
    case 15:
      return one(into, 'status', wire, takeStatus);
    default:
      return false;
  }
};

const takeEvent: Take = (wire, into) => {
  if (wire.field === 1) return nanos(into, 'timeUnixNano', wire);
  if (wire.field === 2) return text(into, 'name', wire);
  return wire.field === 3 && list(into, 'attributes', wire, takePair);
};

const takeStatus: Take = (wire, into) => {
  if (wire.field === 2) return text(into, 'message', wire);
  return wire.field === 3 && number(into, 'code', wire);
};

const takePair: Take = (wire, into) => pair(wire, into, 0);

function pair(wire: Wire, into: Json, depth: number): boolean {
  if (wire.field === 1) return text(into, 'key', wire);
  if (wire.field !== 2) return false;
  return one(into, 'value', wire, (inner, value) => takeValue(inner, value, depth));
}

function takeValue(wire: Wire, into: Json, depth: number): boolean {
  if (depth > DEEPEST) throw new WireError('values nest too deep');
  switch (wire.field) {
    case 1:
      return text(into, 'stringValue', wire);
    case 2:
      expect(wire, VARINT);
      into.boolValue = wire.varint() !== 0n;
      return true;
    case 3:
      expect(wire, VARINT);
      into.intValue = String(BigInt.asIntN(64, wire.varint()));
      return true;
    case 4:
      expect(wire, FIXED64);
      into.doubleValue = wire.double();
      return true;
    case 5:
      return one(into, 'arrayValue', wire, (inner, array) => {
        return inner.field === 1 && list(array, 'values', inner, (each, value) => takeValue(each, value, depth + 1));
      });
    case 6:
      return one(into, 'kvlistValue', wire, (inner, values) => {
        return inner.field === 1 && list(values, 'values', inner, (each, value) => pair(each, value, depth + 1));
      });
    case 7:
      expect(wire, TEXT);
      into.bytesValue = wire.raw().toString('base64');
      return true;
    default:
      return false;
  }
}

export interface Frame {
  readonly at: number;
  readonly length: number;
}

/**
 * The messages of a file: the whole of it, or each behind its length as four bytes (the collector's file exporter) or as
 * a varint (protobuf's delimited streams). undefined if it is none of these.
 */
export function framesOf(bytes: Buffer): Frame[] | undefined {
  for (const frames of [[{ at: 0, length: bytes.length }], fixedFrames(bytes), varintFrames(bytes)]) {
    const first = frames[0];
    if (first !== undefined && isTraces(bytes.subarray(first.at, first.at + first.length))) return frames;
  }
  return undefined;
}

/** True for a message with at least one span. */
function isTraces(bytes: Buffer): boolean {
  if (bytes[0] !== 0x0a) return false;
  try {
    const { resourceSpans } = decodeTraces(bytes);
    return (resourceSpans as Json[]).some(resource =>
      ((resource.scopeSpans ?? []) as Json[]).some(scope =>
        ((scope.spans ?? []) as Json[]).some(span => span.traceId !== undefined || span.name !== undefined),
      ),
    );
  } catch {
    return false;
  }
}

function fixedFrames(bytes: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at + 4 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    frames.push({ at: at + 4, length });
    at += 4 + length;
  }
  return frames;
}

function varintFrames(bytes: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length; ) {
    let length = 0;
    for (let unit = 1; at < bytes.length; unit *= 128) {
      const byte = bytes[at++] as number;
      length += (byte & 0x7f) * unit;
      if (byte < 0x80 || unit > 2 ** 35) break;
    }
    frames.push({ at, length });
    at += length;
  }
  return frames;
}
