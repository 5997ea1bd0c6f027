import { existsSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { inspect } from '../store/inspect.ts';
import { cacheDirectory, isPrivate, keptBelow, keptIn } from '../store/place.ts';
import { counted } from '../trace/counted.ts';
import { shownPath } from './shown-path.ts';
import { bytesInWords, drawTable } from './table.ts';
import { warn } from './terminal.ts';

interface Flags {
  readonly json?: boolean;
}

/** What else is kept there: the last answer of `cluster`, what models answered, what recordings show of histories. */
const FOLDERS = ['clusters', 'llm', 'recordings'];

/** What the store holds. Every byte of it is checked: a damaged pack makes the exit code 1. */
export async function cacheStatus({ json }: Flags): Promise<void> {
  const directory = cacheDirectory(process.env, homedir());
  const kept = keptIn(directory);
  const packs = kept.filter(each => each.finished).map(each => ({ ...each, ...inspect(each.path) }));
  const unfinished = kept.filter(each => !each.finished);
  const beside = FOLDERS.map(folder => {
    const files = keptBelow(directory, folder);
    return { folder, files: files.length, bytes: files.reduce((sum, each) => sum + each.bytes, 0) };
  }).filter(({ files }) => files > 0);
  const bytes = kept.reduce((sum, each) => sum + each.bytes, 0);
  if (packs.some(pack => pack.state === 'damaged' || pack.state === 'unreadable')) process.exitCode = 1;
  if (json) {
    const report = {
      schema: 'agentpprof.cache/1',
      directory: shownPath(directory),
      bytes,
      packs: packs.map(({ path, bytes: size, used, state, contents }) => ({
        file: shownPath(path),
        state,
        bytes: size,
        last_used: new Date(used).toISOString(),
        searched: contents ? whereabouts(contents.searched, shownPath) : null,
        files: contents?.files ?? null,
        operations: contents?.operations ?? null,
        history_bytes: contents?.bytes ?? null,
      })),
      unfinished: unfinished.length,
      beside,
    };
    process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    return;
  }
  process.stdout.write(`${shownPath(directory)}: ${summary(packs.length, bytes, directory)}\n`);
  if (packs.length > 0) process.stdout.write(`\n${table(packs)}`);
  for (const { folder, files, bytes: size } of beside)
    process.stdout.write(`${folder}: ${files} ${files === 1 ? 'file' : 'files'}, ${bytesInWords(size)}\n`);
  if (unfinished.length > 0)
    process.stdout.write(`${counted(unfinished.length, 'unfinished file')} that killed or running processes left\n`);
}

function summary(packs: number, bytes: number, directory: string): string {
  if (existsSync(directory) && !isPrivate(directory)) return 'others can see it, so nothing in it is used';
  if (packs === 0 && bytes === 0) return 'nothing is stored';
  return `${packs} stored ${packs === 1 ? 'history' : 'histories'}, ${bytesInWords(bytes)}`;
}

type Inspected = ReturnType<typeof inspect> & { readonly bytes: number; readonly used: number };

function table(packs: readonly Inspected[]): string {
  const n = (value: number | undefined) => (value === undefined ? '' : value.toLocaleString('en-US'));
  return drawTable(
    [
      { title: 'searched', widest: 60 },
      { title: 'state' },
      { title: 'size', right: true },
      { title: 'files', right: true },
      { title: 'operations', right: true },
      { title: 'history', right: true },
      { title: 'last used' },
    ],
    packs.map(({ contents, state, bytes, used }) => [
      contents ? whereabouts(contents.searched, shownPath).join(', ') : '',
      state,
      bytesInWords(bytes),
      n(contents?.files),
      n(contents?.operations),
      contents ? bytesInWords(contents.bytes) : '',
      new Date(used).toISOString().slice(0, 10),
    ]),
  );
}

/** What was searched, as few places as name it: the directory above all roots of a home, or what was named outright. */
function whereabouts(
  searched: NonNullable<ReturnType<typeof inspect>['contents']>['searched'],
  short: (path: string) => string,
): string[] {
  const named = [...searched.files, ...searched.directories, ...searched.operations];
  const roots = searched.roots.map(root => root.slice(root.indexOf(' ') + 1));
  return [...(roots.length > 0 ? [above(roots)] : []), ...named].map(short);
}

function above(paths: readonly string[]): string {
  const parts = paths.map(path => path.split('/'));
  let shared = 0;
  while (parts.every(each => each.length > shared && each[shared] === parts[0]?.[shared])) shared++;
  return parts[0]?.slice(0, shared).join('/') || '/';
}

/** Removes the packs, and what lies in the folders; what cannot be removed makes the exit code 1. */
export async function cacheClear({ json }: Flags): Promise<void> {
  const directory = cacheDirectory(process.env, homedir());
  let removed = 0;
  let bytes = 0;
  for (const { path, bytes: size } of [
    ...keptIn(directory),
    ...FOLDERS.flatMap(folder => keptBelow(directory, folder)),
  ]) {
    try {
      rmSync(path, { force: true });
      removed++;
      bytes += size;
    } catch (error) {
      process.exitCode = 1;
      warn(`cannot remove ${shownPath(path)}: ${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}`);
    }
  }
  if (json) {
    const report = { schema: 'agentpprof.cache/1', directory: shownPath(directory), removed, removed_bytes: bytes };
    process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  } else {
    process.stdout.write(
      removed === 0
        ? `${shownPath(directory)}: there was nothing to remove\n`
        : `${shownPath(directory)}: removed ${counted(removed, 'file')}, ${bytesInWords(bytes)}\n`,
    );
  }
}
