import type { Role } from '../spans/span.ts';
import { type Attributes, firstText } from './attributes.ts';

/** `gen_ai.operation.name` of the conventions. */
const OPERATIONS: ReadonlyMap<string, Role> = new Map([
  ['chat', 'model'],
  ['text_completion', 'model'],
  ['completion', 'model'],
  ['generate_content', 'model'],
  ['embeddings', 'model'],
  ['responses', 'model'],
  ['execute_tool', 'tool'],
  ['invoke_agent', 'agent'],
  ['invoke_workflow', 'agent'],
  ['create_agent', 'step'],
]);

/** `openinference.span.kind`, `traceloop.span.kind` and `langfuse.observation.type`, in small letters. */
const KINDS: ReadonlyMap<string, Role> = new Map([
  ['llm', 'model'],
  ['generation', 'model'],
  ['embedding', 'model'],
  ['tool', 'tool'],
  ['retriever', 'tool'],
  ['agent', 'agent'],
  ['workflow', 'step'],
  ['task', 'step'],
  ['chain', 'step'],
  ['span', 'step'],
  ['reranker', 'step'],
  ['guardrail', 'step'],
  ['evaluator', 'step'],
  ['prompt', 'step'],
]);

/** The AI SDK's operations; the outer ones wrap the `do*` ones and repeat or sum what these used. */
const AI_OPERATION = /^ai\.(generateText|streamText|generateObject|streamObject|embed|embedMany)\b/;

/** What a span is. Names under which it says so, the most explicit first. */
export function roleOf(attributes: Attributes): Role {
  const operation = OPERATIONS.get(firstText(attributes, 'gen_ai.operation.name'));
  if (operation !== undefined) return operation;
  const kind = firstText(
    attributes,
    'openinference.span.kind',
    'traceloop.span.kind',
    'langfuse.observation.type',
    'gen_ai.span.kind',
  );
  const role = KINDS.get(kind.toLowerCase());
  if (role !== undefined) return role;
  const ai = firstText(attributes, 'ai.operationId', 'operation.name', 'gen_ai.operation.name');
  if (/^ai\.toolCall\b/.test(ai)) return 'tool';
  if (AI_OPERATION.test(ai) || firstText(attributes, 'llm.request.type') !== '') return 'model';
  if (firstText(attributes, 'gen_ai.tool.name') !== '') return 'tool';
  return firstText(attributes, 'gen_ai.agent.name', 'agent_name') !== '' ? 'agent' : 'step';
}

export function modelOf(attributes: Attributes): string {
  return firstText(
    attributes,
    'gen_ai.response.model',
    'ai.response.model',
    'llm.response.model',
    'gen_ai.request.model',
    'llm.model_name',
    'embedding.model_name',
    'llm.request.model',
    'ai.model.id',
    'model_name',
  );
}

/** The own name of a tool or agent, else the span's without the operation before it ("execute_tool grep"). */
export function nameOf(role: Role, attributes: Attributes, span: string): string {
  const own =
    role === 'tool'
      ? firstText(attributes, 'gen_ai.tool.name', 'tool.name', 'ai.toolCall.name', 'traceloop.entity.name')
      : role === 'agent'
        ? firstText(attributes, 'gen_ai.agent.name', 'agent.name', 'agent_name', 'traceloop.entity.name')
        : '';
  return own || span.replace(/^(execute_tool|invoke_agent|chat|running tool:?)\s+/, '');
}

export function sessionOf(attributes: Attributes): string {
  return firstText(
    attributes,
    'session.id',
    'gen_ai.conversation.id',
    'langfuse.session.id',
    'ai.telemetry.metadata.sessionId',
    'traceloop.association.properties.session_id',
    'langsmith.trace.session_id',
  );
}

export function userOf(attributes: Attributes): string {
  return firstText(attributes, 'user.id', 'enduser.id', 'langfuse.user.id', 'ai.telemetry.metadata.userId');
}
