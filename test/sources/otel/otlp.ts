/** Short words for OTLP in tests. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface Sent {
  readonly id: string;
  readonly parent?: string;
  readonly trace?: string;
  readonly name?: string;
  /** Seconds. */
  readonly at?: number;
  readonly to?: number;
  readonly failed?: string;
  readonly has?: Attributes;
  readonly events?: readonly object[];
}

const ZERO = 1_780_000_000;
export const nanos = (seconds: number) => `${BigInt(Math.round((ZERO + seconds) * 1000))}000000`;
export const hex = (name: string, bytes: number) =>
  Buffer.from(name.padEnd(bytes, '.')).subarray(0, bytes).toString('hex');

export function attributes(has: Attributes): object[] {
  return Object.entries(has).map(([key, value]) => ({
    key,
    value:
      typeof value === 'string'
        ? { stringValue: value }
        : typeof value === 'boolean'
          ? { boolValue: value }
          : { intValue: String(value) },
  }));
}

export function span({
  id,
  parent,
  trace = 't',
  name = id,
  at = 0,
  to = at + 1,
  failed,
  has = {},
  events,
}: Sent): object {
  return {
    traceId: trace === '' ? '' : hex(trace, 16),
    spanId: id === '' ? '' : hex(id, 8),
    parentSpanId: parent === undefined ? '' : hex(parent, 8),
    name,
    startTimeUnixNano: nanos(at),
    endTimeUnixNano: nanos(to),
    attributes: attributes(has),
    ...(events ? { events } : {}),
    status: failed === undefined ? {} : { code: 2, message: failed },
  };
}

export function batch(spans: readonly object[], resource: Attributes = {}): object {
  return {
    resourceSpans: [{ resource: { attributes: attributes(resource) }, scopeSpans: [{ scope: { name: 'x' }, spans }] }],
  };
}

export const model = (id: string, input: number, output: number, more: Omit<Sent, 'id'> = {}): object =>
  span({
    ...more,
    id,
    has: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'm',
      ...(input + output > 0 ? { 'gen_ai.usage.input_tokens': input, 'gen_ai.usage.output_tokens': output } : {}),
      ...more.has,
    },
  });

export const agent = (id: string, more: Omit<Sent, 'id'> = {}): object =>
  span({ ...more, id, has: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': id, ...more.has } });

export const tool = (id: string, more: Omit<Sent, 'id'> = {}): object =>
  span({ ...more, id, has: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': id, ...more.has } });
