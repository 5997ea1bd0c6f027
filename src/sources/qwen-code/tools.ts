import { Flag } from '../../trace/flags.ts';
import { exited, failed, failureOf, INTERRUPTED, OK, type Outcome } from '../failures.ts';
import { exitCodeIn, type Places, placesIn, serverOf, shellTouch, urlsIn } from '../places.ts';
import type { Asked } from '../scribe.ts';
import { classOf, listOf, type Obj, objectOf, textOf } from '../shapes.ts';
import type { Touch } from '../strand.ts';

const SHELL = 'run_shell_command';
const SPAWNING: ReadonlySet<string> = new Set(['agent', 'task']);
const WAITING: ReadonlySet<string> = new Set(['ask_user_question', 'exit_plan_mode', 'enter_plan_mode']);

const PLACES: Places = new Map([
  ['read_file', ['read', 'file_path', 'absolute_path', 'path']],
  ['read_many_files', ['read', 'paths', 'include']],
  ['list_directory', ['read', 'path', 'dir_path']],
  ['glob', ['read', 'path', 'dir_path']],
  ['grep_search', ['read', 'path', 'dir_path']],
  ['search_file_content', ['read', 'path', 'dir_path']],
  ['write_file', ['write', 'file_path', 'path']],
  ['edit', ['write', 'file_path', 'path']],
  ['replace', ['write', 'file_path', 'path']],
  ['notebook_edit', ['write', 'notebook_path', 'file_path']],
  ['web_search', ['search', 'query']],
]);

const DEFAULT_AGENT = 'general-purpose';

/** A `functionCall` part, as the row of it. */
export function askedOf(call: Obj, key: string): Asked {
  const name = textOf(call.name);
  const args = objectOf(call.args);
  const flags = (WAITING.has(name) ? Flag.waits : 0) | (isBackground(args) ? Flag.background : 0);
  return {
    key,
    name,
    args: call.args,
    touches: touchesOf(name, args),
    ...(name === SHELL ? { command: textOf(args.command) } : {}),
    ...(SPAWNING.has(name) ? { spawns: { type: typeOf(args), prompt: textOf(args.prompt) } } : {}),
    ...(flags === 0 ? {} : { flags }),
    server: serverOf(name),
    skill: name === 'skill' ? textOf(args.skill) : '',
  };
}

function isBackground(args: Obj): boolean {
  return args.is_background === true || args.run_in_background === true;
}

function typeOf(args: Obj): string {
  return textOf(args.subagent_type) || DEFAULT_AGENT;
}

/** The subagent that a call starts is named by its kind and the call's id; '' for other tools. */
export function spawnedBy(call: Obj): string {
  return SPAWNING.has(textOf(call.name)) ? `${typeOf(objectOf(call.args))}-${textOf(call.id)}` : '';
}

/** The name of a subagent that was started, in the words of its result; '' where it is not told. */
export function startedIn(text: string): string {
  return /^task_id: (\S+)/m.exec(text.slice(0, 400))?.[1] ?? '';
}

function touchesOf(name: string, args: Obj): Touch[] {
  if (name === SHELL) return shellTouch(textOf(args.command), textOf(args.directory));
  if (name === 'web_fetch') return urlsIn(textOf(args.url) || textOf(args.prompt));
  return placesIn(PLACES, name, args);
}

const ERROR_TYPES: ReadonlyMap<string, string> = new Map([
  ['file_not_found', 'not-found'],
  ['edit_no_occurrence_found', 'edit-mismatch'],
  ['edit_expected_occurrence_mismatch', 'edit-mismatch'],
  ['invalid_tool_params', 'invalid-input'],
  ['permission_denied', 'no-permission'],
  ['tool_not_registered', 'unknown-tool'],
]);

/** How a call ended. Rows of subagents have no status: there only what the tool said tells. */
export function outcomeOf(tool: string, result: Obj, said: readonly Obj[]): Outcome {
  const status = textOf(result.status);
  const error = said.map(response => textOf(response.error)).find(text => text !== '') ?? '';
  const ran = result.executionStatus !== 'not_started';
  if (status === 'cancelled') return failureOf(error || 'cancelled');
  if (tool === SHELL && ran) {
    const code = exitCodeOf(result, said);
    if (code !== undefined && (code !== 0 || status !== 'error')) return exited(code);
  }
  if (status !== 'error' && (status !== '' || error === '')) return OK;
  const type = textOf(result.errorType);
  if (type === 'execution_denied') return failureOf('user denied');
  if (/abort|cancel/.test(type)) return INTERRUPTED;
  const known = ERROR_TYPES.get(type);
  if (known !== undefined) return failed(known);
  const told = failureOf(error);
  if (told.error !== 'tool-error') return told;
  return failed(classOf(type).replaceAll('_', '-') || 'tool-error', ran && tool === SHELL);
}

function exitCodeOf(result: Obj, said: readonly Obj[]): number | undefined {
  const { exitCode } = objectOf(result.resultDisplay);
  if (typeof exitCode === 'number' && Number.isSafeInteger(exitCode)) return exitCode;
  return exitCodeIn(said.map(textOfResponse).join('\n'));
}

export function textOfResponse(response: Obj): string {
  return textOf(response.output) || textOf(response.error);
}

/** The responses of a row's `functionResponse` parts. */
export function responsesIn(parts: unknown): Obj[] {
  return listOf(parts).map(part => {
    const { response } = objectOf(objectOf(part).functionResponse);
    return typeof response === 'string' ? { output: response } : objectOf(response);
  });
}

/** Of a write, whether the file is new. */
export function isNewFile(said: readonly Obj[]): boolean {
  return said.some(response => /created and wrote to new file/.test(textOf(response.output).slice(0, 200)));
}
