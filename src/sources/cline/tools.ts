import { Flag } from '../../trace/flags.ts';
import { exited, failureOf, OK, type Outcome } from '../failures.ts';
import { shellTouch } from '../places.ts';
import type { Asked } from '../scribe.ts';
import { isObject, listOf, type Obj, objectOf, textOf } from '../shapes.ts';
import type { Touch } from '../strand.ts';

const WAITING: ReadonlySet<string> = new Set(['ask_question', 'ask_followup_question']);

/** A `tool_use` block, as the row of it. */
export function askedOf(block: Obj, key: string): Asked {
  const name = textOf(block.name);
  const input = objectOf(block.input);
  const commands = name === 'run_commands' ? commandsIn(input) : [];
  return {
    key,
    name,
    args: block.input,
    touches: touchesOf(name, input, commands),
    ...(commands.length > 0 ? { command: commands.join('\n') } : {}),
    ...(name === 'spawn_agent' ? { spawns: { type: '', prompt: textOf(input.task) } } : {}),
    ...(WAITING.has(name) ? { flags: Flag.waits } : {}),
    skill: name === 'skills' ? textOf(input.skill) : '',
  };
}

function commandsIn(input: Obj): string[] {
  const commands = Array.isArray(input.commands) ? input.commands : [input.commands ?? input.command];
  return commands.map(command => textOf(command) || textOf(objectOf(command).command)).filter(line => line !== '');
}

function touchesOf(name: string, input: Obj, commands: readonly string[]): Touch[] {
  switch (name) {
    case 'run_commands':
      return commands.flatMap(line => shellTouch(line));
    case 'read_files':
      return listOf(input.files).map(file => ({ kind: 'read', value: textOf(file) || textOf(objectOf(file).path) }));
    case 'editor':
      return [{ kind: 'write', value: textOf(input.path) }];
    case 'fetch_web_content':
      return listOf(input.requests).map(request => ({ kind: 'url', value: textOf(objectOf(request).url) }));
    default:
      return [];
  }
}

/**
 * What a `tool_result` says, part by part: a list of `{query, result, error, success}`, one such in a JSON string, or plain
 * text. There is no error flag on the block.
 */
export function partsOf(content: unknown): Obj[] {
  if (Array.isArray(content))
    return content.map(part => (typeof part === 'string' ? { result: part } : objectOf(part)));
  if (isObject(content)) return [content];
  const text = textOf(content);
  if (!text.startsWith('{')) return text === '' ? [] : [{ result: text }];
  try {
    return [objectOf(JSON.parse(text))];
  } catch {
    // Cut off: longer than what is kept.
    return [{ result: text, ...(/"success":false/.test(text) ? { success: false } : {}) }];
  }
}

/** Of several parts the first that failed tells. */
export function outcomeOf(tool: string, block: Obj, parts: readonly Obj[]): Outcome {
  const wrong = parts.find(part => part.success === false || textOf(part.error) !== '');
  if (wrong === undefined && block.is_error !== true) return OK;
  const text = textOf(wrong?.error) || textOf(wrong?.result) || textOfParts(parts);
  const code = tool === 'run_commands' ? /exited with code (-?\d{1,10})/.exec(text)?.[1] : undefined;
  return code === undefined ? failureOf(text) : exited(Number(code));
}

export function textOfParts(parts: readonly Obj[]): string {
  return parts.map(part => textOf(part.result) || textOf(part.text) || textOf(part.error)).join('\n');
}

/** Of a write, whether the file is new. */
export function isNewFile(parts: readonly Obj[]): boolean {
  return parts.some(part => textOf(part.result).startsWith('File created'));
}
