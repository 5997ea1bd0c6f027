import { Flag } from '../../trace/flags.ts';
import { exited, failed, failureOf, INTERRUPTED, OK, type Outcome } from '../failures.ts';
import { patchedFiles } from '../patch.ts';
import { type Places, placesIn, shellTouch } from '../places.ts';
import type { Asked } from '../scribe.ts';
import { type Obj, objectOf, textOf } from '../shapes.ts';
import type { Touch } from '../strand.ts';

const PLACES: Places = new Map([
  ['read', ['read', 'filePath']],
  ['write', ['write', 'filePath']],
  ['edit', ['write', 'filePath']],
  ['multiedit', ['write', 'filePath']],
  ['lsp', ['read', 'filePath']],
  ['list', ['read', 'path']],
  ['glob', ['read', 'path']],
  ['grep', ['read', 'path']],
  ['webfetch', ['url', 'url']],
  ['websearch', ['search', 'query']],
  ['codesearch', ['search', 'query']],
]);

/** Tools that ask the person. */
const WAITING: ReadonlySet<string> = new Set(['question', 'plan_exit', 'plan_enter']);

/** A `tool` part as the row of its call. */
export function askedOf(part: Obj, key: string): Asked {
  const name = textOf(part.tool);
  const state = objectOf(part.state);
  const input = objectOf(state.input);
  return {
    key,
    name,
    args: state.input,
    touches: touchesOf(name, input, objectOf(state.metadata)),
    ...(name === 'bash' ? { command: textOf(input.command) } : {}),
    ...(name === 'task' ? { spawns: { type: textOf(input.subagent_type), prompt: textOf(input.prompt) } } : {}),
    ...(WAITING.has(name) ? { flags: Flag.waits } : {}),
    skill: name === 'skill' ? textOf(input.name) : '',
  };
}

function touchesOf(name: string, input: Obj, metadata: Obj): Touch[] {
  if (name === 'bash') {
    return shellTouch(textOf(input.command), textOf(input.workdir) || textOf(input.cwd));
  }
  if (name === 'patch' || name === 'apply_patch') {
    return patchedFiles(textOf(input.patchText)).map(({ kind, path, target }) => ({
      kind,
      value: path,
      other: target,
    }));
  }
  const touches = placesIn(PLACES, name, input);
  return name === 'write' && metadata.exists === false ? touches.map(each => ({ ...each, kind: 'create' })) : touches;
}

/** How a part's tool call ended; undefined while it waits or runs. */
export function outcomeOf(part: Obj): Outcome | undefined {
  const state = objectOf(part.state);
  const { exit } = objectOf(state.metadata);
  switch (state.status) {
    case 'completed':
    case 'success':
      // A failing command has completed.
      return typeof exit === 'number' ? exited(exit) : OK;
    case 'error':
      return part.tool === 'bash' && typeof exit === 'number' && exit !== 0
        ? failed(`exit-${exit}`, true)
        : /^tool execution (was )?aborted/i.test(textOf(state.error))
          ? INTERRUPTED
          : failureOf(textOf(state.error));
    default:
      return undefined;
  }
}
