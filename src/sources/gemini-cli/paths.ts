import { join } from 'node:path';
import type { Root } from '../reader.ts';

/** `GEMINI_CLI_HOME` stands for the home directory in the client; `GEMINI_DATA_DIR` is what other readers honour. */
export function roots(home: string, env: NodeJS.ProcessEnv): Root[] {
  const found: Root[] = [];
  const moved = env.GEMINI_CLI_HOME ?? '';
  if (moved !== '') found.push(root(join(moved, '.gemini'), 'GEMINI_CLI_HOME'));
  for (const directory of (env.GEMINI_DATA_DIR ?? '').split(',').map(part => part.trim())) {
    if (directory !== '') found.push(root(directory, 'GEMINI_DATA_DIR'));
  }
  if (moved === '') found.push(root(join(home, '.gemini'), 'HOME/.gemini/tmp'));
  return found;
}

function root(directory: string, from: string): Root {
  return { path: join(directory, 'tmp'), from, accepts };
}

/** `<project>/chats/session-*.json` and `.jsonl`; below a folder named by the parent session, its subagents. */
export function accepts(relative: string): boolean {
  const parts = relative.split('/');
  if (parts[1] !== 'chats') return false;
  const name = parts.at(-1) as string;
  if (parts.length === 3) return /^session-.*\.jsonl?$/.test(name);
  return parts.length === 4 && name.endsWith('.jsonl');
}

export function isDocumentPath(path: string): boolean {
  return path.endsWith('.json');
}

/** Other files of the agent in the same places: indexes, typed prompts, backups. */
export function companion(path: string): boolean {
  const parts = path.split(/[\\/]/);
  const name = parts.at(-1) as string;
  if (name === '.project_root' || name === 'logs.json') return true;
  return parts.includes('.gemini') && !parts.includes('chats');
}

/** A resumed document goes on in a file of lines beside it that begins with all of its messages. */
export function identity(path: string): { id: string; rank: number } | undefined {
  if (!/[\\/]chats[\\/]session-[^\\/]*\.jsonl?$/.test(path)) return undefined;
  return { id: path.replace(/\.jsonl?$/, ''), rank: path.endsWith('l') ? 0 : 1 };
}

/** The session below which a subagent's file lies; '' for files that lie in `chats` itself or elsewhere. */
export function parentOfPath(path: string): string {
  const parts = path.split(/[\\/]/);
  return parts.at(-3) === 'chats' ? (parts.at(-2) as string) : '';
}

/** The project's folder, by its short name or hash; '' where the path shows none. */
export function projectOfPath(path: string): string {
  const parts = path.split(/[\\/]/);
  return parts[parts.lastIndexOf('chats') - 1] ?? '';
}

/** A name for the session of a file that names none. */
export function stemOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).replace(/\.[^.]*$/, '');
}
