import { microsOf } from '../instants.ts';
import { type Attributes, firstText } from '../otel/attributes.ts';
import { askedBy, jsonIn, saidIn } from '../otel/messages.ts';
import { nameOf, roleOf } from '../otel/semantics.ts';
import { attributesOf } from '../otel/values.ts';
import { countOf, isObject, type Obj, objectOf, textOf } from '../shapes.ts';
import type { Role, Span } from '../spans/span.ts';
import { type Reported, totalOf } from '../usage.ts';

const ROLES: ReadonlyMap<string, Role> = new Map([
  ['GENERATION', 'model'],
  ['EMBEDDING', 'model'],
  ['TOOL', 'tool'],
  ['RETRIEVER', 'tool'],
  ['AGENT', 'agent'],
  ['SPAN', 'step'],
  ['EVENT', 'step'],
  ['CHAIN', 'step'],
  ['EVALUATOR', 'step'],
  ['GUARDRAIL', 'step'],
]);

/** True for one observation as the API and the exports give it. */
export function isObservation(value: unknown): value is Obj {
  return (
    isObject(value) &&
    typeof value.traceId === 'string' &&
    ROLES.has(textOf(value.type)) &&
    typeof value.startTime === 'string' &&
    ('parentObservationId' in value || 'usageDetails' in value || 'usage' in value)
  );
}

/** An observation as a span; `trace` is what stands around it, if anything. */
export function spanOf(seen: Obj, trace: Obj, offset: number, bytes: number): Span {
  const metadata = objectOf(jsonIn(seen.metadata));
  const attributes = attributesOf(metadata.attributes);
  const type = textOf(seen.type);
  // Versions before TOOL and AGENT sent everything as SPAN, and what names a model as GENERATION.
  const told = roleOf(attributes);
  const role = told === 'step' ? (ROLES.get(type) ?? 'step') : told;
  const resource = attributesOf(metadata.resourceAttributes);
  const service = firstText(resource, 'service.name').replace(/^unknown_service.*/, '');
  const start = microsOf(seen.startTime);
  const isRoot = textOf(seen.parentObservationId) === '';
  return {
    trace: textOf(seen.traceId) || textOf(trace.id),
    id: textOf(seen.id),
    parent: textOf(seen.parentObservationId),
    role,
    name: nameOf(role, attributes, textOf(seen.name)).slice(0, 200),
    start,
    end: Math.max(start, microsOf(seen.endTime)),
    session: textOf(trace.sessionId) || textOf(seen.sessionId),
    user: textOf(trace.userId) || textOf(seen.userId),
    service,
    version: firstText(resource, 'service.version') || textOf(trace.release),
    cwd: '',
    exporter: `${service} ${textOf(objectOf(metadata.scope).name)} ${firstText(attributes, 'gen_ai.provider.name', 'gen_ai.system')}`,
    model: textOf(seen.model) || modelIn(attributes),
    used: usageOf(seen),
    failed: seen.level === 'ERROR',
    error: seen.level === 'ERROR' ? textOf(seen.statusMessage) : '',
    asked: role === 'tool' ? '' : askedBy(seen.input ?? '') || (isRoot ? askedBy(trace.input ?? '') : ''),
    said: role === 'model' ? saidIn(seen.output ?? '') : '',
    args: role === 'tool' ? (jsonIn(seen.input) ?? seen.input) : undefined,
    result: role === 'tool' ? textOf(seen.output) : '',
    offset,
    bytes,
  };
}

function modelIn(attributes: Attributes): string {
  return firstText(attributes, 'gen_ai.response.model', 'gen_ai.request.model');
}

/** Kinds beyond input and output have names of the integration that sent them. */
const CACHE_READ = /^(input_|prompt_details\.|prompt_tokens_details\.)?(cache_read|cached)(_input)?(_tokens)?$/;
const CACHE_WRITE =
  /^(input_|prompt_details\.)?cache_(creation|write)(_input)?(_tokens)?$|^input_cache_creation(_(5m|1h))?$/;
const REASONING =
  /^(output_|completion_details\.|completion_tokens_details\.)?(reasoning|thoughts|thinking)(_tokens)?$/;

function usageOf(seen: Obj): Reported | undefined {
  const details = objectOf(seen.usageDetails);
  const old = objectOf(seen.usage);
  // Before token kinds, usage had a unit, which may be characters or milliseconds.
  const isTokens = old.unit === undefined || old.unit === null || old.unit === 'TOKENS';
  const named = Object.keys(details).length > 0 ? details : isTokens ? old : {};
  const sum = (pattern: RegExp) =>
    Object.entries(named).reduce((all, [name, value]) => (pattern.test(name) ? all + countOf(value) : all), 0);
  const used = {
    input: countOf(named.input ?? named.promptTokens ?? named.prompt_tokens ?? named.input_tokens),
    cacheRead: sum(CACHE_READ),
    cacheWrite: sum(CACHE_WRITE),
    output: countOf(named.output ?? named.completionTokens ?? named.completion_tokens ?? named.output_tokens),
    reasoning: sum(REASONING),
    extra: 0,
    total: totalOf(named.total ?? named.totalTokens ?? named.total_tokens),
  };
  return used.input + used.cacheRead + used.cacheWrite + used.output + used.reasoning > 0 ? used : undefined;
}
