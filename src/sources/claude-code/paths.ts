import { join } from 'node:path';
import type { Root } from '../reader.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const AGENT_FILE = /^agent-(.+)\.jsonl$/;

/** JSON-lines files of the agent that are no transcripts: typed prompts, and what a workflow started and got back. */
const NOT_SESSIONS: ReadonlySet<string> = new Set(['history.jsonl', 'journal.jsonl']);

/**
 * Where transcripts lie. CLAUDE_CONFIG_DIR, if set, replaces the homes and may be a list with commas; else both
 * ~/.claude and the XDG place are read (some machines have both; copies are told by message ids later).
 */
export function roots(home: string, env: NodeJS.ProcessEnv): Root[] {
  const configured = (env.CLAUDE_CONFIG_DIR ?? '')
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '');
  if (configured.length > 0) return configured.map(part => root(projectsOf(expanded(part, home)), 'CLAUDE_CONFIG_DIR'));
  const found = [root(join(home, '.claude', 'projects'), 'HOME/.claude/projects')];
  const xdgHome = join(home, '.config');
  found.push(root(join(xdgHome, 'claude', 'projects'), 'HOME/.config/claude/projects'));
  const xdg = env.XDG_CONFIG_HOME ?? '';
  if (xdg !== '' && join(xdg) !== xdgHome) found.push(root(join(xdg, 'claude', 'projects'), 'XDG_CONFIG_HOME'));
  return found;
}

function root(path: string, from: string): Root {
  return { path, from, accepts };
}

function expanded(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
}

/** The variable names the configuration directory; people also point it at `projects` itself. */
function projectsOf(directory: string): string {
  return /[\\/]projects[\\/]*$/.test(directory) ? directory : join(directory, 'projects');
}

/**
 * Sessions are `<project>/<session>.jsonl` and `<project>/agent-<id>.jsonl` (2.0.2x to 2.1.1x); deeper down only
 * subagents, `<project>/<session>/subagents/**\/agent-<id>.jsonl`, and whole session files that somebody moved.
 */
export function accepts(relative: string): boolean {
  const parts = relative.split('/');
  const name = parts.at(-1) as string;
  if (!name.endsWith('.jsonl') || NOT_SESSIONS.has(name)) return false;
  if (parts.length <= 2) return true;
  if (parts.includes('tool-results')) return false;
  return AGENT_FILE.test(name) || UUID.test(name.slice(0, -'.jsonl'.length));
}

/** Files that lie among the transcripts, belong to them and tell nothing of their own. */
export function companion(path: string): boolean {
  const parts = path.split(/[\\/]/);
  const name = parts.at(-1) as string;
  if (/^agent-.+\.meta\.json$/.test(name) || name === 'sessions-index.json') return true;
  if (name === 'journal.jsonl' || /^wf_.+\.json$/.test(name)) return parts.includes('workflows');
  if (parts.includes('workflows') && parts.includes('scripts')) return true;
  if (parts.includes('tool-results') || parts.includes('todos') || parts.includes('shell-snapshots')) return true;
  return parts.includes('.claude') && !name.endsWith('.jsonl');
}

/** The subagent whose transcript a file is, by its name; '' for other files. */
export function agentOfPath(path: string): string {
  return AGENT_FILE.exec(nameOf(path))?.[1] ?? '';
}

/** The session whose transcript a file is, by its name; '' where the name is not an id. */
export function sessionOfPath(path: string): string {
  const name = nameOf(path).replace(/\.jsonl.*$/, '');
  return UUID.test(name) ? name : '';
}

/** The session below which a subagent's file lies: the directory above `subagents`; '' where that is no id. */
export function parentOfPath(path: string): string {
  const parts = path.split(/[\\/]/);
  const above = parts[parts.lastIndexOf('subagents') - 1] ?? '';
  return UUID.test(above) ? above : '';
}

/** What lies beside a subagent's transcript and tells its kind and the call that started it. */
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
