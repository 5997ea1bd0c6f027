/** The traces of OTLP as its JSON has them; the same shape that `decode.ts` gives. Ids are hex, times decimal strings. */
export interface TracesData {
  readonly resourceSpans: readonly ResourceSpans[];
}

export interface ResourceSpans {
  readonly resource?: { readonly attributes?: readonly Pair[] };
  readonly scopeSpans: readonly { readonly scope?: { readonly name: string }; readonly spans: readonly OtlpSpan[] }[];
}

export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind?: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly Pair[];
  readonly events?: readonly {
    readonly timeUnixNano: string;
    readonly name: string;
    readonly attributes?: readonly Pair[];
  }[];
  readonly status?: { readonly message?: string; readonly code?: number };
}

export interface Pair {
  readonly key: string;
  readonly value: PairValue;
}

/** Of OTLP's kinds of value those that are written here. Integers are strings: they may not fit a double. */
export type PairValue =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly boolValue: boolean }
  | { readonly doubleValue: number }
  | { readonly arrayValue: { readonly values: readonly PairValue[] } };

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;

/**
 * The protobuf message (`TracesData`, and `ExportTraceServiceRequest`, which has the same fields) of traces as JSON has
 * them. Field numbers are those of `decode.ts`. Messages one behind the other are one message of all their spans.
 */
export function encodeTraces(data: TracesData): Buffer {
  return joined(data.resourceSpans.map(resource => message(1, resourceParts(resource))));
}

function resourceParts({ resource, scopeSpans }: ResourceSpans): Buffer[] {
  return [
    ...(resource === undefined ? [] : [message(1, pairs(1, resource.attributes))]),
    ...scopeSpans.map(({ scope, spans }) =>
      message(2, [
        ...(scope === undefined ? [] : [message(1, [text(1, scope.name)])]),
        ...spans.map(span => message(2, spanParts(span))),
      ]),
    ),
  ];
}

function spanParts(span: OtlpSpan): Buffer[] {
  return [
    raw(1, Buffer.from(span.traceId, 'hex')),
    raw(2, Buffer.from(span.spanId, 'hex')),
    raw(4, Buffer.from(span.parentSpanId ?? '', 'hex')),
    text(5, span.name),
    number(6, BigInt(span.kind ?? 0)),
    fixed(7, span.startTimeUnixNano),
    fixed(8, span.endTimeUnixNano),
    ...pairs(9, span.attributes),
    ...(span.events ?? []).map(event =>
      message(11, [fixed(1, event.timeUnixNano), text(2, event.name), ...pairs(3, event.attributes)]),
    ),
    ...(span.status === undefined
      ? []
      : [message(15, [text(2, span.status.message ?? ''), number(3, BigInt(span.status.code ?? 0))])]),
  ];
}

function pairs(field: number, attributes: readonly Pair[] = []): Buffer[] {
  return attributes.map(({ key, value }) => message(field, [text(1, key), message(2, [valueBytes(value)])]));
}

/** A value is a choice: its field is written also where it holds the default. */
function valueBytes(value: PairValue): Buffer {
  if ('stringValue' in value) return message(1, [Buffer.from(value.stringValue)]);
  if ('boolValue' in value) return Buffer.concat([tag(2, VARINT), varint(value.boolValue ? 1n : 0n)]);
  if ('intValue' in value) return Buffer.concat([tag(3, VARINT), varint(BigInt.asUintN(64, BigInt(value.intValue)))]);
  if ('doubleValue' in value) {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value.doubleValue);
    return Buffer.concat([tag(4, FIXED64), bytes]);
  }
  return message(
    5,
    value.arrayValue.values.map(each => message(1, [valueBytes(each)])),
  );
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  for (; value >= 0x80n; value >>= 7n) bytes.push(Number(value & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(value)]);
}

function tag(field: number, type: number): Buffer {
  return varint(BigInt(field * 8 + type));
}

function message(field: number, parts: readonly Buffer[]): Buffer {
  const bytes = joined(parts);
  return Buffer.concat([tag(field, BYTES), varint(BigInt(bytes.length)), bytes]);
}

function raw(field: number, bytes: Buffer): Buffer {
  return bytes.length === 0 ? bytes : message(field, [bytes]);
}

function text(field: number, value: string): Buffer {
  return raw(field, Buffer.from(value));
}

function number(field: number, value: bigint): Buffer {
  return value === 0n ? Buffer.alloc(0) : Buffer.concat([tag(field, VARINT), varint(value)]);
}

function fixed(field: number, value: string): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return Buffer.concat([tag(field, FIXED64), bytes]);
}

function joined(parts: readonly Buffer[]): Buffer {
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}
