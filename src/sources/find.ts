import { accessSync, constants, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UsageError } from '../trace/usage-error.ts';
import { copiesBelow, copyOf } from './archived.ts';
import type { Root, Whereabouts } from './reader.ts';

/** Where to look. With files or directories named outright the homes are not searched. */
export interface SearchPlan {
  /** Home directories; the first is this person's own when `env` is to be honoured. */
  readonly homes: readonly { readonly path: string; readonly env: NodeJS.ProcessEnv; readonly host?: string }[];
  readonly sessionFiles: readonly string[];
  readonly sessionDirs: readonly string[];
  readonly agents: readonly string[];
  /** Where copies of deleted files lie, see archived.ts. */
  readonly archive?: string;
}

export interface FoundFile {
  /** Where its bytes are. */
  readonly path: string;
  /** Where the agent wrote it, if these bytes are an archived copy: what its reader is told, and its place in the order. */
  readonly origin?: string;
  /** The directory below which it was found, if it was not named outright. */
  readonly root?: string;
  /** `readerOf` gives what reads it. */
  readonly reader: Whereabouts;
  readonly size: number;
  readonly mtimeMs: number;
  readonly inode: number;
  readonly device: number;
  readonly host: string | undefined;
}

/** One place that was looked at, and what came of it: what `doctor` and every empty result tell. */
export interface Place {
  readonly agent: string;
  /** Of which home it is, where several are searched. */
  readonly host?: string;
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

/** Whose a file was found to be by its content when it was last looked at, as long as it is the same; '' for nobody's. */
export type Verdicts = (path: string, stat: Stats) => string | undefined;

/** Looks into files: what is named outright may be anybody's. */
export interface Looking {
  /** Whose a file of this name is by its content; undefined for nobody's. */
  whose(path: string, name: string): Whereabouts | 'empty' | undefined;
  /** Whether it belongs to another file and tells nothing by itself. */
  isCompanion(name: string): boolean;
}

/** A search under way. */
interface Search extends Discovery {
  readonly readers: readonly Whereabouts[];
  readonly archive: string | undefined;
  readonly verdicts: Verdicts | undefined;
  readonly looking: Looking | undefined;
}

/**
 * Finds the files of all agents. `operationFiles` are read as operations whatever they look like: a person said so.
 * With session files or directories in the plan `looking` is needed, see discover.ts. Throws UsageError for a named path
 * that is not there or of the wrong sort.
 */
export function find(
  plan: SearchPlan,
  readers: readonly Whereabouts[],
  operationFiles: readonly string[],
  verdicts?: Verdicts,
  looking?: Looking,
): Discovery {
  const found: Discovery = { files: [], places: [], unknown: [], problems: [] };
  const search: Search = { ...found, readers, archive: plan.archive, verdicts, looking };
  for (const file of operationFiles) addOperationFile(search, file);
  if (plan.sessionFiles.length + plan.sessionDirs.length + operationFiles.length > 0) {
    for (const file of plan.sessionFiles) addNamedFile(search, file);
    for (const directory of plan.sessionDirs) addNamedDirectory(search, directory);
  } else {
    const wanted = readers.filter(reader => plan.agents.length === 0 || plan.agents.includes(reader.agent));
    for (const home of plan.homes) {
      for (const reader of wanted) {
        for (const root of reader.roots(home.path, home.env)) addRoot(search, root, reader, home.host);
      }
    }
  }
  return { ...found, files: preferred(unique(found.files)) };
}

function addRoot(search: Search, root: Root, reader: Whereabouts, host: string | undefined): void {
  const state = directoryState(root.path);
  const live = new Set<string>();
  let taken = 0;
  if (state === 'searched') {
    for (const relative of walk(root.path, search.problems)) {
      live.add(relative);
      if (!root.accepts(relative)) continue;
      if (addFile(search, join(root.path, relative), reader, host, { root: root.path })) taken++;
      // Its agent removed it just now: an archived copy stands for it.
      else live.delete(relative);
    }
  }
  const whose = host === undefined ? {} : { host };
  const [path, from] = [root.path, root.from];
  search.places.push({ agent: reader.agent, ...whose, path, from, state, files: live.size, taken });
  const copies = copiesOfGone(search, root.path, live).filter(([relative]) => root.accepts(relative));
  for (const [relative, copy] of copies) addFile(search, copy, reader, host, { origin: join(root.path, relative) });
  addArchivePlace(search, reader.agent, copies.length, copies.length);
}

/** Archived copies of files that are below a directory no more, by relative path. */
function copiesOfGone({ archive }: Search, directory: string, live: ReadonlySet<string>): [string, string][] {
  if (archive === undefined) return [];
  return [...copiesBelow(archive, directory)].filter(([relative]) => !live.has(relative));
}

function addArchivePlace({ archive, places }: Search, agent: string, files: number, taken: number): void {
  if (archive !== undefined && files > 0)
    places.push({ agent, path: archive, from: 'archive', state: 'searched', files, taken });
}

/** What a link leads to; a link that leads nowhere or in circles costs itself alone. */
function linked(path: string, problems: string[]): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    problems.push(`${path}: ${(error as NodeJS.ErrnoException).code ?? 'cannot be read'}`);
    return undefined;
  }
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
        const kind = entry.isSymbolicLink() ? linked(join(top, name), problems) : entry;
        if (kind?.isDirectory()) below.push(name);
        else if (kind?.isFile()) yield name;
      }
    } catch (error) {
      problems.push(`${directory}: ${(error as NodeJS.ErrnoException).code ?? 'cannot be read'}`);
    }
    for (let i = below.length - 1; i >= 0; i--) pending.push(below[i] as string);
  }
}

/** False for a file that cannot be looked at. */
function addFile(
  search: Search,
  path: string,
  reader: Whereabouts,
  host: string | undefined,
  from: Pick<FoundFile, 'origin' | 'root'> = {},
): boolean {
  try {
    const { size, mtimeMs, ino: inode, dev: device } = statSync(path);
    search.files.push({ path, reader, size, mtimeMs, inode, device, host, ...from });
    return true;
  } catch (error) {
    search.problems.push(`${path}: ${(error as NodeJS.ErrnoException).code ?? 'cannot be read'}`);
    return false;
  }
}

/** What a flag names; undefined where there is nothing. Throws UsageError. */
function statOf(path: string, flag: string, given: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw new UsageError(
      `${flag}: ${given} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}.`,
    );
  }
}

/** Throws UsageError for a named file that this user may not read. */
function readable(path: string, flag: string, given: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw new UsageError(
      `${flag}: ${given} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}.`,
    );
  }
}

function addNamedFile(search: Search, given: string): void {
  const path = resolve(given);
  const stat = statOf(path, '--session-file', given);
  const copy = stat || search.archive === undefined ? undefined : copyOf(search.archive, path);
  if (!stat && !copy) throw new UsageError(`--session-file: there is no file ${given}.`);
  if (stat?.isDirectory()) throw new UsageError(`--session-file: ${given} is a directory; use --session-dir for it.`);
  if (stat && !stat.isFile())
    throw new UsageError(`--session-file: ${given} is no regular file; save what it gives in a file first.`);
  if (copy) sniff(search, copy, path, true);
  else {
    readable(path, '--session-file', given);
    sniff(search, path, undefined, true);
  }
}

function addOperationFile(search: Search, given: string): void {
  const path = resolve(given);
  const stat = statOf(path, '--operation-file', given);
  if (!stat) throw new UsageError(`--operation-file: there is no file ${given}.`);
  if (stat.isDirectory()) throw new UsageError(`--operation-file: ${given} is a directory; name a JSONL file.`);
  if (!stat.isFile())
    throw new UsageError(`--operation-file: ${given} is no regular file; save what it gives in a file first.`);
  readable(path, '--operation-file', given);
  const reader = search.readers.find(each => each.agent === 'operations');
  if (reader) addFile(search, path, reader, undefined);
}

function addNamedDirectory(search: Search, given: string): void {
  const path = resolve(given);
  const stat = statOf(path, '--session-dir', given);
  if (!stat) throw new UsageError(`--session-dir: there is no directory ${given}.`);
  if (!stat.isDirectory()) throw new UsageError(`--session-dir: ${given} is a file; use --session-file for it.`);
  const before = search.files.length;
  const live = new Set<string>();
  for (const relative of walk(path, search.problems)) {
    live.add(relative);
    sniff(search, join(path, relative));
  }
  const taken = search.files.length - before;
  search.places.push({ agent: '', path, from: '--session-dir', state: 'searched', files: live.size, taken });
  const copies = copiesOfGone(search, path, live);
  for (const [relative, copy] of copies) sniff(search, copy, join(path, relative));
  addArchivePlace(search, '', copies.length, search.files.length - before - taken);
}

/** What is named outright is never silently ignored: a file is some reader's, or it is listed as unknown. */
function sniff(search: Search, path: string, origin?: string, named = false): void {
  const { readers, looking, verdicts } = search;
  if (!looking) throw new Error('files are named outright and nobody looks into them');
  const name = origin ?? path;
  try {
    const told = verdicts?.(path, statSync(path));
    const whose = told === undefined ? looking.whose(path, name) : readers.find(each => each.agent === told);
    if (whose === 'empty') {
      if (named) search.problems.push(`${path}: is empty`);
    } else if (whose) addFile(search, path, whose, undefined, origin === undefined ? {} : { origin });
    else if (!looking.isCompanion(name)) search.unknown.push(path);
  } catch (error) {
    search.problems.push(error instanceof Error ? error.message : `${path}: cannot be read`);
  }
}

/** The same file reached twice (a link, two roots that overlap) is read once. */
function unique(files: readonly FoundFile[]): FoundFile[] {
  const seen = new Set<string>();
  return files.filter(file => {
    // File systems without numbers for their files give 0 for all.
    const identity = file.inode === 0 ? realpathSync.native(file.path) : `${file.device} ${file.inode}`;
    if (seen.has(identity)) return false;
    seen.add(identity);
    return true;
  });
}

/**
 * Where an agent keeps one history in two places (active and archived, plain and compressed), the better one is read. A
 * copy of ours stands behind everything that the agent itself still has, and behind copies of what was changed later.
 */
function preferred(files: readonly FoundFile[]): FoundFile[] {
  const best = new Map<string, { file: FoundFile; rank: number }>();
  const kept: FoundFile[] = [];
  for (const file of files) {
    const identity = file.reader.identity?.(pathOf(file));
    if (!identity) {
      kept.push(file);
      continue;
    }
    const name = `${file.host ?? ''}\u0000${file.reader.agent}\u0000${identity.id}`;
    const one = { file, rank: identity.rank };
    const before = best.get(name);
    if (!before || isBetter(one, before)) best.set(name, one);
  }
  kept.push(...[...best.values()].map(each => each.file));
  return kept.sort((a, b) => compare(pathOf(a), pathOf(b)) || compare(a.path, b.path));
}

interface Ranked {
  readonly file: FoundFile;
  readonly rank: number;
}

function isBetter(one: Ranked, other: Ranked): boolean {
  const [a, b] = [one.file, other.file];
  if ((a.origin === undefined) !== (b.origin === undefined)) return a.origin === undefined;
  if (a.origin !== undefined && a.mtimeMs !== b.mtimeMs) return a.mtimeMs > b.mtimeMs;
  return one.rank < other.rank;
}

/** The path by which a file goes: where the agent wrote it. */
export function pathOf(file: FoundFile): string {
  return file.origin ?? file.path;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
