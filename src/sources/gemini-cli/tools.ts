import { Flag } from '../../trace/flags.ts';
import { exited, failureOf, OK, type Outcome } from '../failures.ts';
import { exitCodeIn, type Places, placesIn, shellTouch, urlsIn } from '../places.ts';
import type { Asked } from '../scribe.ts';
import { isObject, listOf, type Obj, objectOf, textOf } from '../shapes.ts';
import type { Touch } from '../strand.ts';

const SHELL = 'run_shell_command';

const PLACES: Places = new Map([
  ['read_file', ['read', 'file_path', 'absolute_path', 'path']],
  ['read_many_files', ['read', 'include', 'paths']],
  ['list_directory', ['read', 'dir_path', 'path']],
  ['glob', ['read', 'dir_path', 'path']],
  ['grep_search', ['read', 'dir_path', 'path']],
  ['search_file_content', ['read', 'dir_path', 'path']],
  ['write_file', ['write', 'file_path', 'path']],
  ['replace', ['write', 'file_path', 'path']],
  ['edit', ['write', 'file_path', 'path']],
  ['google_web_search', ['search', 'query']],
]);

const WAITING: ReadonlySet<string> = new Set(['ask_user', 'exit_plan_mode', 'enter_plan_mode']);
const SPAWNING: ReadonlySet<string> = new Set(['invoke_agent', 'delegate_to_agent']);

/** A tool call of an answer, as the row of it. */
export function askedOf(tool: Obj, key: string): Asked {
  const name = textOf(tool.name);
  const args = objectOf(tool.args);
  return {
    key,
    name,
    args: tool.args,
    touches: touchesOf(name, args),
    ...(name === SHELL ? { command: textOf(args.command) } : {}),
    ...(SPAWNING.has(name) || textOf(tool.agentId) !== ''
      ? { spawns: { type: textOf(args.agent_name) || textOf(args.agentName), prompt: textOf(args.prompt) } }
      : {}),
    ...(WAITING.has(name) ? { flags: Flag.waits } : {}),
    server: serverOf(textOf(tool.displayName)),
    skill: name === 'activate_skill' ? textOf(args.name) : '',
  };
}

/** Tools of other servers are shown as `tool (server MCP Server)`; their names alone do not tell where the server's ends. */
function serverOf(displayName: string): string {
  return /\(([^()]+) MCP Server\)$/.exec(displayName)?.[1] ?? '';
}

function touchesOf(name: string, args: Obj): Touch[] {
  if (name === SHELL) {
    return shellTouch(textOf(args.command), textOf(args.dir_path) || textOf(args.directory) || textOf(args.cwd));
  }
  if (name === 'web_fetch') return urlsIn(textOf(args.url) || textOf(args.prompt));
  return placesIn(PLACES, name, args);
}

/** True once a tool call has come to its end: while it waits or runs no result is written. */
export function isDone(tool: Obj): boolean {
  return /^(success|error|cancelled)$/.test(textOf(tool.status)) || responsesOf(tool).length > 0;
}

export function outcomeOf(tool: Obj): Outcome {
  const status = textOf(tool.status);
  const said = responsesOf(tool);
  const error = said.map(response => textOf(response.error)).find(text => text !== '') ?? '';
  if (status === 'cancelled') return failureOf(error || 'cancelled');
  if (status === 'error') return failureOf(error);
  // A failing command is a success to the client: only the text tells, behind the output.
  return tool.name === SHELL ? exited(exitCodeIn(said.map(response => textOf(response.output)).join('\n')) ?? 0) : OK;
}

export function resultText(tool: Obj): string {
  return responsesOf(tool)
    .map(response => textOf(response.output) || textOf(response.error))
    .join('\n');
}

/** Of a write, whether the file is new. */
export function isNewFile(tool: Obj): boolean {
  return (
    objectOf(tool.resultDisplay).isNewFile === true ||
    /created and wrote to new file/.test(resultText(tool).slice(0, 200))
  );
}

function responsesOf(tool: Obj): Obj[] {
  return listOf(tool.result).flatMap(part => {
    const response = objectOf(objectOf(part).functionResponse).response;
    if (isObject(response)) return [response];
    return typeof response === 'string' ? [{ output: response }] : [];
  });
}
