import type { TouchKind } from '../../trace/touches.ts';
import { type Places, placesIn, shellTouch } from '../places.ts';
import { isObject } from '../shapes.ts';
import type { Touch } from '../strand.ts';

const PATHS = ['path', 'file_path', 'filePath', 'filename', 'file', 'absolute_path', 'target_file'] as const;

/** Any agent may send traces, so only names that several agents give their tools are taken to touch something. */
const NAMES: readonly (readonly [kind: TouchKind, tools: readonly string[], keys: readonly string[]])[] = [
  ['read', ['read_file', 'get_file', 'view', 'Read', 'read'], PATHS],
  ['write', ['write_file', 'Write', 'write', 'edit_file', 'Edit', 'edit', 'replace', 'str_replace'], PATHS],
  ['create', ['create_file'], PATHS],
  ['delete', ['delete_file'], PATHS],
  ['url', ['web_fetch', 'fetch', 'WebFetch', 'fetch_url'], ['url', 'urls']],
  ['search', ['web_search', 'WebSearch', 'search_web'], ['query', 'q']],
];

const PLACES: Places = new Map(NAMES.flatMap(([kind, tools, keys]) => tools.map(tool => [tool, [kind, ...keys]])));

const SHELLS: ReadonlySet<string> = new Set([
  'bash',
  'Bash',
  'shell',
  'run_shell_command',
  'execute_command',
  'terminal',
]);

export function touchesOf(tool: string, args: unknown): Touch[] {
  if (!isObject(args)) return [];
  if (SHELLS.has(tool)) {
    const line = args.command ?? args.cmd;
    return typeof line === 'string' ? shellTouch(line, typeof args.cwd === 'string' ? args.cwd : '') : [];
  }
  return placesIn(PLACES, tool, args);
}
