import type { TouchKind } from '../../trace/touches.ts';
import { type Obj, textOf } from '../shapes.ts';

export interface Touch {
  kind: TouchKind;
  value: string;
}

/** Tools whose input is a command line for a shell. */
export const SHELLS: ReadonlySet<string> = new Set(['Bash', 'PowerShell', 'Monitor']);

/** Tools that stop for the person: their interval is not activity. */
export const WAITING: ReadonlySet<string> = new Set(['AskUserQuestion', 'ExitPlanMode', 'EnterPlanMode']);

/** Tools that start a subagent: `Task` up to 2.0.x, `Agent` since. */
export const SPAWNING: ReadonlySet<string> = new Set(['Task', 'Agent']);

/** Tool name to the input key that holds a path, and what is done to it. */
const PATHS: ReadonlyMap<string, readonly [key: string, kind: TouchKind]> = new Map([
  ['Read', ['file_path', 'read']],
  ['NotebookRead', ['notebook_path', 'read']],
  ['Write', ['file_path', 'write']],
  ['Edit', ['file_path', 'write']],
  ['MultiEdit', ['file_path', 'write']],
  ['NotebookEdit', ['notebook_path', 'write']],
  ['Grep', ['path', 'read']],
  ['Glob', ['path', 'read']],
  ['LS', ['path', 'read']],
  ['LSP', ['filePath', 'read']],
]);

/** What a tool call's input names: paths, URLs, searches, commands. */
export function touchesOf(tool: string, input: Obj): Touch[] {
  const path = PATHS.get(tool);
  if (path !== undefined) return one(path[1], input[path[0]]);
  if (SHELLS.has(tool)) return one('shell', input.command);
  if (tool === 'WebSearch' || tool === 'web_search') return one('search', input.query);
  if (tool === 'WebFetch' || tool === 'web_fetch' || (tool.startsWith('mcp__') && isUrl(input.url)))
    return one('url', input.url);
  return [];
}

function one(kind: TouchKind, value: unknown): Touch[] {
  return typeof value === 'string' && value !== '' ? [{ kind, value }] : [];
}

function isUrl(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\//i.test(value);
}

export function commandOf(tool: string, input: Obj): string {
  return SHELLS.has(tool) ? textOf(input.command) : '';
}

/** The server of `mcp__server__tool`; '' for other tools. Server names hold single underscores. */
export function serverOf(tool: string): string {
  if (!tool.startsWith('mcp__')) return '';
  const end = tool.indexOf('__', 5);
  return end > 5 ? tool.slice(5, end) : '';
}

export function skillOf(tool: string, input: Obj): string {
  return tool === 'Skill' ? (textOf(input.skill) || textOf(input.command)).slice(0, 120) : '';
}
