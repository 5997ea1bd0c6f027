import { Flag } from '../../trace/flags.ts';
import { exited, failureOf, OK, type Outcome } from '../failures.ts';
import { type Places, placesIn, shellTouch, urlsIn } from '../places.ts';
import type { Asked } from '../scribe.ts';
import { isObject, type Obj, objectOf, textOf } from '../shapes.ts';
import type { Touch } from '../strand.ts';

const SHELLS: ReadonlySet<string> = new Set(['bash', 'powershell', 'local_shell']);
const WAITING: ReadonlySet<string> = new Set(['ask_user', 'exit_plan_mode']);

const PLACES: Places = new Map([
  ['view', ['read', 'path']],
  ['create', ['create', 'path']],
  ['edit', ['write', 'path']],
  ['str_replace', ['write', 'path']],
  ['str_replace_editor', ['write', 'path']],
  ['insert', ['write', 'path']],
  ['grep', ['read', 'path', 'paths']],
  ['rg', ['read', 'path', 'paths']],
  ['glob', ['read', 'path', 'paths']],
  ['web_search', ['search', 'query']],
]);

/** A tool request of an answer, or the start of a tool that no answer asked for. */
export function askedOf(name: string, args: unknown, server: string, key: string): Asked {
  const fields = objectOf(args);
  return {
    key,
    name,
    args,
    touches: touchesOf(name, args, fields),
    ...(SHELLS.has(name) ? { command: textOf(fields.command) } : {}),
    ...(name === 'task' ? { spawns: { type: textOf(fields.agent_type), prompt: textOf(fields.prompt) } } : {}),
    ...(WAITING.has(name) ? { flags: Flag.waits } : fields.mode === 'async' ? { flags: Flag.background } : {}),
    server,
    skill: name === 'skill' ? textOf(fields.skill) || textOf(fields.name) : '',
  };
}

function touchesOf(name: string, args: unknown, fields: Obj): Touch[] {
  if (SHELLS.has(name)) return shellTouch(textOf(fields.command));
  if (name === 'web_fetch') return urlsIn(textOf(fields.url));
  if (name === 'apply_patch') return patched(textOf(args) || textOf(fields.input) || textOf(fields.patch));
  if (name === 'str_replace_editor' && fields.command === 'view') return [{ kind: 'read', value: textOf(fields.path) }];
  return placesIn(PLACES, name, fields);
}

/** Headers of a patch text: `*** Update File: path`. */
function patched(text: string): Touch[] {
  const kinds = { Update: 'write', Add: 'create', Delete: 'delete' } as const;
  return [...text.matchAll(/^\*\*\* (Update|Add|Delete) File: (.+)$/gm)].map(match => ({
    kind: kinds[match[1] as keyof typeof kinds],
    value: (match[2] as string).trim(),
  }));
}

/** A failing command is a success of the tool: its exit code tells, apart or (older) at the end of what it said. */
export function outcomeOf(tool: string, data: Obj): Outcome {
  const said = resultText(data);
  if (data.success === false) {
    const error = objectOf(data.error);
    const text = textOf(error.message) || textOf(data.error) || said;
    const code = SHELLS.has(tool) ? exitIn(said || text) : undefined;
    if (code !== undefined && code !== 0) return exited(code);
    return failureOf(/denied|rejected/.test(textOf(error.code)) ? 'user denied' : text);
  }
  const { exitCode } = objectOf(data.shellExecution);
  if (typeof exitCode === 'number' && Number.isSafeInteger(exitCode)) return exited(exitCode);
  return SHELLS.has(tool) ? exited(exitIn(said) ?? 0) : OK;
}

function exitIn(said: string): number | undefined {
  const code = /exit(?:ed with)?(?: exit)? code:? (-?\d{1,10})/.exec(said.slice(-200))?.[1];
  return code === undefined ? undefined : Number(code);
}

export function resultText(data: Obj): string {
  return isObject(data.result) ? textOf(data.result.content) : textOf(data.result);
}
