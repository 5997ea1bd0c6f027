import { listOf, type Obj, objectOf, textOf } from '../shapes.ts';

/** Who wrote a text in the user role: a person, or the client. `snapshot` is what a compression left. */
export type Voice = 'prompt' | 'context' | 'snapshot' | 'continuation';

export function voiceOf(text: string): Voice {
  const from = text.search(/\S/);
  if (from < 0) return 'context';
  if (text.startsWith('<state_snapshot', from)) return 'snapshot';
  if (text.startsWith('System: Please continue.', from)) return 'continuation';
  if (/^<(session_context|hook_context|environment_context)>/.test(text.slice(from, from + 40))) return 'context';
  if (text.startsWith('This is the Gemini CLI. We are setting up the context', from)) return 'context';
  return 'prompt';
}

/** The text parts of a message, whose content is a string, a part or a list of parts. */
export function wordsOf(message: Obj): string {
  return joined(message.content) || joined(message.parts);
}

function joined(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? listOf(content) : [content];
  return parts
    .map(part => (typeof part === 'string' ? part : textOf(objectOf(part).text)))
    .filter(text => text !== '')
    .join('\n');
}

/** Workspace directories that the first message of a session names. */
export function directoriesIn(text: string): string[] {
  const list = /\*\*Workspace Directories:\*\*\n((?: +- .*\n)+)/.exec(text.slice(0, 4096))?.[1] ?? '';
  return [...list.matchAll(/^ +- (.+)$/gm)].map(match => (match[1] as string).trim());
}

/** What tool calls of a document gave subagents to do: until 0.3x their messages stand among the person's. */
export function delegatedIn(messages: readonly unknown[]): Set<string> {
  const texts = new Set<string>();
  for (const message of messages) {
    for (const tool of listOf(objectOf(message).toolCalls)) {
      const args = objectOf(objectOf(tool).args);
      for (const key of ['prompt', 'objective', 'request', 'query', 'question', 'task']) {
        const text = textOf(args[key]);
        if (text !== '') texts.add(text);
      }
    }
  }
  return texts;
}

const LONG_ENOUGH = 16;

/** True if a text is such a task, alone or inside the frame that an agent's definition puts around it. */
export function isDelegated(text: string, delegated: ReadonlySet<string>): boolean {
  if (delegated.has(text)) return true;
  for (const task of delegated) if (task.length >= LONG_ENOUGH && text.includes(task)) return true;
  return false;
}
