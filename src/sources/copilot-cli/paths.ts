import { join } from 'node:path';
import type { Root } from '../reader.ts';

export function roots(home: string, env: NodeJS.ProcessEnv): Root[] {
  const [moved, state] = [env.COPILOT_HOME ?? '', env.XDG_STATE_HOME ?? ''];
  if (moved !== '') return [root(moved, 'COPILOT_HOME')];
  const found = [root(join(home, '.copilot'), 'HOME/.copilot/session-state')];
  if (state !== '') found.push(root(join(state, '.copilot'), 'XDG_STATE_HOME'));
  return found;
}

function root(directory: string, from: string): Root {
  return { path: join(directory, 'session-state'), from, accepts };
}

/** `<session>/events.jsonl`; older `<session>.jsonl`. */
export function accepts(relative: string): boolean {
  const parts = relative.split('/');
  return parts.length === 2 ? parts[1] === 'events.jsonl' : parts.length === 1 && relative.endsWith('.jsonl');
}

/** What lies beside the events: checkpoints, backups of files, the workspace. */
export function companion(path: string): boolean {
  const parts = path.split(/[\\/]/);
  return (parts.includes('session-state') || parts.includes('.copilot')) && !path.endsWith('.jsonl');
}

/** A name for the session of a file that names none: its folder, or its own. */
export function stemOf(path: string): string {
  const parts = path.split(/[\\/]/);
  const name = (parts.at(-1) as string).replace(/\.[^.]*$/, '');
  return name === 'events' ? (parts.at(-2) ?? name) : name;
}
