import * as z from 'zod';
import type { Outcome, Task } from './types.ts';

/** JSON Schema of a reply. */
export function replySchema<T>(task: Task<T>): Record<string, unknown> {
  const { $schema, ...answer } = z.toJSONSchema(task.answer) as Record<string, unknown>;
  if (isSingle(task)) return answer;
  return object({ answers: { type: 'array', items: object({ id: { type: 'integer' }, answer }) } });
}

/** A task that asks one item at a time has its own shape of reply; one that may ask several has a list. */
export function isSingle<T>(task: Task<T>): boolean {
  return (task.batch ?? 1) === 1;
}

const object = (properties: Record<string, unknown>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** What a reply says of each of the items: an answer, or what is wrong with it. */
export function readReply<T>(task: Task<T>, items: number, content: string): Outcome<T>[] {
  const reply = jsonIn(content);
  const all = (failed: string): Outcome<T>[] => Array.from({ length: items }, () => ({ failed }));
  if (reply === undefined) return all(content.trim() === '' ? 'the reply is empty' : 'the reply is no JSON');
  if (isSingle(task)) return [checked(task, reply)];
  const list = Array.isArray(reply) ? reply : (reply as { answers?: unknown } | null)?.answers;
  if (!Array.isArray(list)) return all('the reply has no list "answers"');
  const found = new Map<number, Outcome<T>>();
  for (const each of list as { id?: unknown; answer?: unknown }[]) {
    const id = Number(each?.id);
    if (Number.isInteger(id) && !found.has(id)) found.set(id, checked(task, each.answer));
  }
  return Array.from({ length: items }, (_, at) => found.get(at + 1) ?? { failed: 'there is no answer for it' });
}

function checked<T>(task: Task<T>, answer: unknown): Outcome<T> {
  const read = task.answer.safeParse(answer);
  if (read.success) return { answer: read.data };
  const issue = read.error.issues[0] as z.core.$ZodIssue;
  const place = issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  return { failed: `${place}${issue.message}` };
}

/**
 * The JSON of a reply: all of it, or what stands in its fence, or from its first bracket to the last. What a model thought
 * before (`<think>`) is left out.
 */
function jsonIn(content: string): unknown {
  const text = content.replace(/^[\s\S]*<\/think>/, '').trim();
  const fenced = /```(?:json)?\s*\n([\s\S]*?)```/.exec(text)?.[1];
  const start = text.search(/[[{]/);
  const end = Math.max(text.lastIndexOf(']'), text.lastIndexOf('}'));
  for (const candidate of [text, fenced, start < 0 ? undefined : text.slice(start, end + 1)]) {
    if (candidate === undefined) continue;
    try {
      return JSON.parse(candidate);
    } catch {
      // The next way to read it.
    }
  }
  return undefined;
}
