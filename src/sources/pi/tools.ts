import type { TouchKind } from '../../trace/touches.ts';
import { exited, failureOf, INTERRUPTED, OK, type Outcome } from '../failures.ts';
import type { Asked } from '../scribe.ts';
import { type Obj, objectOf, textOf } from '../shapes.ts';
import type { Touch } from '../strand.ts';

const SHELLS: ReadonlySet<string> = new Set(['bash', 'shell_exec', 'exec']);

const PLACES: ReadonlyMap<string, TouchKind> = new Map([
  ['read', 'read'],
  ['write', 'write'],
  ['edit', 'write'],
  ['grep', 'read'],
  ['find', 'read'],
  ['glob', 'read'],
  ['ls', 'read'],
]);

/** A `toolCall` block as the row of its call. */
export function askedOf(block: Obj, key: string): Asked {
  const name = textOf(block.name);
  const args = objectOf(block.arguments);
  return {
    key,
    name,
    args: block.arguments,
    touches: touchesOf(name, args),
    ...(SHELLS.has(name) ? { command: textOf(args.command) } : {}),
    ...(name === 'task' ? { spawns: { type: textOf(args.agent), prompt: textOf(args.prompt) } } : {}),
    // `mcp__<server>_<tool>`: a server's name ends at its first underscore.
    server: /^mcp__([^_]+)_/.exec(name)?.[1] ?? '',
  };
}

function touchesOf(name: string, args: Obj): Touch[] {
  if (SHELLS.has(name)) return [{ kind: 'shell', value: textOf(args.command), other: textOf(args.cwd) }];
  if (name === 'web_search') return [{ kind: 'search', value: textOf(args.query) }];
  if (name === 'fetch') return [{ kind: 'url', value: textOf(args.url) }];
  const kind = PLACES.get(name);
  if (kind === undefined) return [];
  // Oh My Pi takes several paths at once, and addresses where Pi takes paths only.
  return textOf(args.path)
    .split(';')
    .map(path => path.trim())
    .filter(path => path !== '' && (/^https?:/.test(path) || !/^\w{2,}:\/\//.test(path)))
    .map(value => (/^https?:/.test(value) ? { kind: 'url', value } : { kind, value }));
}

/** How a call ended, of its `toolResult`. The exit code of a command is the last thing it says. */
export function outcomeOf(name: string, isError: boolean, text: string): Outcome {
  if (!isError) return OK;
  const tail = text.slice(-200);
  const exit = /Command exited with code (\d+)\s*$/.exec(tail)?.[1];
  if (exit !== undefined) return exited(Number(exit));
  if (/Command aborted\s*$/.test(tail)) return INTERRUPTED;
  if (SHELLS.has(name) && /Command timed out/.test(tail)) return failureOf('timed out');
  return failureOf(text);
}
