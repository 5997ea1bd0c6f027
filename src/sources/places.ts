import type { TouchKind } from '../trace/touches.ts';
import { type Obj, textOf } from './shapes.ts';
import type { Touch } from './strand.ts';

/** Tool name to what is done, and the argument keys that may hold where (keys are renamed over the versions). */
export type Places = ReadonlyMap<string, readonly [kind: TouchKind, ...keys: string[]]>;

/** What a tool call's arguments name, by the first key that holds something: a path, a URL, or a list of them. */
export function placesIn(places: Places, tool: string, args: Obj): Touch[] {
  const place = places.get(tool);
  if (place === undefined) return [];
  const [kind, ...keys] = place;
  for (const key of keys) {
    const value = args[key];
    if (typeof value === 'string' && value !== '') return [{ kind, value }];
    if (Array.isArray(value))
      return value.map(each => ({ kind, value: textOf(each) })).filter(each => each.value !== '');
  }
  return [];
}

/** A command line, and the directory it runs in where the arguments name one. */
export function shellTouch(line: string, directory = ''): Touch[] {
  return line === '' ? [] : [{ kind: 'shell', value: line, other: directory }];
}

export function urlsIn(text: string): Touch[] {
  return [...text.matchAll(/https?:\/\/[^\s"'<>)\]]+/g)].map(match => ({ kind: 'url', value: match[0] }));
}

/** The server of `mcp__server__tool`; '' for other tools. Server names hold single underscores. */
export function serverOf(tool: string): string {
  const end = tool.startsWith('mcp__') ? tool.indexOf('__', 5) : -1;
  return end > 5 ? tool.slice(5, end) : '';
}

/** What stands behind the last `Exit Code: ` of a command's report; undefined where it says none. */
export function exitCodeIn(report: string): number | undefined {
  const at = report.lastIndexOf('Exit Code: ');
  const code = at < 0 ? Number.NaN : Number.parseInt(report.slice(at + 11, at + 22), 10);
  return Number.isNaN(code) ? undefined : code;
}
