import { join } from 'node:path';
import type { Root } from '../reader.ts';

const ACTIVE = 'sessions';
const ARCHIVED = 'archived_sessions';

/** CODEX_HOME may name several homes, separated by commas; without it the home is ~/.codex. */
export function codexRoots(home: string, env: NodeJS.ProcessEnv): Root[] {
  const given = (env.CODEX_HOME ?? '')
    .split(',')
    .map(each => each.trim())
    .filter(each => each !== '');
  const homes = given.length > 0 ? given.map(each => expanded(each, home)) : [join(home, '.codex')];
  const from = given.length > 0 ? 'CODEX_HOME' : 'HOME/.codex';
  return homes.flatMap(each =>
    [ACTIVE, ARCHIVED].map(folder => ({ path: join(each, folder), from: `${from}/${folder}`, accepts })),
  );
}

function expanded(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
}

/** Rollouts of all ages: lines, compressed lines (since 0.137), and the documents of the TypeScript client. */
function accepts(relative: string): boolean {
  const name = relative.slice(relative.lastIndexOf('/') + 1);
  return name.endsWith('.jsonl') || name.endsWith('.jsonl.zst') || isDocumentPath(name);
}

/** The TypeScript client (to mid 2025) wrote one indented document a file. */
export function isDocumentPath(path: string): boolean {
  return /(?:^|[/\\])rollout-[^/\\]*\.json$/i.test(path);
}

const ROLLOUT =
  /^(.*?)[/\\](sessions|archived_sessions)[/\\](?:.*[/\\])?rollout-[^/\\]*?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl(\.zst)?$/i;

/**
 * Which rollout a file holds. Archiving moves a file and compression replaces it, and for a moment both may exist:
 * of one home's files with one `id` the lowest `rank` is to be read, the active before the archived, plain before
 * compressed. Undefined for files named otherwise.
 */
export function rolloutIdentity(path: string): { id: string; rank: number } | undefined {
  const match = ROLLOUT.exec(path);
  if (!match) return undefined;
  const rank = (match[2]?.toLowerCase() === ARCHIVED ? 2 : 0) + (match[4] ? 1 : 0);
  return { id: `${match[1]}\u0000${match[3]?.toLowerCase()}`, rank };
}

/** The id in a rollout's name, for files that name no thread; else the path stands for it. */
export function threadFromPath(path: string): string {
  const match = /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[a-z.]+$/i.exec(path);
  return match?.[1]?.toLowerCase() ?? `file:${path}`;
}
