import { join } from 'node:path';
import type { Root } from '../reader.ts';

/** `CLINE_DATA_DIR` names the folder of data, `CLINE_DIR` the one above it. */
export function roots(home: string, env: NodeJS.ProcessEnv): Root[] {
  const [data, all] = [env.CLINE_DATA_DIR ?? '', env.CLINE_DIR ?? ''];
  if (data !== '') return [root(data, 'CLINE_DATA_DIR')];
  if (all !== '') return [root(join(all, 'data'), 'CLINE_DIR')];
  return [root(join(home, '.cline', 'data'), 'HOME/.cline/data/sessions')];
}

function root(directory: string, from: string): Root {
  return { path: join(directory, 'sessions'), from, accepts };
}

/** `<session>/<session>.messages.json`, and `<session>/agent_<id>.messages.json` of its subagents. */
export function accepts(relative: string): boolean {
  return relative.split('/').length === 2 && isHistory(relative);
}

export function isHistory(path: string): boolean {
  return path.endsWith('.messages.json');
}

export function isDocumentPath(path: string): boolean {
  return path.endsWith('.json');
}

/** The session's status beside its messages, and all else below the agent's folder. */
export function companion(path: string): boolean {
  if (isHistory(path)) return false;
  const parts = path.split(/[\\/]/);
  return parts.includes('.cline') || /^\d{13}_\w+\.json$/.test(parts.at(-1) as string);
}

/** A name for the session of a file that names none. */
export function stemOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).replace(/(\.messages)?\.json$/, '');
}
