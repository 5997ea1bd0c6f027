import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { prune } from '../ingest/prune.ts';
import { readRecords } from '../ingest/records.ts';
import { Operations } from '../trace/operations.ts';
import { Texts, type TextKind } from '../trace/texts.ts';
import type { Discovery, FoundFile } from './discover.ts';
import { type FileLedger, fileLedger } from './ledger.ts';
import { Projects } from './projects.ts';
import type { Reader, RecordSink } from './reader.ts';

/** Histories in memory: operations not yet linked, and the ledger of what each file gave. */
export interface Histories {
  readonly ops: Operations;
  /** By file number. */
  readonly ledgers: FileLedger[];
  readonly discovery: Discovery;
}

export interface LoadOptions {
  readonly texts: Iterable<TextKind>;
  /** Called before each file with bytes read so far and bytes in all. */
  readonly progress?: (done: number, all: number) => void;
}

/** One pass over each file. A file that fails costs itself alone and is told in `discovery.problems`. */
export function load(discovery: Discovery, options: LoadOptions): Histories {
  const ops = new Operations(new Texts(options.texts));
  const ledgers: FileLedger[] = [];
  const all = discovery.files.reduce((sum, file) => sum + file.size, 0);
  let done = 0;
  for (const file of discovery.files) {
    options.progress?.(done, all);
    ledgers.push(readFile(file, ledgers.length, ops, discovery.problems));
    done += file.size;
  }
  for (const reader of new Set(discovery.files.map(file => file.reader))) reader.settle?.(ops, ledgers);
  ops.fileRank = ranks(ledgers.map(ledger => ledger.path));
  describeSessions(ops, discovery.files);
  return { ops, ledgers, discovery };
}

/** Rank of each path in code unit order. */
export function ranks(paths: readonly string[]): Uint32Array {
  const order = paths.map((_, at) => at).sort((a, b) => ((paths[a] as string) < (paths[b] as string) ? -1 : (paths[a] as string) > (paths[b] as string) ? 1 : 0));
  const rank = new Uint32Array(paths.length);
  order.forEach((at, position) => {
    rank[at] = position;
  });
  return rank;
}

function readFile(file: FoundFile, index: number, ops: Operations, problems: string[]): FileLedger {
  const ledger = fileLedger(file.path, file.reader.agent);
  const sibling = (name: string) => readJson(join(dirname(file.path), name));
  try {
    const sink = file.reader.open({ index, path: file.path, sibling }, ops, ledger);
    if (file.reader.isDocument?.(file.path)) readDocument(file, sink, ledger);
    else readLines(file.reader, file.path, sink, ledger);
    sink.end();
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'cannot be read';
    problems.push(reason.includes(file.path) ? reason : `${file.path}: ${reason}`);
  }
  return ledger;
}

function readLines(reader: Reader, path: string, sink: RecordSink, ledger: FileLedger): void {
  const outcome = readRecords(path, reader.keep, (value, offset, bytes) => sink.record(value, offset, bytes));
  ledger.bytes = outcome.bytes;
  ledger.lines = outcome.lines;
  ledger.badLines += outcome.badLines;
  ledger.badLineNumbers.push(...outcome.badLineNumbers);
  ledger.tornTail = outcome.tornTail;
}

function readDocument(file: FoundFile, sink: RecordSink, ledger: FileLedger): void {
  const text = readFileSync(file.path, 'utf8');
  ledger.bytes = file.size;
  ledger.lines = 1;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    ledger.badLines = 1;
    ledger.badLineNumbers.push(1);
    return;
  }
  sink.record(prune(value, file.reader.keep), 0, file.size);
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Project, host and roots of each session; a subagent has its parent's project where it names no directory itself. */
function describeSessions(ops: Operations, files: readonly FoundFile[]): void {
  const projects = new Projects();
  for (const session of ops.sessions.all) {
    const host = files[session.file]?.host;
    if (host !== undefined) session.host = host;
    const parent = session.parent === undefined ? undefined : ops.sessions.find(session.agent, session.parent);
    const cwd = session.cwd ?? (parent === undefined ? undefined : ops.sessions.all[parent]?.cwd);
    if (cwd === undefined || cwd === '') continue;
    const project = projects.of(cwd);
    session.project ??= project.name;
    session.roots = project.roots;
  }
}
