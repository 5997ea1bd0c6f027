import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { onPath } from './find-engine.ts';

/** Why a command cannot be run, as a shell tells it: the exit code and what to say. */
export interface Refusal {
  readonly code: 126 | 127;
  readonly why: string;
}

/** Looked at before anything is recorded, so that every engine says the same; undefined where nothing speaks against it. */
export function refusalOf(name: string, cwd: string, env: NodeJS.ProcessEnv): Refusal | undefined {
  const path = onPath(name, env);
  if (path === undefined) {
    const places = name.includes('/') ? [name] : (env.PATH ?? '').split(delimiter).map(dir => join(dir, name));
    const there = name === '' ? [] : places.flatMap(place => kindOf(resolve(cwd, place)) ?? []);
    if (there.includes('file')) return { code: 126, why: 'permission denied' };
    if (name.includes('/') && there.length > 0) return { code: 126, why: 'is a directory' };
    return { code: 127, why: 'command not found' };
  }
  const interpreter = /^#![ \t]*([^\s\0]+)/.exec(headOf(path) ?? '')?.[1];
  if (interpreter === undefined || existsSync(resolve(cwd, interpreter))) return undefined;
  return { code: 127, why: `its interpreter ${interpreter} is not there` };
}

/**
 * The command as execve takes it: a text without `#!` is what a shell would run by itself, and so do the engines that start it
 * through one; strace does not.
 */
export function execable(argv: readonly string[], env: NodeJS.ProcessEnv): string[] {
  const [name = '', ...args] = argv;
  const path = onPath(name, env);
  if (path === undefined) return [...argv];
  const head = headOf(path);
  const isText = head !== undefined && !head.startsWith('#!') && !/\0|^\x7fELF/.test(head);
  return isText ? ['/bin/sh', path, ...args] : [...argv];
}

const HEAD = 256;

/** The first bytes; undefined where they cannot be read. */
function headOf(path: string): string | undefined {
  try {
    const fd = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(HEAD);
      return bytes.toString('latin1', 0, readSync(fd, bytes, 0, HEAD, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

function kindOf(path: string): 'file' | 'folder' | undefined {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file';
  } catch {
    return undefined;
  }
}
