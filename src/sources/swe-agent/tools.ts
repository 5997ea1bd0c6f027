import type { TouchKind } from '../../trace/touches.ts';
import type { Asked } from '../scribe.ts';
import { type Obj, objectOf } from '../shapes.ts';
import type { Touch } from '../strand.ts';

/** Commands of the agent's own interface; an edit is of the file that is open. All others are the shell's. */
const COMMANDS: ReadonlyMap<string, TouchKind | undefined> = new Map([
  ['open', 'read'],
  ['create', 'create'],
  ['edit', 'write'],
  ['insert', 'write'],
  ['find_file', undefined],
  ['search_file', undefined],
  ['search_dir', undefined],
  ['goto', undefined],
  ['scroll_up', undefined],
  ['scroll_down', undefined],
  ['submit', undefined],
]);

/** An action: a command of the interface, or a line for the shell. `open` is the file that is open when it ends. */
export function askedOf(action: string, key: string, open: string): Asked {
  const name = /^\S+/.exec(action)?.[0] ?? '';
  if (!COMMANDS.has(name)) {
    return { key, name: 'bash', args: action, command: action, touches: [{ kind: 'shell', value: action }] };
  }
  const kind = COMMANDS.get(name);
  const named = /^\S+[ \t]+(?:"([^"]+)"|(\S+))/.exec(action);
  const path = kind === 'write' ? (open === 'n/a' ? '' : open) : (named?.[1] ?? named?.[2] ?? '');
  const touches: Touch[] = kind === undefined ? [] : [{ kind, value: path }];
  return { key, name, args: action, touches };
}

/** The state after a step, which is JSON in a string. */
export function stateOf(step: Obj): Obj {
  if (typeof step.state !== 'string') return objectOf(step.state);
  try {
    return objectOf(JSON.parse(step.state));
  } catch {
    return {};
  }
}
