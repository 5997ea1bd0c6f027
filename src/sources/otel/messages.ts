import { isObject, listOf, type Obj, textOf } from '../shapes.ts';
import type { Attributes } from './attributes.ts';

/** JSON inside a string; undefined if it is none. */
export function jsonIn(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  if (!/^\s*[[{"]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The words of the last message, if it is a person's; '' where a tool's result or nothing came last. */
export function askedBy(given: unknown): string {
  const value = jsonIn(given);
  if (value === undefined) return typeof given === 'string' ? given : '';
  if (typeof value === 'string') return value !== given && jsonIn(value) !== undefined ? askedBy(value) : value;
  const messages = messagesIn(value);
  const last = messages.at(-1);
  if (last === undefined) return isObject(value) ? textOf(value.prompt) || textOf(value.input) : '';
  return roleOf(last) === 'user' ? wordsOf(last) : '';
}

/** The words of what a model answered. */
export function saidIn(given: unknown): string {
  const value = jsonIn(given);
  if (value === undefined || typeof value === 'string') return textOf(value ?? given);
  const messages = messagesIn(value);
  if (messages.length === 0) return isObject(value) ? textOf(value.text) || textOf(value.content) : '';
  return messages.map(wordsOf).filter(Boolean).join('\n');
}

function messagesIn(value: unknown): Obj[] {
  if (Array.isArray(value)) return value.filter(isObject).map(each => (isObject(each.message) ? each.message : each));
  if (!isObject(value)) return [];
  if (Array.isArray(value.messages)) return messagesIn(value.messages);
  if (isObject(value.message)) return [value.message];
  return 'role' in value ? [value] : [];
}

function roleOf(message: Obj): string {
  const role = textOf(message.role) || textOf(message.type);
  return role === 'human' ? 'user' : role;
}

/** Text parts of a message: `content` as a string or a list, or the conventions' `parts`. */
function wordsOf(message: Obj): string {
  const content = message.parts ?? message.content;
  if (typeof content === 'string') return content;
  const words: string[] = [];
  for (const part of listOf(content)) {
    if (typeof part === 'string') words.push(part);
    else if (isObject(part) && (part.type === undefined || part.type === 'text' || part.type === 'input_text')) {
      words.push(textOf(part.text) || textOf(part.content));
    }
  }
  return words.filter(Boolean).join('\n');
}

/**
 * Messages written as numbered attributes (`gen_ai.prompt.0.role`, `llm.input_messages.0.message.content`); undefined
 * if there are none.
 */
export function numbered(attributes: Attributes, prefix: string, inner = ''): Obj[] | undefined {
  const found: Record<string, string>[] = [];
  for (const [name, value] of attributes) {
    if (!name.startsWith(prefix) || typeof value !== 'string') continue;
    const match = /^\.(\d{1,4})\.(.*)$/.exec(name.slice(prefix.length));
    if (match === null) continue;
    const key = (match[2] as string).slice(inner.length);
    if (!(match[2] as string).startsWith(inner)) continue;
    const at = Number(match[1]);
    const message = found[at] ?? {};
    found[at] = message;
    if (key === 'role' || key === 'content') message[key] = value;
    else if (/^contents\.\d+\.message_content\.text$/.test(key)) {
      message.content = message.content === undefined ? value : `${message.content}\n${value}`;
    }
  }
  const messages = found.filter(isObject);
  return messages.length > 0 ? messages : undefined;
}
