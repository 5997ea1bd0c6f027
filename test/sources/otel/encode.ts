type Json = Readonly<Record<string, unknown>>;

/** Encodes OTLP's JSON as the protobuf message that it stands for: another way to the numbers that `proto.ts` reads. */
export function encodeTraces(data: Json): Buffer {
  return all(data.resourceSpans, resource =>
    message(1, [
      one(resource.resource, 1, held => all(held.attributes, pair)),
      all(resource.scopeSpans, scope =>
        message(2, [
          one(scope.scope, 1, held => text(1, held.name)),
          all(scope.spans, span => message(2, spanOf(span))),
        ]),
      ),
    ]),
  );
}

function spanOf(span: Json): Buffer[] {
  return [
    raw(1, Buffer.from(span.traceId as string, 'hex')),
    raw(2, Buffer.from(span.spanId as string, 'hex')),
    // Trace state, flags and links: passed over.
    text(3, 'a=b'),
    raw(4, Buffer.from((span.parentSpanId as string) ?? '', 'hex')),
    text(5, span.name),
    number(6, BigInt((span.kind as number) ?? 0)),
    fixed(7, span.startTimeUnixNano),
    fixed(8, span.endTimeUnixNano),
    all(span.attributes, held => field(9, pairOf(held))),
    all(span.events, event =>
      message(11, [text(2, event.name), all(event.attributes, held => field(3, pairOf(held)))]),
    ),
    message(13, [text(3, 'x')]),
    message(15, [
      text(2, (span.status as Json)?.message),
      number(3, BigInt(((span.status as Json)?.code as number) ?? 0)),
    ]),
    Buffer.from([((16 << 3) & 0xff) | 5, 0x01, 1, 0, 0, 0]),
  ];
}

function pair(held: Json): Buffer {
  return field(1, pairOf(held));
}

function pairOf(held: Json): Buffer {
  return Buffer.concat([text(1, held.key), field(2, plainOf(held.value as Json))]);
}

function plainOf(value: Json): Buffer {
  if ('stringValue' in value) return raw(1, Buffer.from(value.stringValue as string));
  if ('boolValue' in value) return number(2, value.boolValue ? 1n : 0n);
  if ('intValue' in value) return number(3, BigInt.asUintN(64, BigInt(value.intValue as string)));
  if ('doubleValue' in value) {
    const bytes = Buffer.alloc(9, (4 << 3) | 1);
    bytes.writeDoubleLE(value.doubleValue as number, 1);
    return bytes;
  }
  if ('arrayValue' in value)
    return field(
      5,
      all((value.arrayValue as Json).values, each => field(1, plainOf(each))),
    );
  return field(
    6,
    all((value.kvlistValue as Json).values, each => field(1, pairOf(each))),
  );
}

function all(list: unknown, each: (value: Json) => Buffer): Buffer {
  return Buffer.concat(((list ?? []) as Json[]).map(each));
}

function one(value: unknown, number: number, each: (value: Json) => Buffer): Buffer {
  return value === undefined ? Buffer.alloc(0) : field(number, each(value as Json));
}

function message(number: number, parts: readonly Buffer[]): Buffer {
  return field(number, Buffer.concat(parts));
}

export function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  for (; value >= 0x80n; value >>= 7n) bytes.push(Number(value & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(value)]);
}

function field(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint(BigInt(number * 8 + 2)), varint(BigInt(bytes.length)), bytes]);
}

function raw(number: number, bytes: Buffer): Buffer {
  return bytes.length === 0 ? bytes : field(number, bytes);
}

function text(number: number, value: unknown): Buffer {
  return raw(number, Buffer.from((value as string | undefined) ?? ''));
}

function number(number: number, value: bigint): Buffer {
  return Buffer.concat([varint(BigInt(number * 8)), varint(value)]);
}

function fixed(number: number, value: unknown): Buffer {
  const bytes = Buffer.alloc(9, number * 8 + 1);
  bytes.writeBigUInt64LE(BigInt(value as string), 1);
  return bytes;
}
