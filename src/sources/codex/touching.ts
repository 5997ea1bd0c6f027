import type { TouchKind } from '../../trace/touches.ts';
import { patchedFiles } from '../patch.ts';
import { patchInLine, shellArguments } from './commands.ts';
import { type Fields, textOf } from './fields.ts';
import { scriptPatches, scriptUses } from './script.ts';
import type { OpenTool, Reading } from './state.ts';

/** Tools that take a command line, by every name they had. */
const SHELL_TOOLS: ReadonlySet<string> = new Set([
  'shell',
  'container.exec',
  'local_shell',
  'exec_command',
  'shell_command',
  'unified_exec',
]);

/** Turns the arguments of a tool call into touches; a patch waits until it is known to be applied. */
export function readArguments(reading: Reading, tool: OpenTool, text: string, args: Fields | undefined): void {
  const { out } = reading;
  const { row, name } = tool;
  if (SHELL_TOOLS.has(name)) {
    readShell(reading, tool, args);
    return;
  }
  out.texts.put('command', row, text);
  switch (name) {
    case 'apply_patch':
      tool.patch = patchedFiles(textOf(args?.input) || textOf(args?.patch) || text);
      return;
    case 'exec':
      readScript(reading, tool, text);
      return;
    case 'spawn_agent': {
      const task = textOf(args?.message) || textOf(args?.prompt);
      if (task !== '') out.setSpawnPrompt(row, task);
      return;
    }
    case 'view_image':
    case 'read_file':
      touch(reading, row, 'read', textOf(args?.path) || textOf(args?.file_path));
      return;
    case 'web_search':
      touch(reading, row, 'search', textOf(args?.query) || firstText(args?.queries));
      touch(reading, row, 'url', textOf(args?.url));
      return;
    default: {
      const url = textOf(args?.url);
      if (/^https?:\/\//i.test(url)) touch(reading, row, 'url', url);
    }
  }
}

function firstText(list: unknown): string {
  return Array.isArray(list) ? textOf(list[0]) : '';
}

function readShell(reading: Reading, tool: OpenTool, args: Fields | undefined): void {
  const { line, workdir, words } = shellArguments(args);
  reading.out.texts.put('command', tool.row, line);
  if (words[0] === 'apply_patch' && typeof words[1] === 'string') {
    tool.patch = patchedFiles(words[1], workdir);
    return;
  }
  touch(reading, tool.row, 'shell', line, workdir);
  const patch = patchInLine(line);
  if (patch !== '') tool.patch = patchedFiles(patch, workdir);
}

function readScript(reading: Reading, tool: OpenTool, source: string): void {
  for (const { tool: name, args } of scriptUses(source)) {
    if (SHELL_TOOLS.has(name))
      touch(reading, tool.row, 'shell', args.get('cmd') ?? args.get('command') ?? '', args.get('workdir') ?? '');
    else if (name === 'view_image') touch(reading, tool.row, 'read', args.get('path') ?? '');
    else if (/^https?:\/\//i.test(args.get('url') ?? '')) touch(reading, tool.row, 'url', args.get('url') ?? '');
  }
  tool.patch = scriptPatches(source).flatMap(patch => patchedFiles(patch));
}

function touch(reading: Reading, row: number, kind: TouchKind, value: string, other = ''): void {
  reading.out.touches.add(row, kind, value, other);
}

/** The patch was applied: its files become touches, once. */
export function emitPatch(reading: Reading, tool: OpenTool): void {
  for (const { kind, path, target } of tool.patch) touch(reading, tool.row, kind, path, target);
  tool.patch = [];
}
