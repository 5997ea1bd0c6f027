import { type Keep, type Keys, WHOLE } from '../../ingest/keep.ts';

const ID = 200;

/** Which attribute a value belongs to is told beside it, so all values are kept as long as prompts are. */
const ATTRIBUTES: Keys = { keys: { key: ID, value: WHOLE }, rest: WHOLE };

const SPAN: Record<string, Keep> = {
  traceId: ID,
  trace_id: ID,
  spanId: ID,
  span_id: ID,
  parentSpanId: ID,
  parent_span_id: ID,
  name: ID,
  startTimeUnixNano: 40,
  start_time_unix_nano: 40,
  endTimeUnixNano: 40,
  end_time_unix_nano: 40,
  attributes: ATTRIBUTES,
  events: { keys: { name: ID, timeUnixNano: 40, time_unix_nano: 40, attributes: ATTRIBUTES } },
  status: { keys: { code: 40, status_code: 40, message: 2000 } },
};

const SCOPE: Keys = {
  keys: { scope: { keys: { name: ID } }, instrumentationLibrary: { keys: { name: ID } }, spans: { keys: SPAN } },
};

const RESOURCE: Keys = {
  keys: {
    resource: { keys: { attributes: ATTRIBUTES } },
    scopeSpans: SCOPE,
    scope_spans: SCOPE,
    instrumentationLibrarySpans: SCOPE,
    instrumentation_library_spans: SCOPE,
  },
};

/** Batches, spans as SDKs print them, and bare attributes (whose names are as many as there are conventions). */
export const KEEP: Keep = {
  keys: {
    ...SPAN,
    resourceSpans: RESOURCE,
    resource_spans: RESOURCE,
    resourceLogs: 0,
    resourceMetrics: 0,
    resource: { keys: { attributes: ATTRIBUTES } },
    instrumentationScope: { keys: { name: ID } },
    context: { keys: { trace_id: ID, span_id: ID } },
  },
  rest: WHOLE,
};
