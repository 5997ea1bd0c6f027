import { microsOf } from '../instants.ts';
import { isObject, listOf, type Obj, textOf } from '../shapes.ts';
import type { Span } from '../spans/span.ts';
import { type Attributes, firstText } from './attributes.ts';
import { jsonIn } from './messages.ts';
import { ownOf } from './own.ts';
import { askedOf, exceptionIn, saidOf } from './said.ts';
import { modelOf, nameOf, roleOf, sessionOf, userOf } from './semantics.ts';
import { usageOf } from './usage.ts';
import { attributesOf, idOf, member, microsOfNanos } from './values.ts';

/** True for a batch of traces as OTLP's JSON has it. */
export function isBatch(record: Obj): boolean {
  return Array.isArray(member(record, 'resourceSpans', 'resource_spans'));
}

/** True for the attributes of one span and nothing around them, as some test data and logs hold them. */
export function isBare(record: Obj): boolean {
  return (
    typeof record['gen_ai.operation.name'] === 'string' ||
    (typeof record['openinference.span.kind'] === 'string' && record.attributes === undefined)
  );
}

/** True for a span as the console exporters of the SDKs print it. */
export function isPrinted(record: Obj): boolean {
  const { context, attributes } = record;
  if (!isObject(attributes)) return false;
  const ids = isObject(context) ? [context.trace_id, context.span_id] : [record.traceId, record.id];
  return ids.every(id => typeof id === 'string') && ('start_time' in record || 'timestamp' in record);
}

/** The spans of one record, and what in it was not understood. */
export function* spansIn(record: Obj, offset: number, bytes: number): Generator<Span | string> {
  if (isBare(record)) yield spanOf({ attributes: record }, new Map(), '', offset, bytes);
  else if (isPrinted(record)) yield printed(record, offset, bytes);
  else if (isBatch(record)) yield* batch(record, offset, bytes);
  else yield Object.keys(record)[0]?.slice(0, 60) ?? 'empty record';
}

function* batch(record: Obj, offset: number, bytes: number): Generator<Span | string> {
  for (const group of listOf(member(record, 'resourceSpans', 'resource_spans'))) {
    if (!isObject(group)) {
      yield 'resource that is no object';
      continue;
    }
    const resource = attributesOf(isObject(group.resource) ? group.resource.attributes : undefined);
    const scopes =
      member(group, 'scopeSpans', 'scope_spans') ??
      member(group, 'instrumentationLibrarySpans', 'instrumentation_library_spans');
    for (const scope of listOf(scopes)) {
      if (!isObject(scope)) {
        yield 'scope that is no object';
        continue;
      }
      const named = scope.scope ?? scope.instrumentationLibrary;
      const name = isObject(named) ? textOf(named.name) : '';
      for (const span of listOf(scope.spans)) {
        if (isObject(span)) yield spanOf(span, resource, name, offset, bytes);
        else yield 'span that is no object';
      }
    }
  }
}

function spanOf(span: Obj, resource: Attributes, scope: string, offset: number, bytes: number): Span {
  const attributes = attributesOf(span.attributes);
  const role = roleOf(attributes);
  const status = isObject(span.status) ? span.status : {};
  const isFailed = status.code === 2 || status.code === 'STATUS_CODE_ERROR' || status.status_code === 'ERROR';
  const service = firstText(resource, 'service.name').replace(/^unknown_service.*/, '');
  return {
    trace: idOf(member(span, 'traceId', 'trace_id')),
    id: idOf(member(span, 'spanId', 'span_id')),
    parent: idOf(member(span, 'parentSpanId', 'parent_span_id')),
    role,
    name: nameOf(role, attributes, textOf(span.name)).slice(0, 200),
    start: microsOfNanos(member(span, 'startTimeUnixNano', 'start_time_unix_nano')),
    end: microsOfNanos(member(span, 'endTimeUnixNano', 'end_time_unix_nano')),
    session: sessionOf(attributes) || firstText(resource, 'session.id'),
    user: userOf(attributes) || firstText(resource, 'user.id', 'enduser.id'),
    service,
    version: firstText(resource, 'service.version'),
    cwd: firstText(attributes, 'process.working_directory') || firstText(resource, 'process.working_directory'),
    exporter: `${service} ${scope} ${firstText(attributes, 'gen_ai.provider.name', 'gen_ai.system', 'llm.provider')}`,
    model: modelOf(attributes),
    used: usageOf(attributes),
    failed: isFailed,
    error: isFailed ? firstText(attributes, 'error.type') || textOf(status.message) || exceptionIn(span.events) : '',
    asked: role === 'tool' ? '' : askedOf(attributes, span.events),
    said: role === 'model' ? saidOf(attributes, span.events) : '',
    args: role === 'tool' ? argumentsOf(attributes) : undefined,
    result:
      role === 'tool'
        ? firstText(attributes, 'gen_ai.tool.call.result', 'output.value', 'ai.toolCall.result', 'output')
        : '',
    own: ownOf(scope, role === 'agent', attributes, span.events),
    offset,
    bytes,
  };
}

function argumentsOf(attributes: Attributes): unknown {
  const text = firstText(
    attributes,
    'gen_ai.tool.call.arguments',
    'tool.parameters',
    'input.value',
    'ai.toolCall.args',
    'tool_arguments',
    'traceloop.entity.input',
    'input',
  );
  return jsonIn(text) ?? text;
}

/** Python prints `context` and ISO times, JavaScript microseconds and a duration. */
function printed(record: Obj, offset: number, bytes: number): Span {
  const { context, resource, status } = record;
  const inner = isObject(context) ? context : { trace_id: record.traceId, span_id: record.id };
  const scope = record.instrumentationScope;
  const span = spanOf(
    {
      ...record,
      traceId: inner.trace_id,
      spanId: inner.span_id,
      parentSpanId: textOf(record.parent_id ?? record.parentId).replace(/^0x/, ''),
      status,
    },
    attributesOf(isObject(resource) ? resource.attributes : undefined),
    isObject(scope) ? textOf(scope.name) : '',
    offset,
    bytes,
  );
  const { timestamp, duration } = record;
  if (typeof timestamp !== 'number')
    return { ...span, start: microsOf(record.start_time), end: microsOf(record.end_time) };
  const start = microsOfNanos(timestamp * 1000);
  return { ...span, start, end: typeof duration === 'number' ? start + Math.max(0, Math.floor(duration)) : start };
}
