import { join } from 'node:path';
import type { Root } from '../reader.ts';

/** `PI_CODING_AGENT_DIR` stands for `~/.pi/agent`. */
export function roots(home: string, env: NodeJS.ProcessEnv): Root[] {
  const moved = env.PI_CODING_AGENT_DIR ?? '';
  return moved !== ''
    ? [{ path: join(moved, 'sessions'), from: 'PI_CODING_AGENT_DIR', accepts }]
    : [{ path: join(home, '.pi', 'agent', 'sessions'), from: 'HOME/.pi/agent/sessions', accepts }];
}

export function accepts(relative: string): boolean {
  return relative.endsWith('.jsonl');
}

/** The session's id in a file name `<time>_<id>.jsonl`; '' where there is none. */
export function idOfPath(path: string): string {
  return /_([0-9A-Za-z-]+)(?:\.jsonl)?$/.exec(path)?.[1] ?? '';
}

/** The session below whose folder (its file's name without ending) a subagent's file lies; '' for any other folder. */
export function parentOfPath(path: string): string {
  const folder = path.split(/[\\/]/).at(-2) ?? '';
  return /^\d{4}-\d\d-\d\dT/.test(folder) ? idOfPath(folder) : '';
}
