import { isObject, listOf, type Obj, textOf } from '../shapes.ts';
import { type Attributes, firstText } from './attributes.ts';
import { askedBy, numbered, saidIn } from './messages.ts';
import { attributesOf } from './values.ts';

/** What was asked in a span. Conventions of all ages, the newest first. */
export function askedOf(attributes: Attributes, events: unknown): string {
  const whole = firstText(attributes, 'gen_ai.input.messages', 'gen_ai.prompt', 'ai.prompt.messages', 'ai.prompt');
  if (whole !== '') return askedBy(whole);
  const messages =
    numbered(attributes, 'gen_ai.prompt') ?? numbered(attributes, 'llm.input_messages', 'message.') ?? inEvents(events);
  if (messages !== undefined) return askedBy(messages);
  return askedBy(firstText(attributes, 'input.value', 'traceloop.entity.input', 'langfuse.observation.input'));
}

/** What the model answered in a span. */
export function saidOf(attributes: Attributes, events: unknown): string {
  const whole = firstText(attributes, 'gen_ai.output.messages', 'gen_ai.completion', 'ai.response.text');
  if (whole !== '') return saidIn(whole);
  const messages =
    numbered(attributes, 'gen_ai.completion') ??
    numbered(attributes, 'llm.output_messages', 'message.') ??
    choicesIn(events);
  if (messages !== undefined) return saidIn(messages);
  return saidIn(firstText(attributes, 'output.value', 'traceloop.entity.output', 'langfuse.observation.output'));
}

/** From 1.28 to 1.36 messages were events of the span: `gen_ai.user.message`; before that `gen_ai.content.prompt`. */
function inEvents(events: unknown): Obj[] | undefined {
  const messages: Obj[] = [];
  for (const { name, attributes } of eventsIn(events)) {
    const role = /^gen_ai\.(user|system|assistant|tool)\.message$/.exec(name)?.[1];
    if (role !== undefined) messages.push({ role, content: firstText(attributes, 'content', 'gen_ai.prompt') });
    else if (name === 'gen_ai.content.prompt') {
      messages.push({ role: 'user', content: askedBy(firstText(attributes, 'gen_ai.prompt')) });
    }
  }
  return messages.length > 0 ? messages : undefined;
}

function choicesIn(events: unknown): Obj[] | undefined {
  const messages: Obj[] = [];
  for (const { name, attributes } of eventsIn(events)) {
    if (name === 'gen_ai.choice' || name === 'gen_ai.content.completion') {
      messages.push({
        role: 'assistant',
        content: saidIn(firstText(attributes, 'message', 'content', 'gen_ai.completion')),
      });
    }
  }
  return messages.length > 0 ? messages : undefined;
}

/** The type or words of an exception that was recorded in a span. */
export function exceptionIn(events: unknown): string {
  for (const { name, attributes } of eventsIn(events)) {
    if (name === 'exception') return firstText(attributes, 'exception.message', 'exception.type');
  }
  return '';
}

function eventsIn(events: unknown): { name: string; attributes: Attributes }[] {
  return listOf(events)
    .filter(isObject)
    .map(event => ({ name: textOf(event.name), attributes: attributesOf(event.attributes) }));
}
