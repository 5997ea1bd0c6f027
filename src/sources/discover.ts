import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readHead } from '../ingest/records.ts';
import { UsageError } from '../trace/usage-error.ts';
import type { Reader, Root } from './reader.ts';

/** Where to look. With files or directories named outright the homes are not searched. */
export interface SearchPlan {
  /** Home directories; the first is this person's own when `env` is to be honoured. */
  readonly homes: readonly { readonly path: string; readonly env: NodeJS.ProcessEnv; readonly host?: string }[];
  readonly sessionFiles: readonly string[];
  readonly sessionDirs: readonly string[];
  readonly agents: readonly string[];
}

export interface FoundFile {
  readonly path: string;
  readonly reader: Reader;
  readonly size: number;
  readonly mtimeMs: number;
  readonly inode: number;
  readonly host: string | undefined;
}

/** One place that was looked at, and what came of it: what `doctor` and every empty result tell. */
export interface Place {
  readonly agent: string;
  readonly path: string;
  readonly from: string;
  readonly state: 'missing' | 'unreadable' | 'searched';
  readonly files: number;
  readonly taken: number;
}

export interface Discovery {
  readonly files: FoundFile[];
  readonly places: Place[];
  /** Files that no reader knows, of those named outright. */
  readonly unknown: string[];
  /** Directories and files that could not be read, with the reason. */
  readonly problems: string[];
}

/**
 * Finds the files of all agents. `operationFiles` are read as operations whatever they look like: a person said so.
 * Throws UsageError for a named path that is not there or of the wrong sort.
 */
export function discover(plan: SearchPlan, readers: readonly Reader[], operationFiles: readonly string[] = []): Discovery {
  const found: Discovery = { files: [], places: [], unknown: [], problems: [] };
  const wanted = readers.filter(reader => plan.agents.length === 0 || plan.agents.includes(reader.agent));
  for (const file of operationFiles) addOperationFile(found, file, readers);
  if (plan.sessionFiles.length + plan.sessionDirs.length + operationFiles.length > 0) {
    for (const file of plan.sessionFiles) addNamedFile(found, file, readers);
    for (const directory of plan.sessionDirs) addNamedDirectory(found, directory, readers);
  } else {
    for (const home of plan.homes) {
      for (const reader of wanted) for (const root of reader.roots(home.path, home.env)) addRoot(found, root, reader, home.host);
    }
  }
  return { ...found, files: preferred(unique(found.files)) };
}

function addRoot(found: Discovery, root: Root, reader: Reader, host: string | undefined): void {
  const state = directoryState(root.path);
  let files = 0;
  let taken = 0;
  if (state === 'searched') {
    for (const relative of walk(root.path, found.problems)) {
      files++;
      if (!root.accepts(relative)) continue;
      taken++;
      addFile(found, join(root.path, relative), reader, host);
    }
  }
  found.places.push({ agent: reader.agent, path: root.path, from: root.from, state, files, taken });
}

function directoryState(path: string): Place['state'] {
  try {
    if (!statSync(path).isDirectory()) return 'missing';
    readdirSync(path);
    return 'searched';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'missing' : 'unreadable';
  }
}

/** Files below a directory as relative paths with forward slashes, sorted; links are followed once. */
function* walk(top: string, problems: string[]): Generator<string> {
  const seen = new Set<string>();
  const pending = [''];
  while (pending.length > 0) {
    const relative = pending.pop() as string;
    const directory = join(top, relative);
    const below: string[] = [];
    try {
      const real = realpathSync(directory);
      if (seen.has(real)) continue;
      seen.add(real);
      const entries = readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
      for (const entry of entries) {
        const name = relative === '' ? entry.name : `${relative}/${entry.name}`;
        const kind = entry.isSymbolicLink() ? statSync(join(top, name), { throwIfNoEntry: false }) : entry;
        if (kind?.isDirectory()) below.push(name);
        else if (kind?.isFile()) yield name;
      }
    } catch (error) {
      problems.push(`${directory}: ${(error as NodeJS.ErrnoException).code ?? 'cannot be read'}`);
    }
    for (let i = below.length - 1; i >= 0; i--) pending.push(below[i] as string);
  }
}

function addFile(found: Discovery, path: string, reader: Reader, host: string | undefined): void {
  try {
    const stat = statSync(path);
    found.files.push({ path, reader, size: stat.size, mtimeMs: stat.mtimeMs, inode: stat.ino, host });
  } catch (error) {
    found.problems.push(`${path}: ${(error as NodeJS.ErrnoException).code ?? 'cannot be read'}`);
  }
}

function addNamedFile(found: Discovery, given: string, readers: readonly Reader[]): void {
  const path = resolve(given);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) throw new UsageError(`--session-file: there is no file ${given}.`);
  if (stat.isDirectory()) throw new UsageError(`--session-file: ${given} is a directory; use --session-dir for it.`);
  sniff(found, path, readers);
}

function addOperationFile(found: Discovery, given: string, readers: readonly Reader[]): void {
  const path = resolve(given);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) throw new UsageError(`--operation-file: there is no file ${given}.`);
  if (stat.isDirectory()) throw new UsageError(`--operation-file: ${given} is a directory; name a JSONL file.`);
  const reader = readers.find(each => each.agent === 'operations');
  if (reader) addFile(found, path, reader, undefined);
}

function addNamedDirectory(found: Discovery, given: string, readers: readonly Reader[]): void {
  const path = resolve(given);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) throw new UsageError(`--session-dir: there is no directory ${given}.`);
  if (!stat.isDirectory()) throw new UsageError(`--session-dir: ${given} is a file; use --session-file for it.`);
  const before = found.files.length;
  let files = 0;
  for (const relative of walk(path, found.problems)) {
    files++;
    sniff(found, join(path, relative), readers);
  }
  found.places.push({ agent: '', path, from: '--session-dir', state: 'searched', files, taken: found.files.length - before });
}

/** What is named outright is never silently ignored: a file is some reader's, or it is listed as unknown. */
function sniff(found: Discovery, path: string, readers: readonly Reader[]): void {
  try {
    const head = readHead(path, 20);
    if (head.empty) return;
    const reader = head.binary ? undefined : readers.find(each => each.sniff({ path, records: head.records }));
    if (reader) addFile(found, path, reader, undefined);
    else if (!readers.some(each => each.companion?.(path))) found.unknown.push(path);
  } catch (error) {
    found.problems.push(error instanceof Error ? error.message : `${path}: cannot be read`);
  }
}

/** The same file reached twice (a link, two roots that overlap) is read once. */
function unique(files: readonly FoundFile[]): FoundFile[] {
  const seen = new Set<string>();
  return files.filter(file => {
    const real = realpathSync(file.path);
    return seen.has(real) ? false : (seen.add(real), true);
  });
}

/** Where an agent keeps one history in two places (active and archived, plain and compressed), the better one is read. */
function preferred(files: readonly FoundFile[]): FoundFile[] {
  const best = new Map<string, { file: FoundFile; rank: number }>();
  const kept: FoundFile[] = [];
  for (const file of files) {
    const identity = file.reader.identity?.(file.path);
    if (!identity) {
      kept.push(file);
      continue;
    }
    const name = `${file.host ?? ''}\u0000${file.reader.agent}\u0000${identity.id}`;
    const before = best.get(name);
    if (!before || identity.rank < before.rank) best.set(name, { file, rank: identity.rank });
  }
  kept.push(...[...best.values()].map(each => each.file));
  return kept.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}
