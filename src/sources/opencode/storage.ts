import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { prune } from '../../ingest/prune.ts';
import type { Operations } from '../../trace/operations.ts';
import { isObject, type Obj, textOf } from '../shapes.ts';
import type { Part } from './chronicle.ts';
import { PART } from './keep.ts';

/**
 * What lies beside the messages of a JSON storage (before 1.2): `session/<project>/<session>.json` and the parts of a
 * message in `part/<message>/`; in the earliest samples all parts lie in `part` itself.
 */
export class Storage {
  private readonly sessionPaths = new Map<string, string>();
  private flat: Map<string, Obj[]> | undefined;
  private readonly root: string;

  private constructor(root: string) {
    this.root = root;
    const folder = join(root, 'session');
    for (const project of list(folder)) {
      for (const name of list(join(folder, project))) {
        if (name.endsWith('.json')) this.sessionPaths.set(name.slice(0, -5), join(folder, project, name));
      }
    }
  }

  /** Of one reading of histories: each folder is listed once. */
  static of(out: Operations, root: string): Storage {
    const all = known.get(out) ?? new Map<string, Storage>();
    known.set(out, all);
    const storage = all.get(root) ?? new Storage(root);
    all.set(root, storage);
    return storage;
  }

  session(id: string): Obj | undefined {
    const path = this.sessionPaths.get(id) ?? this.sessionPaths.get(`ses_${id}`);
    return path === undefined ? undefined : objectAt(path);
  }

  /** The parts of a message in the order of their names, which is that of their making. */
  parts(message: string): Part[] {
    if (message === '' || /[\\/]/.test(message)) return [];
    const folder = join(this.root, 'part', message);
    const own = list(folder)
      .filter(name => name.endsWith('.json'))
      .map(name => objectAt(join(folder, name)))
      .filter(isObject);
    const parts = own.length > 0 ? own : (this.flatParts().get(message) ?? []);
    return parts.map(part => ({ value: prune(part, PART) as Obj }));
  }

  private flatParts(): Map<string, Obj[]> {
    if (this.flat !== undefined) return this.flat;
    this.flat = new Map();
    for (const name of list(join(this.root, 'part'))) {
      const part = name.endsWith('.json') ? objectAt(join(this.root, 'part', name)) : undefined;
      const message = textOf(part?.messageID);
      if (part === undefined || message === '') continue;
      const before = this.flat.get(message);
      if (before === undefined) this.flat.set(message, [part]);
      else before.push(part);
    }
    return this.flat;
  }
}

const known = new WeakMap<Operations, Map<string, Storage>>();

function list(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function objectAt(path: string): Obj | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
