import { join } from 'node:path';
import type { Root } from '../reader.ts';

/** `QWEN_RUNTIME_DIR` moves histories alone, `QWEN_HOME` all that the client keeps. */
export function roots(home: string, env: NodeJS.ProcessEnv): Root[] {
  const [runtime, moved] = [env.QWEN_RUNTIME_DIR ?? '', env.QWEN_HOME ?? ''];
  if (runtime !== '') return [root(runtime, 'QWEN_RUNTIME_DIR')];
  return [moved !== '' ? root(moved, 'QWEN_HOME') : root(join(home, '.qwen'), 'HOME/.qwen/projects')];
}

function root(directory: string, from: string): Root {
  return { path: join(directory, 'projects'), from, accepts };
}

/** `<project>/chats/<session>.jsonl`, and `<project>/subagents/<session>/agent-<id>.jsonl`. */
export function accepts(relative: string): boolean {
  const parts = relative.split('/');
  const name = parts.at(-1) as string;
  if (!name.endsWith('.jsonl')) return false;
  if (parts[1] === 'chats') return parts.length === 3;
  return parts[1] === 'subagents' && parts.length === 4 && name.startsWith('agent-');
}

/** Metadata of subagents, and the running totals of sessions. */
export function companion(path: string): boolean {
  const parts = path.split(/[\\/]/);
  const name = parts.at(-1) as string;
  if (name === 'usage_record.jsonl' || /^agent-.+\.meta\.json$/.test(name)) return true;
  return parts.includes('.qwen') && !name.endsWith('.jsonl');
}

/** What lies beside a subagent's history and tells its kind and parent. */
export function metaName(path: string): string {
  return nameOf(path).replace(/\.jsonl.*$/, '.meta.json');
}

/** A name for the session of a file in which no row says one. */
export function stemOf(path: string): string {
  return nameOf(path).replace(/\.[^.]*$/, '');
}

function nameOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}
